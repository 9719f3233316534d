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
	for l := range linesOf(s) {
		switch line := bytes.TrimRight(s[l.Start:l.End], " \t\r"); {
		case bytes.Contains(line, arrow):
			subtitles, shown = subtitles+1, true
		case len(line) == 0:
			shown = false
		case shown:
			lines = append(lines, Line{l.Start, l.Start + len(line)})
		}
	}
	if subtitles > 1 && len(lines) > 1 {
		yield(lines)
	}
}
