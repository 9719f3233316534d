package scanner

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// noise reports whether no client would parse the frame as a message. Such a frame starts neither
// like an object with a member nor like a list of objects. It also contains no later object that a
// parser could reach by skipping a byte order mark or comment, or by treating a carriage return as
// a line ending. Banners and log lines on standard output, such as "[INFO] ready", are common and
// harmless.
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

// keyBytes bounds the search for the first key of an object. Longer text counts as a key.
const keyBytes = 256

// member reports whether s, the text after a brace, begins with a member in JSON or one of its
// dialects, which allow comments, single quotes and unquoted keys.
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

// blank reports whether any parser treats r as white space.
func blank(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\uFEFF' }
