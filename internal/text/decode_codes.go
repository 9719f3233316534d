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
	// A list of more than mostCodes codes is read in chunks that share sharedCodes codes, so that no
	// instruction is split.
	mostCodes   = 1 << 16
	sharedCodes = 4 * Reach
)

// isHexDigit marks hexadecimal digits.
var isHexDigit = bytesOf("0123456789abcdefABCDEF")

// bytesOf returns a table that marks the bytes of s.
func bytesOf(s string) (t [256]bool) {
	for _, b := range []byte(s) {
		t[b] = true
	}
	return
}

// hexValue maps each hexadecimal digit to its value.
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
		if i > 0 && isAlnum(s[i-1]) || !isHexDigit[s[i]] && codePrefix(s[i:]) == 0 {
			i++
			continue
		}
		codes, end = codesAt(codes[:0], s, i)
		if len(codes) < leastCodes && !isHexList(codes) {
			i = max(end, i+1)
			continue
		}
		decodeNumbers(codes, func(t []byte, via string) { yield(Hidden{Start: i, End: end, Via: via, Text: t}) })
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

// noCode marks the letters that do not occur in hexadecimal numbers or codePrefixes.
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
// the end of the last one. It omits the offsets of a dump, and skips the characters after its
// codes.
func codesAt(codes [][]byte, s []byte, i int) (all [][]byte, end int) {
	var line dumpLine
	for i < len(s) && len(codes) < mostCodes {
		if next, ok := dumpLineAt(s, i); ok {
			line, i = next, next.start
		}
		i += codePrefix(s[i:])
		start := i
		i = hexEnd(s, i)
		if i == start || i-start > longCode || i < len(s) && isAlnum(s[i]) || line.full(i-start) {
			if line.next == 0 {
				return codes, max(end, start)
			}
			i, line.next = line.next, 0
			continue
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

// isHexList reports whether codes are long enough to encode text even if there are fewer than leastCodes
// of them, because each can encode several bytes.
func isHexList(codes [][]byte) bool {
	digits := 0
	for _, c := range codes {
		digits += len(c)
	}
	return len(codes) > 1 && digits >= 2*minDecoded && hasLetter(codes)
}

func hasLetter(codes [][]byte) bool {
	return slices.ContainsFunc(codes, func(c []byte) bool { return slices.ContainsFunc(c, letter) })
}

// decodeNumbers decodes numbers as character codes, in the first base that gives readable text.
func decodeNumbers(codes [][]byte, yield func(decoded []byte, via string)) {
	found := false
	if hasLetter(codes) {
		for _, t := range [...][]byte{joinedHex(codes), hexWords(codes)} {
			if t != nil {
				yield(t, "hexadecimal")
				found = true
			}
		}
	}
	if found || len(codes) < leastCodes {
		return
	}
	for _, base := range [...]struct {
		base int
		via  string
	}{{10, "decimal codes"}, {2, "binary codes"}, {8, "octal codes"}, {16, "hexadecimal"}} {
		if t := inBase(codes, base.base); t != nil {
			yield(t, base.via)
			return
		}
	}
}

// joinedHex decodes hexadecimal digits that are split anywhere, or returns nil if they are not
// text. The first digit may be a separate number in front of them, so joinedHex also tries without
// it.
func joinedHex(codes [][]byte) []byte {
	all := bytes.Join(codes, nil)
	out := make([]byte, 0, len(all)/2)
	for skip := range min(2, len(all)) {
		if t := readable(appendHex(out, all[skip:])); t != nil {
			return t
		}
	}
	return nil
}

// hexWords decodes hexadecimal numbers that encode one word each, or returns nil if they are not words.
func hexWords(codes [][]byte) []byte {
	out, strays := make([]byte, 0, len(codes)*minDecoded), 0
	for k, c := range codes {
		n := len(out)
		if out = append(appendHex(out, c), ' '); len(c)%2 == 0 && isShown(out[n:]) {
			continue
		}
		if out, strays = out[:n], strays+1; strays > mostStrays(k) {
			return nil
		}
	}
	if words := len(codes) - strays; len(out) < minDecoded || len(out) <= 3*words || !isText(out) {
		return nil
	}
	return out
}

// mostStrays returns how many of a list's first numbers may be something other than codes, so that
// a stray number in front of the codes or among them does not hide the text.
func mostStrays(numbers int) int { return 1 + numbers/8 }

// inBase decodes numbers in the given base as characters. It returns nil if they are not valid or
// not text.
func inBase(codes [][]byte, base int) []byte {
	var raw, chars []byte
	strays, wide := 0, false
	for k, c := range codes {
		if base == 2 && len(c) > 8 {
			return fromDigits(bytes.Join(codes[strays:], nil))
		}
		v, err := strconv.ParseUint(string(c), base, 21)
		if err != nil {
			if strays++; strays > mostStrays(k) {
				return nil
			}
			continue
		}
		raw, chars = append(raw, byte(v)), utf8.AppendRune(chars, rune(v))
		wide = wide || v > 0xFF
	}
	if !wide {
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
