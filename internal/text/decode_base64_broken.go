package text

import (
	"bytes"
	"slices"
)

// value64 maps each character of the base64 alphabets to its value plus one.
var value64 = func() (t [256]byte) {
	for i, b := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		t[b] = byte(i) + 1
	}
	t['-'], t['_'] = t['+'], t['/']
	return
}()

// values64 appends the values of the base64 characters of s, ignoring any other characters between
// them.
func values64(out, s []byte) []byte {
	n := len(out)
	out = slices.Grow(out, len(s))[:n+len(s)]
	for _, b := range s {
		v := value64[b]
		out[n] = v - 1
		if v != 0 {
			n++
		}
	}
	return out[:n]
}

// from64 appends the bytes that the values of base64 characters encode. out may use the memory of
// values.
func from64(out, values []byte) []byte {
	for ; len(values) >= 4; values = values[4:] {
		bits := uint32(values[0])<<18 | uint32(values[1])<<12 | uint32(values[2])<<6 | uint32(values[3])
		out = append(out, byte(bits>>16), byte(bits>>8), byte(bits))
	}
	switch len(values) {
	case 2:
		out = append(out, values[0]<<2|values[1]>>4)
	case 3:
		out = append(out, values[0]<<2|values[1]>>4, values[1]<<4|values[2]>>2)
	}
	return out
}

// A block of mixedBlock bytes is tried as base64 if it has at least leastMixed capitals and digits: in
// base64 of text, about half of the characters are capitals or digits; in prose, almost none are.
const (
	mixedBlock = 64
	leastMixed = 14
)

// decodeBroken decodes base64 that is broken into lines or groups, anywhere in s. Surrounding
// prose, read as base64, does not decode to text. Text that was already decoded from one of the
// runs is not yielded again.
func decodeBroken(s []byte, runs []Hidden, yield func(Hidden)) {
	values, buf := scratches.Get().(*[]byte), scratches.Get().(*[]byte)
	defer putScratch(values)
	defer putScratch(buf)
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
		for len(runs) > 0 && runs[0].End <= start {
			runs = runs[1:]
		}
		*values = values64((*values)[:0], s[start:end])
		for skip := range min(4, len(*values)) {
			*buf = from64(slices.Grow((*buf)[:0], 3*len(*values)/4), (*values)[skip:])
			if t := amongBytes(*buf); t != nil && !known(runs, end, t) {
				yield(Hidden{Start: start, End: end, Via: "base64", Text: t})
			}
		}
	}
}

// known reports whether t is text from one of the runs, with few other bytes around it.
func known(runs []Hidden, end int, t []byte) bool {
	middle := t[max(len(t)/2-minDecoded/2, 0):min(len(t)/2+minDecoded/2, len(t))]
	for _, run := range runs {
		if run.Start >= end {
			break
		}
		if len(t) <= len(run.Text)+2*window && bytes.Contains(run.Text, middle) {
			return true
		}
	}
	return false
}

// isMixed reports whether the block of s at i may contain base64.
func isMixed(s []byte, i int) bool {
	block := s[i:min(i+mixedBlock, len(s))]
	return capitalsAndDigits(block) >= min(leastMixed, len(block)/4)
}

// Reads64 reports whether s is base64 of readable text, or too short to tell.
func Reads64(s []byte) bool {
	b := values64(nil, s)
	b = from64(b[:0], b)
	return len(b) < minDecoded && len(s) < 2*minRun || isShown(b) || readable(b) != nil
}
