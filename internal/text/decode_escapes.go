package text

import (
	"bytes"
	"html"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// Unescape decodes the escapes of programming languages, JSON and its dialects: \xHH, \uHHHH
// (including surrogate pairs), \u{H…}, \UHHHHHHHH, \OOO, and letters that stand for control
// characters. It also returns the number of numeric escapes. Several backslashes before a numeric escape
// are treated as one, because JSON in JSON doubles them at each level.
func Unescape(s []byte) (plain []byte, numbers int) {
	plain = make([]byte, 0, len(s))
	for i := 0; ; {
		next := bytes.IndexByte(s[i:], '\\')
		if next < 0 || i+next+1 == len(s) {
			return append(plain, s[i:]...), numbers
		}
		plain = append(plain, s[i:i+next]...)
		i += next
		if more := backslashes(s[i:]) - 1; more > 0 {
			if last := i + more; last+1 < len(s) {
				if _, n := escapedRune(s[last:]); n > 0 {
					i = last
				}
			}
			if s[i+1] == '\\' {
				pairs := (more + 1) / 2
				plain = append(plain, s[i:i+pairs]...)
				i += 2 * pairs
				continue
			}
		}
		if r, n := escapedRune(s[i:]); n > 0 {
			plain = utf8.AppendRune(plain, r)
			numbers++
			i += n
			continue
		}
		switch b := s[i+1]; {
		case b == 'n' || b == 'r' || b == 't' || b == 'b' || b == 'f':
			plain = append(plain, '\n')
		case b == 'x' || b == 'u' || b == 'U' || b >= '0' && b <= '9': // an invalid numeric escape
			plain = append(plain, '\\', b)
		default:
			plain = append(plain, b)
		}
		i += 2
	}
}

// escapedRune returns the character encoded by the numeric escape at the start of s and the length
// of the escape, or 0 if there is none.
func escapedRune(s []byte) (rune, int) {
	switch {
	case (s[1] == 'x' || s[1] == 'u') && len(s) > 2 && s[2] == '{':
		return bracedRune(s)
	case s[1] == 'x':
		r, ok := number(s[2:], 2, 16)
		return r, taken(ok, 4)
	case s[1] == 'u':
		r, ok := number(s[2:], 4, 16)
		if utf16.IsSurrogate(r) {
			second := 6 + backslashes(s[6:])
			if second > 6 && second < len(s) && s[second] == 'u' {
				if low, ok := number(s[second+1:], 4, 16); ok && utf16.DecodeRune(r, low) != utf8.RuneError {
					return utf16.DecodeRune(r, low), second + 5
				}
			}
		}
		return r, taken(ok, 6)
	case s[1] == 'U':
		r, ok := number(s[2:], 8, 16)
		return r, taken(ok, 10)
	case s[1] == '0' || s[1] == '1':
		r, ok := number(s[1:], 3, 8)
		return r, taken(ok, 4)
	}
	return 0, 0
}

// backslashes returns the number of backslashes at the start of s.
func backslashes(s []byte) int { return len(s) - len(bytes.TrimLeft(s, `\`)) }

// bracedDigits is the maximum number of digits between the braces of an escape.
const bracedDigits = 6

// bracedRune is escapedRune for the form with braces, such as \u{69}.
func bracedRune(s []byte) (rune, int) {
	n := bytes.IndexByte(s[:min(len(s), len(`\u{`)+bracedDigits+1)], '}') - len(`\u{`)
	if n <= 0 {
		return 0, 0
	}
	r, ok := number(s[len(`\u{`):], n, 16)
	return r, taken(ok, len(`\u{`)+n+1)
}

func taken(ok bool, n int) int {
	if ok {
		return n
	}
	return 0
}

// number parses the first n bytes of s as digits.
func number(s []byte, n, base int) (rune, bool) {
	if len(s) < n {
		return 0, false
	}
	v, err := strconv.ParseUint(string(s[:n]), base, 32)
	return rune(v), err == nil
}

// scratches holds buffers for decoded text that is usually discarded.
var scratches = sync.Pool{New: func() any { return new([]byte) }}

// mostScratch is the maximum size, in bytes, of a buffer that is kept.
const mostScratch = 256 << 10

func putScratch(b *[]byte) {
	if cap(*b) <= mostScratch {
		scratches.Put(b)
	}
}

// decodeEscapes decodes percent encoding, quoted-printable, escapes and HTML entities in the whole of s.
func decodeEscapes(s []byte, yield func(Hidden)) {
	whole := func(via string, decoded []byte) {
		if t := shown(decoded); t != nil {
			yield(Hidden{Start: 0, End: len(s), Via: via, Text: t})
		}
	}
	if percentEscapes(s) >= minEscapes { // a percent sign that is not an escape must not hide the escapes
		whole(percentEncoding, Unpercent(s))
	}
	if countNumeric(s) >= minEscapes { // numeric escapes
		if u, n := Unescape(s); n >= minEscapes {
			whole(Escapes, u)
		}
	}
	if marks, others := quotedMarks(s); marks >= minEscapes && marks > others {
		scratch := scratches.Get().(*[]byte)
		if *scratch = unquote((*scratch)[:0], s); isShown(*scratch) { // logs have such marks, too
			whole("quoted-printable", bytes.Clone(*scratch))
		}
		putScratch(scratch)
	}
	if n := bytes.Count(s, []byte("&")); n > 0 && (n >= minEscapes && entities(s) || bytes.Contains(s, []byte("&#"))) {
		if u := html.UnescapeString(string(s)); u != string(s) {
			yield(Hidden{Start: 0, End: len(s), Via: "HTML entities", Text: []byte(u)})
		}
	}
}

// countNumeric counts what looks like a numeric escape in s.
func countNumeric(s []byte) (n int) {
	for {
		i := bytes.IndexByte(s, '\\')
		if i < 0 || i+1 == len(s) {
			return n
		}
		if strings.IndexByte("xuU01", s[i+1]) >= 0 {
			n++
		}
		s = s[i+1:]
	}
}

// entities reports whether there may be a named HTML entity in s.
func entities(s []byte) bool {
	for {
		i := bytes.IndexByte(s, '&')
		if i < 0 || i+1 == len(s) {
			return false
		}
		if s = s[i+1:]; letter(s[0]) {
			return true
		}
	}
}
