package text

import (
	"bytes"
	"encoding/binary"
	"slices"
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
	var small [probe / 2 * 3]byte
	for _, order := range [...]binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		if head := fromUTF16(small[:0], b[:min(len(b), probe)], order); !isText(head) && !isEncoded(head) {
			continue
		}
		if whole := fromUTF16(make([]byte, 0, len(b)), b, order); isText(whole) || isEncoded(whole) {
			return whole
		}
	}
	return amongBytes(b)
}

// fromUTF16 appends b decoded as UTF-16, without a leading byte order mark.
func fromUTF16(out, b []byte, order binary.ByteOrder) []byte {
	at := 0
	if len(b) >= 2 && order.Uint16(b) == 0xFEFF {
		at = 2
	}
	for ; at+2 <= len(b); at += 2 {
		r := rune(order.Uint16(b[at:]))
		if utf16.IsSurrogate(r) {
			low := rune(0)
			if at+4 <= len(b) {
				low = rune(order.Uint16(b[at+2:]))
			}
			if r = utf16.DecodeRune(r, low); r != unicode.ReplacementChar {
				at += 2
			}
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}

// The share of printable bytes from which a window of bytes counts as text. Of random bytes, three
// in eight are printable. NULs are not counted, so that UTF-16 and UTF-32 are recognized in either
// byte order.
const (
	window     = 32
	shownOf    = 5 // all but one of this many non-NUL bytes
	leastShown = 8
)

// amongBytes extracts text from binary data, or returns nil if there is none.
func amongBytes(b []byte) []byte {
	var out []byte
	shown, nuls, taken := 0, 0, 0
	for i := range b {
		count(b[i], 1, &shown, &nuls)
		from := i + 1 - window
		if from > 0 {
			count(b[from-1], -1, &shown, &nuls)
		}
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

// count adds n to the counter for byte b.
func count(b byte, n int, shown, nuls *int) {
	switch {
	case b == 0:
		*nuls += n
	case b >= ' ' && b < 0x7F || b == '\n' || b == '\r' || b == '\t':
		*shown += n
	}
}

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

// value64 maps the characters of both base64 alphabets to their value plus one.
var value64 = func() (t [256]byte) {
	for i, b := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		t[b] = byte(i) + 1
	}
	t['-'], t['_'] = t['+'], t['/']
	return
}()

// from64 appends the decoded base64 characters of s, skipping the first skip characters and
// ignoring any other characters between them.
func from64(out, s []byte, skip int) []byte {
	bits, n := uint32(0), -skip
	for _, b := range s {
		v := value64[b]
		if v == 0 {
			continue
		}
		if n++; n <= 0 {
			continue
		}
		if bits = bits<<6 | uint32(v-1); n == 4 {
			out = append(out, byte(bits>>16), byte(bits>>8), byte(bits))
			n = 0
		}
	}
	switch n {
	case 2:
		out = append(out, byte(bits>>4))
	case 3:
		out = append(out, byte(bits>>10), byte(bits>>2))
	}
	return out
}

// The share of capitals and digits from which a block may contain base64: in base64 of text they
// are every other character, in prose almost none.
const (
	mixedBlock = 64
	leastMixed = 14
)

// decodeBroken decodes base64 that is broken into lines or groups, anywhere in s. Surrounding
// prose, read as base64, does not decode to text. Text that runs already gave is not yielded again.
func decodeBroken(s []byte, runs [][]byte, yield func(Hidden)) {
	for i := 0; i < len(s); {
		if !isMixed(s, i) {
			i += mixedBlock
			continue
		}
		start := max(i-mixedBlock, 0)
		for i < len(s) && isMixed(s, i) {
			i += mixedBlock
		}
		end := min(i+mixedBlock, len(s))
		buf := make([]byte, 0, (end-start)/4*3+3)
		for skip := range 4 {
			if t := amongBytes(from64(buf, s[start:end], skip)); t != nil && !known(runs, t) {
				yield(Hidden{Start: start, End: end, Via: "base64", Text: t})
			}
		}
	}
}

// known reports whether t is the text of one of the runs, apart from its surroundings.
func known(runs [][]byte, t []byte) bool {
	middle := t[max(len(t)/2-minDecoded/2, 0):min(len(t)/2+minDecoded/2, len(t))]
	return slices.ContainsFunc(runs, func(run []byte) bool { return len(t) <= len(run)+2*window && bytes.Contains(run, middle) })
}

// isMixed reports whether the block of s at i may contain base64.
func isMixed(s []byte, i int) bool {
	block := s[i:min(i+mixedBlock, len(s))]
	n := 0
	for _, b := range block {
		if isCapital(b) || digit(b) {
			n++
		}
	}
	return n >= min(leastMixed, len(block)/4)
}

// Reads64 reports whether s is base64 of readable text, or too short to tell.
func Reads64(s []byte) bool {
	b := from64(make([]byte, 0, len(s)/4*3+3), s, 0)
	return len(b) < minDecoded && len(s) < 2*minRun || isShown(b) || readable(b) != nil
}
