package text

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"
)

// The limits on a list of character codes.
const (
	leastCodes = minDecoded
	longCode   = 64 // digits; binary codes may come in long groups
	codeMarks  = 6  // maximum number of characters between two codes
	// A longer list is read in chunks that overlap, so that no instruction is split.
	mostCodes   = 1 << 16
	sharedCodes = 4 * Reach
)

// isHexDigit marks hexadecimal digits.
var isHexDigit = func() (t [256]bool) {
	for _, b := range []byte("0123456789abcdefABCDEF") {
		t[b] = true
	}
	return
}()

// hexValue maps hexadecimal digits to their value.
var hexValue = func() (t [256]byte) {
	for i, b := range []byte("0123456789abcdef") {
		t[b] = byte(i)
	}
	for i, b := range []byte("ABCDEF") {
		t[b] = byte(i) + 10
	}
	return
}()

// codePrefixes are the prefixes that indicate the base of a number or a Unicode code point.
var codePrefixes = [...]string{"0x", "0X", "0b", "0B", "0o", "U+", "u+", "x", "u", "&#x"}

// beginsPrefix marks the first characters of codePrefixes.
var beginsPrefix = func() (t [256]bool) {
	for _, p := range codePrefixes {
		t[p[0]] = true
	}
	return t
}()

// decodeCodes decodes lists of character codes, in hexadecimal, decimal, octal or binary, separated
// by anything but letters and digits.
func decodeCodes(s []byte, yield func(Hidden)) {
	var small [32][]byte
	codes := small[:0]
	for i, end, seen := 0, 0, 0; ; {
		if i, seen = onlyCodes(s, i, seen); i == len(s) {
			return
		}
		if !isHexDigit[s[i]] || i > 0 && isAlnum(s[i-1]) {
			i++
			continue
		}
		codes, end = codesAt(codes[:0], s, i)
		if len(codes) < leastCodes {
			i = max(end, i+1)
			continue
		}
		if t, via := decodeNumbers(codes); t != nil {
			yield(Hidden{Start: i, End: end, Via: via, Text: t})
		}
		if i = end; len(codes) == mostCodes {
			i = cap(s) - cap(codes[mostCodes-sharedCodes])
		}
	}
}

// onlyCodes returns the first position in s, from i on, where the shortest possible list of codes
// (one digit per code, one mark between codes) would contain no disqualifying letter. The bytes
// from i up to seen are known to contain none. It looks for the last disqualifying letter first,
// because most letters in prose are disqualifying.
func onlyCodes(s []byte, i, seen int) (next, clear int) {
	for i+2*leastCodes-1 <= len(s) {
		end := i + 2*leastCodes - 1
		at := end - 1
		for at >= max(i, seen) && !noCode[s[at]] {
			at--
		}
		if at < max(i, seen) {
			return i, end
		}
		i = at + 1
	}
	return len(s), seen
}

// noCode marks the letters that occur neither in hexadecimal numbers nor in codePrefixes.
var noCode = func() (t [256]bool) {
	for b := range t {
		t[b] = letter(byte(b)) && !isHexDigit[b]
	}
	for _, p := range codePrefixes {
		for _, b := range []byte(p) {
			t[b] = false
		}
	}
	return
}()

func isAlnum(b byte) bool { return valueClass[b]&alnumClass != 0 }

// codesAt appends the sequence of numbers starting at s[i], up to mostCodes of them, and returns
// the end of the last one.
func codesAt(codes [][]byte, s []byte, i int) (all [][]byte, end int) {
	for i < len(s) && len(codes) < mostCodes {
		i += codePrefix(s[i:])
		start := i
		for i < len(s) && isHexDigit[s[i]] {
			i++
		}
		if i == start || i-start > longCode || i < len(s) && isAlnum(s[i]) {
			return codes, max(end, start)
		}
		codes, end = append(codes, s[start:i]), i
		for marks := 0; i < len(s) && !isAlnum(s[i]) && marks < codeMarks; marks++ {
			i++
		}
		if i == end {
			break
		}
	}
	return codes, end
}

// codePrefix returns the length of the code prefix, such as 0x or U+, at the start of s.
func codePrefix(s []byte) int {
	if len(s) == 0 || !beginsPrefix[s[0]] {
		return 0
	}
	for _, p := range codePrefixes {
		if len(s) > len(p) && string(s[:len(p)]) == p && isHexDigit[s[len(p)]] {
			return len(p)
		}
	}
	return 0
}

// decodeNumbers decodes numbers as character codes, in the first base that gives readable text.
func decodeNumbers(codes [][]byte) (decoded []byte, via string) {
	if all := bytes.Join(codes, nil); len(all)%2 == 0 {
		if t := readable(appendHex(all[:0], all)); t != nil {
			return t, "hexadecimal"
		}
	}
	for _, base := range [...]struct {
		base int
		via  string
	}{{10, "decimal codes"}, {2, "binary codes"}, {8, "octal codes"}, {16, "hexadecimal"}} {
		if t := inBase(codes, base.base); t != nil {
			return t, base.via
		}
	}
	return nil, ""
}

// inBase decodes numbers in the given base as characters. It returns nil if they are not valid or
// not text.
func inBase(codes [][]byte, base int) []byte {
	var raw, chars []byte
	for _, c := range codes {
		if base == 2 && len(c) > 8 {
			return fromDigits(bytes.Join(codes, nil))
		}
		v, err := strconv.ParseUint(string(c), base, 21)
		if err != nil {
			return nil
		}
		raw, chars = append(raw, byte(v)), utf8.AppendRune(chars, rune(v))
		if v > 0xFF {
			raw = raw[:0]
		}
	}
	if len(raw) == len(codes) {
		return readable(raw)
	}
	if isText(chars) {
		return chars
	}
	return nil
}

// fromDigits decodes digits without separators: eight bits, or three decimal digits, for each
// character. It returns nil if the result is not text.
func fromDigits(s []byte) []byte {
	for _, form := range [...]struct{ base, digits int }{{2, 8}, {10, 3}} {
		if len(s)%form.digits != 0 || slices.ContainsFunc(s, func(b byte) bool { return b < '0' || int(b-'0') >= form.base }) {
			continue
		}
		out := make([]byte, 0, len(s)/form.digits)
		for i := 0; i < len(s); i += form.digits {
			v, err := strconv.ParseUint(string(s[i:i+form.digits]), form.base, 8)
			if err != nil {
				break
			}
			out = append(out, byte(v))
		}
		if len(out) == len(s)/form.digits && len(out) >= minDecoded {
			if t := readable(out); t != nil {
				return t
			}
		}
	}
	return nil
}
