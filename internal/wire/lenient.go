package wire

import (
	"bytes"
	"unicode/utf8"
)

// numerals are values that are not JSON, and numbers of the same length.
var numerals = [...]struct{ name, number []byte }{
	{[]byte("NaN"), []byte("0  ")},
	{[]byte("Infinity"), []byte("0       ")},
}

// Lenient returns a text of the same length in which everything that common parsers accept against
// RFC 8259 is replaced by JSON: invalid UTF-8 (Node.js, Go, .NET and Java replace it), NaN and Infinity
// (Python), and control characters in strings. If there is nothing to replace, as in valid JSON, it
// returns text itself.
func Lenient(text []byte) []byte {
	out := text
	replace := func(at int, with []byte) {
		if &out[0] == &text[0] {
			out = bytes.Clone(text)
		}
		copy(out[at:], with)
	}
	quoted, escaped := false, false
	for i, size := 0, 0; i < len(text); i += size {
		size = 1
		switch c := text[i]; {
		case c >= utf8.RuneSelf:
			var r rune
			if r, size = utf8.DecodeRune(text[i:]); r == utf8.RuneError && size == 1 {
				replace(i, []byte("?"))
			}
		case quoted && c < ' ':
			replace(i, []byte(" "))
		case c == '"' && !escaped:
			quoted = !quoted
		case !quoted && (c == 'N' || c == 'I'):
			for _, n := range numerals {
				if bytes.HasPrefix(text[i:], n.name) {
					replace(i, n.number)
					size = len(n.name)
				}
			}
		}
		escaped = quoted && !escaped && text[i] == '\\'
	}
	return out
}
