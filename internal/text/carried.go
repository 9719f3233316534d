package text

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"slices"
)

// The minimum length of a run that Carried decodes, and of the decoded value, in bytes.
const (
	minCarriedRun = 12
	minCarried    = 8
)

// Carried yields values that s contains in base64, hexadecimal, percent encoding or escapes, even
// if they are not readable text. It is for values that are looked up, where decoding too much does
// no harm.
func Carried(s []byte, yield func(Hidden)) {
	for i := 0; i < len(s); i++ {
		start := i
		for i < len(s) && runByte[s[i]] {
			i++
		}
		if i-start >= minCarriedRun {
			carriedRun(s, start, i, yield)
		}
	}
	if bytes.IndexByte(s, '%') >= 0 {
		carriedPercent(s, yield)
	}
	if bytes.IndexByte(s, '\\') >= 0 {
		if u, _ := Unescape(s); len(u) < len(s) {
			yield(Hidden{Start: 0, End: len(s), Via: Escapes, Text: u})
		}
	}
}

// carriedPercent decodes percent encoding in the whole of s, and in each query value separately: an
// encoded value may contain the characters that separate values.
func carriedPercent(s []byte, yield func(Hidden)) {
	u := Unpercent(s)
	if len(u) == len(s) {
		return
	}
	yield(Hidden{Start: 0, End: len(s), Via: percentEncoding, Text: u})
	for i := 0; i < len(s); i++ {
		start := i
		for i < len(s) && !partsQuery[s[i]] {
			i++
		}
		if i-start == len(s) {
			return
		}
		if bytes.IndexByte(s[start:i], '%') < 0 {
			continue
		}
		if u := Unpercent(s[start:i]); len(u) < i-start && len(u) >= minCarried {
			yield(Hidden{Start: start, End: i, Via: percentEncoding, Text: u})
		}
	}
}

const percentEncoding = "percent encoding"

// partsQuery marks the characters that separate query values or surround a link.
var partsQuery = [256]bool{'?': true, '&': true, '=': true, ';': true, '#': true, ' ': true, '\t': true, '\n': true, '\r': true, '"': true, '<': true, '>': true}

// Unpercent decodes one layer of percent encoding in s and leaves invalid sequences unchanged.
func Unpercent(s []byte) []byte {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if r, ok := number(s[i+1:], 2, 16); ok {
				out = append(out, byte(r))
				i += 2
				continue
			}
		}
		out = append(out, s[i])
	}
	return out
}

// carriedRun yields each decoding of a run that gives printable characters.
func carriedRun(s []byte, start, end int, yield func(Hidden)) {
	run := s[start:end]
	if len(run)%2 == 0 && len(run) >= 2*minCarried && isHex(run) {
		if out := decoded(run, unhex); out != nil {
			yield(Hidden{Start: start, End: end, Via: "hexadecimal", Text: out})
		}
	}
	if len(run)%4 == 1 {
		return
	}
	if out := decoded(run, unbase64); out != nil {
		yield(Hidden{Start: start, End: end, Via: "base64", Text: out})
	}
}

// decoded returns the decoded run, or nil if it is not printable. For most runs, decoding the
// beginning is enough to see that.
func decoded(run []byte, by func([]byte) []byte) []byte {
	if head := by(run[:minCarriedRun]); head == nil || !printableASCII(head) {
		return nil
	}
	if out := by(run); len(out) >= minCarried && printableASCII(out) {
		return out
	}
	return nil
}

func unhex(s []byte) []byte {
	out := make([]byte, hex.DecodedLen(len(s)))
	_, err := hex.Decode(out, s)
	return whole(out, err)
}

func unbase64(s []byte) []byte {
	enc := base64.RawStdEncoding
	if bytes.ContainsAny(s, "-_") {
		enc = base64.RawURLEncoding
	}
	out := make([]byte, enc.DecodedLen(len(s)))
	n, err := enc.Decode(out, s)
	return whole(out[:n], err)
}

func whole(out []byte, err error) []byte {
	if err != nil {
		return nil
	}
	return out
}

func printableASCII(s []byte) bool {
	return !slices.ContainsFunc(s, func(b byte) bool { return (b < 0x20 || b > 0x7E) && b != '\n' && b != '\t' && b != '\r' })
}
