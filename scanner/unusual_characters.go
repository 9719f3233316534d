package scanner

import "github.com/mcpscan/mcpscan/internal/text"

// unusual reports whether s contains a character that is neither printable ASCII nor white space. A
// carriage return in the middle of a line counts, because the text after it overwrites the line on
// a terminal.
func unusual(s []byte) bool {
	for i, b := range s {
		switch {
		case b >= 0x20 && b < 0x7F, b == '\n', b == '\t':
		case b == '\r' && (i+1 == len(s) || s[i+1] == '\n' || s[i+1] == '\r'):
		default:
			return true
		}
	}
	return false
}

// pushes reports whether a run of white space pushes part of the text out of view.
func pushes(s []byte) bool {
	_, _, ok := text.Gap(s)
	return ok
}
