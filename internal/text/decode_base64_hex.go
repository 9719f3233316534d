package text

import (
	"bytes"
	"slices"
)

// runByte marks the characters of both base64 alphabets, which include the hexadecimal digits.
var runByte = bytesOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_")

// decodeRuns decodes runs of base64, and runs of hexadecimal and base32 within them, because a path
// or a prefix such as 0x before encoded text consists of base64 characters, too.
func decodeRuns(s []byte, yield func(Hidden)) {
	for start, end := nextRun(s, 0, minRun, &runByte); start < len(s); start, end = nextRun(s, end, minRun, &runByte) {
		if t, via := decodeRun(s[start:end]); t != nil {
			yield(Hidden{Start: start, End: end, Via: via, Text: t})
			continue
		}
		within(s[:end], start, &isHexDigit, "hexadecimal", unhex, yield)
		within(s[:end], start, &isBase32, "base32", unbase32, yield)
	}
}

// within decodes the runs of the given characters in s, from i on.
func within(s []byte, i int, chars *[256]bool, via string, decode func([]byte) []byte, yield func(Hidden)) {
	for start, end := nextRun(s, i, minRun, chars); start < len(s); start, end = nextRun(s, end, minRun, chars) {
		if t := decode(s[start:end]); t != nil {
			yield(Hidden{Start: start, End: end, Via: via, Text: t})
		}
	}
}

// unhex returns the text that hexadecimal digits encode, or nil. The first digit may belong to a
// prefix instead of the text, so unhex also tries to decode the run without it. A run without letters
// is treated as a number.
func unhex(run []byte) []byte {
	if !slices.ContainsFunc(run, letter) {
		return nil
	}
	var small [512]byte
	for skip := range 2 {
		if digits := run[skip:]; len(digits) >= 2*minDecoded {
			if t := readable(appendHex(small[:0], digits)); t != nil {
				return bytes.Clone(t)
			}
		}
	}
	return nil
}

// isBase32 marks the characters of base32 (RFC 4648), in either case.
var isBase32 = bytesOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz234567")

// unbase32 returns the text that base32 encodes, or nil.
func unbase32(run []byte) []byte {
	var small [512]byte
	if out := from32(small[:0], run); len(out) >= minDecoded {
		return bytes.Clone(readable(out))
	}
	return nil
}

// from32 appends the bytes that base32 encodes to out. It returns nil if the run has letters of both cases,
// or other characters.
func from32(out, run []byte) []byte {
	pending, bits := uint32(0), 0
	upper, lower := false, false
	for _, b := range run {
		if !isBase32[b] {
			return nil
		}
		v := uint32(b - '2' + 26)
		if letter(b) {
			v = uint32(b|0x20) - 'a'
			if upper, lower = upper || isCapital(b), lower || !isCapital(b); upper && lower {
				return nil
			}
		}
		if pending, bits = pending<<5|v, bits+5; bits >= 8 {
			bits -= 8
			out = append(out, byte(pending>>bits))
		}
	}
	return out
}

// nextRun returns the first run in s, from i on, that consists of the given characters and is no
// shorter than least. Of a run that begins before i, only the part from i on counts. The search
// checks the last character of a possible run first, so it rarely checks the others.
func nextRun(s []byte, i, least int, chars *[256]bool) (start, end int) {
	for i+least <= len(s) {
		at := i + least - 1
		for at >= i && chars[s[at]] {
			at--
		}
		if at >= i {
			i = at + 1
			continue
		}
		for end = i + least; end < len(s) && chars[s[end]]; {
			end++
		}
		return i, end
	}
	return len(s), len(s)
}

// decodeRun decodes one run. It returns nil if the run is not encoded text. Most runs are names and
// paths, so it decodes into a buffer, and copies only text.
func decodeRun(run []byte) (decoded []byte, via string) {
	var small [512]byte
	buf := small[:0]
	if len(run) > len(small) {
		buf = make([]byte, 0, len(run))
	}
	if isHex(run) {
		if len(run)%2 == 0 && len(run)/2 >= minDecoded {
			if t := readable(appendHex(buf, run)); t != nil {
				return bytes.Clone(t), "hexadecimal"
			}
		}
		if t := fromDigits(run); t != nil {
			return t, "character codes"
		}
	}
	if out := from64(buf, values64(buf, run)); len(out) >= minDecoded {
		if t := readable(out); t != nil {
			return bytes.Clone(t), "base64"
		}
	}
	return nil, ""
}

// appendHex appends the bytes that an even number of hexadecimal digits encode.
func appendHex(out, digits []byte) []byte {
	for i := 0; i+1 < len(digits); i += 2 {
		out = append(out, hexValue[digits[i]]<<4|hexValue[digits[i+1]])
	}
	return out
}

func isHex(s []byte) bool {
	for _, b := range s {
		if !isHexDigit[b] {
			return false
		}
	}
	return true
}
