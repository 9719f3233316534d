package text

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// The bounds of a list of codes.
const (
	leastCodes = minDecoded
	longCode   = 64 // digits; bits can be in long groups
	codeMarks  = 6  // characters between two codes
	// A longer list is read in pieces, which share some codes so that no order is cut.
	mostCodes   = 1 << 16
	sharedCodes = 4 * Reach
)

// isHexDigit marks the digits of codes.
var isHexDigit = func() (t [256]bool) {
	for _, b := range []byte("0123456789abcdefABCDEF") {
		t[b] = true
	}
	return
}()

// codePrefixes are written ahead of a number to say what its base is, or that it
// is one of Unicode.
var codePrefixes = [...]string{"0x", "0X", "0b", "0B", "0o", "U+", "u+", "x", "u", "&#x"}

// decodeCodes decodes lists of numbers that are the codes of characters: hexadecimal,
// decimal, octal or binary, with anything but letters between them.
func decodeCodes(s []byte, yield func(Hidden)) {
	var codes [][]byte
	for i, end := 0, 0; i < len(s); {
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

func isAlnum(b byte) bool { return letter(b) || digit(b) }

// codesAt appends the numbers that are at s[i] one behind the other, up to mostCodes of
// them, and returns where the last one ends.
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

// codePrefix measures the prefix of a number that s begins with.
func codePrefix(s []byte) int {
	for _, p := range codePrefixes {
		if len(s) > len(p) && string(s[:len(p)]) == p && isHexDigit[s[len(p)]] {
			return len(p)
		}
	}
	return 0
}

// decodeNumbers reads numbers as the codes of characters, in the base in which they
// are a text.
func decodeNumbers(codes [][]byte) (decoded []byte, via string) {
	if all := bytes.Join(codes, nil); len(all)%2 == 0 {
		if t := unhex(all); t != nil {
			if t = readable(t); t != nil {
				return t, "hexadecimal"
			}
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

// inBase reads numbers of a base as characters, nil where they are none or no text.
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

// fromDigits decodes digits without anything between them: bits, or three digits for
// each character; nil where that is no text.
func fromDigits(s []byte) []byte {
	for _, form := range [...]struct{ base, digits int }{{2, 8}, {10, 3}} {
		if len(s)%form.digits != 0 {
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
