package text

import (
	"bytes"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// readable returns the text in decoded bytes, or nil if there is none. The text may be UTF-8,
// UTF-16, or the ASCII part of any other encoding, possibly with other bytes around and between its
// characters.
func readable(b []byte) []byte {
	if isText(b) || isEncoded(b) {
		return b
	}
	if bytes.IndexByte(b[:min(len(b), probe)], 0) < 0 { // not UTF-16, in which a space or an escape character contains NUL
		return amongBytes(b)
	}
	var small [probe / 2 * 3]byte
	for _, high := range [...]int{1, 0} { // the position of the high byte
		if head := fromUTF16(small[:0], b[:min(len(b), probe)], high); !isText(head) && !isEncoded(head) {
			continue
		}
		if whole := fromUTF16(make([]byte, 0, len(b)), b, high); isText(whole) || isEncoded(whole) {
			return whole
		}
	}
	return amongBytes(b)
}

// fromUTF16 appends b decoded as UTF-16, without a leading byte order mark. high is the position of
// the more significant byte in a code unit.
func fromUTF16(out, b []byte, high int) []byte {
	unit := func(at int) rune { return rune(b[at+high])<<8 | rune(b[at+1-high]) }
	at := 0
	if len(b) >= 2 && unit(0) == 0xFEFF {
		at = 2
	}
	for ; at+2 <= len(b); at += 2 {
		r := unit(at)
		if utf16.IsSurrogate(r) {
			low := rune(0)
			if at+4 <= len(b) {
				low = unit(at + 2)
			}
			if r = utf16.DecodeRune(r, low); r != unicode.ReplacementChar {
				at += 2
			}
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}

// The minimum share of printable bytes for a window of bytes to count as text. Of random bytes,
// three in eight are printable. NULs are not counted, so that UTF-16 and UTF-32 are recognized in
// either byte order.
const (
	window     = 32
	shownOf    = 5 // all but one of this many non-NUL bytes
	leastShown = 8
)

// amongBytes extracts text from binary data, or returns nil if there is none.
func amongBytes(b []byte) []byte {
	if len(b) >= window && !mayHaveText(b) {
		return nil
	}
	var out []byte
	sum, taken := uint32(0), 0
	for i := range b {
		sum += shownOrNUL[b[i]]
		from := i + 1 - window
		if from > 0 {
			sum -= shownOrNUL[b[from-1]]
		}
		shown, nuls := int(sum&0xFF), int(sum>>8)
		if shown < leastShown || shownOf*shown < (shownOf-1)*(min(i+1, window)-nuls) || from < 0 && i+1 < len(b) {
			continue
		}
		if from = max(from, 0); from > taken && len(out) > 0 {
			out = append(out, '\n')
		}
		out = appendShown(out, b[max(from, taken):i+1])
		taken = i + 1
	}
	if len(out) < minDecoded || !isText(out) {
		return nil
	}
	return out
}

// mayHaveText reports whether a window of b may be text. It reads each window from its end, because it
// can then stop early in most windows, and skip to the window that begins after the byte that ruled this
// one out.
func mayHaveText(b []byte) bool {
	const most = window / shownOf // bytes that are neither printable nor NUL
	for end := window; end <= len(b); {
		others, i := 0, end
		for ; i > end-window && others <= most; i-- {
			if shownOrNUL[b[i-1]] == 0 {
				others++
			}
		}
		if others <= most {
			return true
		}
		end = i + 1 + window
	}
	return false
}

// shownOrNUL has a one in the lower byte for printable bytes, and in the next for NUL, so that one
// addition counts both.
var shownOrNUL = func() (t [256]uint32) {
	for b := ' '; b < 0x7F; b++ {
		t[b] = 1
	}
	t['\n'], t['\r'], t['\t'] = 1, 1, 1
	t[0] = 1 << 8
	return
}()

// appendShown appends the printable characters of s. Invalid UTF-8 bytes are read as Latin-1.
func appendShown(out, s []byte) []byte {
	for len(s) > 0 {
		r, n := utf8.DecodeRune(s)
		if r == utf8.RuneError && n == 1 {
			r = rune(s[0])
		}
		if unicode.IsPrint(r) || r == '\n' || r == '\t' {
			out = utf8.AppendRune(out, r)
		}
		s = s[n:]
	}
	return out
}
