package scanner

import (
	"bytes"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// noise reports whether no client would parse the frame as a message. Such a frame does not start
// like a JSON object or like a list of objects or lists, and contains no later message that a
// parser could reach by skipping a byte order mark or comment, or by treating a carriage return as
// a line ending. Banners and log lines on standard output, such as "[INFO] ready" and
// `info: {"service":"a"}`, are common and harmless.
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
			return !holdsMessage(frame[i+1:])
		}
	}
	return true
}

// holdsMessage reports whether s contains the keys of a JSON-RPC message, at any depth: "jsonrpc",
// "method", or "id" with "result" or "error". It ignores the case of keys, as some clients do.
func holdsMessage(s []byte) bool {
	var id, outcome bool
	s = unescaped(s)
	for i := 0; i < len(s); {
		end := i
		for end < len(s) && inName(s[end]) {
			end++
		}
		if end > i && startsKey(s[:i]) && endsKey(bytes.TrimLeftFunc(s[end:], isQuote)) {
			name := bytes.TrimFunc(s[i:end], blank)
			is := func(key string) bool { return bytes.EqualFold(name, []byte(key)) }
			if is("jsonrpc") || is("method") {
				return true
			}
			id = id || is("id")
			outcome = outcome || is("result") || is("error")
		}
		i = max(end, i+1)
	}
	return id && outcome
}

// startsKey reports whether a key may follow s: s is empty or ends with an opening brace, a comma or
// a comment.
func startsKey(s []byte) bool {
	s = bytes.TrimRightFunc(s, isQuote)
	before := bytes.TrimRightFunc(s, blank)
	return len(before) == 0 || before[len(before)-1] == '{' || before[len(before)-1] == ',' || bytes.HasSuffix(before, []byte("*/")) ||
		bytes.ContainsAny(s[len(before):], "\r\n\u2028\u2029") // may end a comment
}

// endsKey reports whether s, the text after a name, is empty or begins with a separator or a comment.
func endsKey(s []byte) bool {
	s = bytes.TrimLeftFunc(s, blank)
	return len(s) == 0 || s[0] == ':' || s[0] == '=' || s[0] == '/' && (len(s) == 1 || s[1] == '/' || s[1] == '*')
}

// unescaped returns s with the JSON and JavaScript escapes (\u and \x) of ASCII characters decoded.
func unescaped(s []byte) []byte {
	if !bytes.ContainsRune(s, '\\') {
		return s
	}
	out := make([]byte, 0, len(s))
	for len(s) > 0 {
		digits := 0
		switch {
		case bytes.HasPrefix(s, []byte(`\u`)):
			digits = 4
		case bytes.HasPrefix(s, []byte(`\x`)):
			digits = 2
		}
		if end := 2 + digits; digits > 0 && len(s) >= end {
			if c, err := strconv.ParseUint(string(s[2:end]), 16, 16); err == nil && c < utf8.RuneSelf {
				out, s = append(out, byte(c)), s[end:]
				continue
			}
		}
		out, s = append(out, s[0]), s[1:]
	}
	return out
}

func isQuote(r rune) bool { return r == '"' || r == '\'' || r == '`' }

// inName reports whether a key without quotes may contain b.
func inName(b byte) bool {
	return b >= utf8.RuneSelf || b == '_' || b == '$' || b == '\\' || '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z'
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
	if quote := s[0]; isQuote(rune(quote)) {
		for end = 1; end < len(s) && s[end] != quote; end++ {
			if s[end] == '\\' {
				end++
			}
		}
		end++
	} else {
		for end < len(s) && inName(s[end]) {
			end++
		}
		if end == 0 {
			return false
		}
	}
	if end >= len(s) {
		return true
	}
	return endsKey(s[end:])
}

// blank reports whether any parser treats r as white space.
func blank(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\uFEFF' }
