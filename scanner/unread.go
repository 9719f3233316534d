package scanner

import (
	"bytes"
	"strconv"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// noise reports a frame that no client takes for a message: it starts neither
// as an object with a member nor as a list of objects, and holds no object
// further on, which a reader would come to that skips a mark or a comment, or
// takes a carriage return for the end of a line. Banners and log lines on
// standard output are common, and a server that prints "[INFO] ready" is not to
// blame for more than that.
func noise(frame []byte) bool {
	frame = bytes.TrimLeft(frame, " \t\r\n")
	if len(frame) == 0 {
		return false
	}
	next := bytes.TrimLeft(frame[1:], " \t\r\n")
	switch {
	case frame[0] == '{' && (len(next) == 0 || next[0] == '"' || next[0] == '}'),
		frame[0] == '[' && (len(next) == 0 || next[0] == '{' || next[0] == '[' || next[0] == ']'):
		return false
	}
	for i, b := range frame {
		if b == '{' && member(frame[i+1:]) {
			return false
		}
	}
	return true
}

// keyBytes bounds the look at what may be the first key of an object. What is
// longer counts as one.
const keyBytes = 256

// member reports whether s, which stands behind a brace, begins with a member
// as any reader of JSON and its dialects knows it: comments, single quotes and
// keys without quotes included.
func member(s []byte) bool {
	s, cut := s[:min(len(s), keyBytes)], len(s) > keyBytes
	for {
		s = bytes.TrimLeftFunc(s, blank)
		if len(s) == 0 {
			return cut
		}
		if s[0] == '#' || bytes.HasPrefix(s, []byte("//")) {
			return true
		}
		if !bytes.HasPrefix(s, []byte("/*")) {
			break
		}
		end := bytes.Index(s[2:], []byte("*/"))
		if end < 0 {
			return true
		}
		s = s[end+4:]
	}
	end := 0
	if quote := s[0]; quote == '"' || quote == '\'' || quote == '`' {
		for end = 1; end < len(s) && s[end] != quote; end++ {
			if s[end] == '\\' {
				end++
			}
		}
		end++
	} else {
		for end < len(s) && (s[end] >= utf8.RuneSelf || s[end] == '_' || s[end] == '$' || s[end] == '\\' || '0' <= s[end] && s[end] <= '9' || 'a' <= s[end]|0x20 && s[end]|0x20 <= 'z') {
			end++
		}
		if end == 0 {
			return false
		}
	}
	if end >= len(s) {
		return true
	}
	s = bytes.TrimLeftFunc(s[end:], blank)
	return len(s) == 0 || s[0] == ':' || s[0] == '/' || s[0] == '='
}

// blank reports what some reader takes for white space.
func blank(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\uFEFF' }

// escapes is how text.Decode calls them.
const escapes = "escapes"

// unescape replaces the escapes of JSON and its dialects, nil where there are none.
func unescape(s []byte) []byte {
	if bytes.IndexByte(s, '\\') < 0 {
		return nil
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			out = append(out, s[i])
			continue
		}
		i++
		digits := map[byte]int{'u': 4, 'x': 2}[s[i]]
		switch {
		case digits > 0:
			r, ok := hexRune(s[i+1:], digits)
			if !ok {
				out = append(out, '\\', s[i])
				continue
			}
			i += digits
			if low, ok := hexRune(bytes.TrimPrefix(s[i+1:], []byte(`\u`)), 4); ok && bytes.HasPrefix(s[i+1:], []byte(`\u`)) && utf16.DecodeRune(r, low) != utf8.RuneError {
				r = utf16.DecodeRune(r, low)
				i += 6
			}
			out = utf8.AppendRune(out, r)
		case s[i] == 'n' || s[i] == 'r' || s[i] == 't' || s[i] == 'b' || s[i] == 'f':
			out = append(out, '\n')
		case '0' <= s[i] && s[i] <= '9':
			out = append(out, '\\', s[i])
		default:
			out = append(out, s[i])
		}
	}
	return out
}

// hexRune reads a character of n hexadecimal digits.
func hexRune(s []byte, n int) (rune, bool) {
	if len(s) < n {
		return 0, false
	}
	v, err := strconv.ParseUint(string(s[:n]), 16, 32)
	return rune(v), err == nil
}
