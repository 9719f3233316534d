package text

import "bytes"

// arrow separates the times of a subtitle in WebVTT and SubRip.
var arrow = []byte(" --> ")

// Subtitles yields the lines of text of subtitles in WebVTT or SubRip, without their numbers and times, which
// divide sentences. The lines are valid until yield returns.
func Subtitles(s []byte, yield func(lines []Line)) {
	if !bytes.Contains(s, arrow) {
		return
	}
	var lines []Line
	subtitles, shown := 0, false // shown: the line belongs to a subtitle
	for start := 0; start < len(s); {
		end := start + bytes.IndexByte(s[start:], '\n')
		if end < start {
			end = len(s)
		}
		switch line := bytes.TrimRight(s[start:end], " \t\r"); {
		case bytes.Contains(line, arrow):
			subtitles, shown = subtitles+1, true
		case len(line) == 0:
			shown = false
		case shown:
			lines = append(lines, Line{start, start + len(line)})
		}
		start = end + 1
	}
	if subtitles > 1 && len(lines) > 1 {
		yield(lines)
	}
}
