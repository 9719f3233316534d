package text

import (
	"bytes"
	"unicode/utf8"
)

// decodeInvisible decodes bytes encoded as variation selectors (VS1 to VS256) and bits encoded as
// two kinds of invisible characters.
func decodeInvisible(s []byte, yield func(Hidden)) {
	var selectors []byte
	var bits []byte
	start, end := -1, 0
	flush := func() {
		if len(selectors) >= minDecoded/2 && isPrintable(selectors) {
			yield(Hidden{Start: start, End: end, Via: "variation selectors", Text: bytes.Clone(selectors)})
		}
		if t := fromBits(bits); t != nil {
			yield(Hidden{Start: start, End: end, Via: "invisible bits", Text: t})
		}
		selectors, bits, start = selectors[:0], bits[:0], -1
	}
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i += asciiLen(s[i:])
			continue
		}
		if s[i] != 0xE2 && s[i] != 0xEF && s[i] != 0xF3 { // not the first byte of any character below
			i++
			continue
		}
		r, n := utf8.DecodeRune(s[i:])
		known := true
		switch {
		case r == 0xFE0E || r == 0xFE0F: // selects how an emoji is displayed
			known = start >= 0 && end == i
			if known {
				selectors = append(selectors, byte(r-0xFE00))
			}
		case r >= 0xFE00 && r <= 0xFE0D:
			selectors = append(selectors, byte(r-0xFE00))
		case r >= 0xE0100 && r <= 0xE01EF:
			selectors = append(selectors, byte(r-0xE0100+16))
		case r == 0x200B || r == 0x2061 || r == 0x2062:
			bits = append(bits, 0)
		case r == 0x200C || r == 0x200D || r == 0x2063 || r == 0x2064:
			bits = append(bits, 1)
		default:
			known = false
		}
		if known {
			if start < 0 {
				start = i
			}
			end = i + n
		}
		i += n
	}
	flush()
}

// fromBits converts bits to text, most significant first, trying both assignments of the two
// kinds of characters to 0 and 1.
func fromBits(bits []byte) []byte {
	if len(bits) < minInvisible {
		return nil
	}
	for _, flip := range []byte{0, 1} {
		out := make([]byte, 0, len(bits)/8)
		for i := 0; i+8 <= len(bits); i += 8 {
			var b byte
			for _, bit := range bits[i : i+8] {
				b = b<<1 | (bit ^ flip)
			}
			out = append(out, b)
		}
		if len(out) >= 2 && isPrintable(out) {
			return out
		}
	}
	return nil
}
