package text

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// The minimum lengths of a run of white space that pushes the text after it out of view: more lines
// than a window has, or more characters than fit on a line.
const (
	gapLines = 40
	gapChars = 400
)

// Gap returns the first run of white space in s that pushes the text after it out of view. Such a
// run is at least gapLines bytes long, so checking every gapLines-th byte finds it, and text
// without one costs next to nothing.
func Gap(s []byte) (start, end int, ok bool) {
	for i := gapLines - 1; i < len(s); i += gapLines {
		start, end = blanksAround(s, i)
		if end == start {
			continue
		}
		if end < len(s) && (bytes.Count(s[start:end], []byte("\n")) >= gapLines || utf8.RuneCount(s[start:end]) >= gapChars) {
			return start, end, true
		}
		i = end - 1 // the next run that is long enough contains the next byte checked
	}
	return 0, 0, false
}

// blanksAround returns the run of white space around the byte at i.
func blanksAround(s []byte, i int) (start, end int) {
	for start = i; start > 0 && i-start < utf8.UTFMax && !utf8.RuneStart(s[start]); {
		start--
	}
	for end = start; end < len(s); {
		r, n := utf8.DecodeRune(s[end:])
		if !blankRune(r) {
			break
		}
		end += n
	}
	if end == start {
		return start, start
	}
	for start > 0 {
		r, n := utf8.DecodeLastRune(s[:start])
		if !blankRune(r) {
			break
		}
		start -= n
	}
	return start, end
}

// blankRune reports whether r is displayed as blank space.
func blankRune(r rune) bool { return unicode.IsSpace(r) || r == 0x2800 || r == 0x3164 }
