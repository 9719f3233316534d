package text

import (
	"bytes"
)

// The minimum length of a run that Carried decodes, and of the decoded value, in bytes.
const (
	minCarriedRun = 12
	minCarried    = 8
)

// Carried yields values that s contains in base64, base32, hexadecimal, percent encoding or escapes, even
// if they are not readable text. It is for values that are looked up, where decoding too much does
// no harm.
func Carried(s []byte, yield func(Hidden)) {
	for start, end := nextRun(s, 0, minCarriedRun, &runByte); start < len(s); start, end = nextRun(s, end, minCarriedRun, &runByte) {
		carriedRun(s, start, end, yield)
		for from, to := start, start; from < end; from = to + 1 { // the path or name around a value may consist of base64 characters as well
			for to = from; to < end && !joinsParts[s[to]]; {
				to++
			}
			if n := to - from; n >= minCarriedRun && n < end-start {
				carriedRun(s, from, to, yield)
			}
		}
	}
	if percentEscapes(s) > 0 {
		carriedPercent(s, yield)
	}
	if bytes.IndexByte(s, '\\') >= 0 {
		if u, _ := Unescape(s); len(u) < len(s) {
			yield(Hidden{Start: 0, End: len(s), Via: Escapes, Text: u})
		}
	}
}

// joinsParts marks the characters of the base64 alphabets that are neither letters nor digits.
var joinsParts = [256]bool{'/': true, '-': true, '_': true, '+': true}

// percentEscapes counts the percent signs in s that are followed by two hexadecimal digits.
func percentEscapes(s []byte) (n int) {
	for {
		i := bytes.IndexByte(s, '%')
		if i < 0 || i+2 >= len(s) {
			return n
		}
		if isHexDigit[s[i+1]] && isHexDigit[s[i+2]] {
			n++
		}
		s = s[i+1:]
	}
}

// carriedPercent decodes percent encoding in each run of s without white space, and in each query
// value separately: an encoded value may contain the characters that separate values.
func carriedPercent(s []byte, yield func(Hidden)) {
	for start, end := 0, 0; start < len(s); start = end + 1 {
		for end = start; end < len(s) && s[end] > ' '; {
			end++
		}
		if percentEscapes(s[start:end]) > 0 {
			percentRun(s, start, end, yield)
		}
	}
}

func percentRun(s []byte, start, end int, yield func(Hidden)) {
	yield(Hidden{Start: start, End: end, Via: percentEncoding, Text: Unpercent(s[start:end])})
	for from, to := start, start; from < end; from = to + 1 {
		for to = from; to < end && !partsQuery[s[to]]; {
			to++
		}
		if to-from == end-start || percentEscapes(s[from:to]) == 0 {
			continue
		}
		if u := Unpercent(s[from:to]); len(u) >= minCarried {
			yield(Hidden{Start: from, End: to, Via: percentEncoding, Text: u})
		}
	}
}

const percentEncoding = "percent encoding"

// partsQuery marks the characters that separate query values or surround a link.
var partsQuery = [256]bool{'?': true, '&': true, '=': true, ';': true, '#': true, '"': true, '<': true, '>': true}

// Unpercent decodes one layer of percent encoding in s and leaves invalid sequences unchanged.
func Unpercent(s []byte) []byte {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) && isHexDigit[s[i+1]] && isHexDigit[s[i+2]] {
			out = appendHex(out, s[i+1:i+3])
			i += 2
			continue
		}
		out = append(out, s[i])
	}
	return out
}

// carriedRun yields the decodings of a run that consist of printable ASCII characters. For most
// runs, decoding the beginning is enough to rule out every encoding.
func carriedRun(s []byte, start, end int, yield func(Hidden)) {
	var small [minCarriedRun]byte
	run, head := s[start:end], small[:0]
	if len(run)%2 == 0 && len(run) >= 2*minCarried && printableASCII(appendHex(head, run[:minCarriedRun])) && isHex(run) {
		if out := appendHex(make([]byte, 0, len(run)/2), run); printableASCII(out) {
			yield(Hidden{Start: start, End: end, Via: "hexadecimal", Text: out})
		}
	}
	if first := from32(head, run[:minCarriedRun]); first != nil && printableASCII(first) {
		if out := from32(make([]byte, 0, len(run)), run); len(out) >= minCarried && printableASCII(out) {
			yield(Hidden{Start: start, End: end, Via: "base32", Text: out})
		}
	}
	if len(run)%4 == 1 || !printableASCII(from64(head, values64(head, run[:minCarriedRun]))) || bytes.ContainsAny(run, "-_") && bytes.ContainsAny(run, "+/") {
		return
	}
	out := values64(make([]byte, 0, len(run)), run)
	if out = from64(out[:0], out); len(out) >= minCarried && printableASCII(out) {
		yield(Hidden{Start: start, End: end, Via: "base64", Text: out})
	}
}

func printableASCII(s []byte) bool {
	for _, b := range s {
		if shownOrNUL[b] != 1 {
			return false
		}
	}
	return true
}
