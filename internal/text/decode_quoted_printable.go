package text

import "bytes"

// quotedMarks counts the equals signs in s: those that quoted-printable (RFC 2045) uses, as an escape or
// to break a line, and the others. An e-mail has both, because its headers are not encoded.
func quotedMarks(s []byte) (marks, others int) {
	for {
		i := bytes.IndexByte(s, '=')
		if i < 0 {
			return marks, others
		}
		if n := quotedMark(s[i:]); n > 0 {
			marks++
			i += n
		} else {
			others++
			i++
		}
		s = s[i:]
	}
}

// quotedMark returns the length of the quoted-printable escape or soft line break at the start of s, or 0.
func quotedMark(s []byte) int {
	if len(s) > 2 && isHexDigit[s[1]] && isHexDigit[s[2]] {
		return 3
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case ' ', '\t', '\r': // added in transit
			continue
		case '\n':
			return i + 1
		}
		break
	}
	return 0
}

// unquote appends s to out, decoding quoted-printable escapes and removing soft line breaks.
func unquote(out, s []byte) []byte {
	for {
		i := bytes.IndexByte(s, '=')
		if i < 0 {
			return append(out, s...)
		}
		out = append(out, s[:i]...)
		n := quotedMark(s[i:])
		switch {
		case n == 0:
			out, n = append(out, '='), 1
		case s[i+n-1] != '\n':
			out = appendHex(out, s[i+1:i+n])
		}
		s = s[i+n:]
	}
}
