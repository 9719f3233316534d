package wire

import (
	"bytes"
	"errors"
	"unicode"
	"unicode/utf8"
)

// numerals are number literals that JSON does not allow, each with a replacement of the same length.
var numerals = [...]struct{ name, number []byte }{
	{[]byte("NaN"), []byte("0  ")},
	{[]byte("Infinity"), []byte("0       ")},
}

// Lenient returns a text of the same length in which valid JSON replaces what RFC 8259 forbids but
// common parsers accept: invalid UTF-8 (Node.js, Go, .NET and Java replace it), NaN and Infinity
// (Python), control characters in strings, white space of any kind before the message (the C# SDK trims
// it), and text after it (Jackson and Go's json.Decoder stop reading before that text). If there is
// nothing to replace, as in valid JSON, it returns text itself. Text that may be two messages stays
// invalid.
func Lenient(text []byte) []byte {
	out := text
	replace := func(at int, with []byte) {
		if &out[0] == &text[0] {
			out = bytes.Clone(text)
		}
		copy(out[at:], with)
	}
	first := len(text) - len(bytes.TrimLeftFunc(text, isBlank))
	if len(bytes.TrimLeft(text[:first], space)) > 0 {
		replace(0, bytes.Repeat([]byte(" "), first))
	}
	quoted, escaped, depth := false, false, 0
	for i, size := first, 0; i < len(text); i += size {
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
		case !quoted && (c == '{' || c == '['):
			depth++
		case !quoted && (c == '}' || c == ']'):
			if depth--; depth != 0 {
				break
			}
			rest := text[i+1:]
			if len(bytes.TrimLeft(rest, space)) > 0 && isObject(bytes.TrimLeft(text[first:], space+"[")) && !isObject(bytes.TrimLeftFunc(rest, isSeparator)) {
				replace(i+1, bytes.Repeat([]byte(" "), len(rest)))
			}
			return out
		}
		escaped = quoted && !escaped && text[i] == '\\'
	}
	return out
}

// ObjectAfter reports whether an object may begin in text after one of the characters in ends.
func ObjectAfter(text []byte, ends string) bool {
	for {
		i := bytes.IndexAny(text, ends)
		if i < 0 {
			return false
		}
		_, size := utf8.DecodeRune(text[i:])
		if text = bytes.TrimLeftFunc(text[i+size:], isSeparator); isObject(text) {
			return true
		}
	}
}

// Unfinished reports whether a line ends inside a JSON value, possibly after complete ones: a decoder of
// a stream, such as Go's, continues that value on the next line.
func Unfinished(line []byte) bool {
	for {
		line = bytes.TrimLeft(line, space)
		if len(line) == 0 || line[0] != '{' && line[0] != '[' {
			return false
		}
		value := container(line)
		if _, err := Skim(Lenient(value), MaxNodes); err != nil {
			at, ok := errors.AsType[*SyntaxError](err)
			return ok && at.Offset == len(line)
		}
		line = line[len(value):]
	}
}

// container returns the object or array at the beginning of text, or all of text if it is not closed.
func container(text []byte) []byte {
	quoted, escaped, depth := false, false, 0
	for i, c := range text {
		switch {
		case quoted:
			quoted, escaped = c != '"' || escaped, c == '\\' && !escaped
		case c == '"':
			quoted = true
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return text[:i+1]
			}
		}
	}
	return text
}

// isObject reports whether text begins with an object that has members.
func isObject(text []byte) bool {
	return bytes.HasPrefix(text, []byte("{")) && bytes.HasPrefix(bytes.TrimLeft(text[1:], space), []byte(`"`))
}

// isSeparator reports whether r may separate two messages: a blank, or the opening bracket of a batch.
func isSeparator(r rune) bool { return isBlank(r) || r == '[' }

// isBlank reports whether a receiver that trims lines may remove r.
func isBlank(r rune) bool { return r <= ' ' || unicode.IsSpace(r) || r == '\uFEFF' }
