package text

import (
	"bytes"
	"strconv"
)

// The limits on a line of a dump, as printed by xxd, hexdump -C or od. Such a line contains the offset
// of its first byte, its bytes as codes, and sometimes the same bytes as characters.
const (
	leastOffset  = 4   // digits
	longDumpLine = 512 // bytes
)

type dumpLine struct {
	start int // of its codes
	next  int // start of the next line, or 0 if the dump ends
	left  int // number of digits in the codes that are still to be read
}

// full subtracts the digits of the next code from those left in the line. It reports whether the line is
// known to end before that code.
func (l *dumpLine) full(digits int) bool {
	l.left -= digits
	return l.next > 0 && l.left < 0
}

// dumpLineAt returns the line of a dump that starts at s[i]. The offset of the next line reveals
// how many bytes this line contains, so that characters after the codes are not mistaken for codes.
func dumpLineAt(s []byte, i int) (line dumpLine, ok bool) {
	if s[i] != '0' || !startsLine(s, i) {
		return line, false
	}
	offset, start := offsetAt(s, i)
	if start == 0 {
		return line, false
	}
	line.start = start
	if n := bytes.IndexByte(s[start:min(len(s), start+longDumpLine)], '\n'); n >= 0 {
		next := start + n + 1
		for next < len(s) && (s[next] == ' ' || s[next] == '\t') {
			next++
		}
		if following, codes := offsetAt(s, next); codes > 0 && following > offset {
			line.next, line.left = next, 2*(following-offset)
		}
	}
	return line, true
}

// startsLine reports whether only blanks precede s[i] in its line.
func startsLine(s []byte, i int) bool {
	for i > 0 && (s[i-1] == ' ' || s[i-1] == '\t') {
		i--
	}
	return i == 0 || s[i-1] == '\n'
}

// offsetAt returns the offset of a dump at s[i] and the start of the codes after it, or 0 if there
// are none. An offset begins with the digit 0, as text in hexadecimal rarely does, and is followed
// by a colon or has more digits than a code.
func offsetAt(s []byte, i int) (offset, codes int) {
	start := i + codePrefix(s[i:])
	end := hexEnd(s, start)
	codes = end
	for codes < len(s) && (s[codes] == ' ' || s[codes] == '\t' || s[codes] == ':' && codes == end) {
		codes++
	}
	if end-start < leastOffset || s[start] != '0' || codes == end {
		return 0, 0
	}
	if digits := hexEnd(s, codes) - codes; digits == 0 || digits >= end-start && s[end] != ':' {
		return 0, 0
	}
	v, err := strconv.ParseUint(string(s[start:end]), 16, 31)
	if err != nil {
		return 0, 0
	}
	return int(v), codes
}

// hexEnd returns the end of the hexadecimal digits at s[i].
func hexEnd(s []byte, i int) int {
	for i < len(s) && isHexDigit[s[i]] {
		i++
	}
	return i
}
