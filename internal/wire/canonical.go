package wire

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// AppendCanonical appends node i in the canonical form of RFC 8785 (JSON Canonicalization
// Scheme): members sorted by UTF-16 code units, no white space, shortest escapes, numbers as
// ECMAScript prints them.
//
// RFC 8785 leaves some inputs undefined, but inputs that parsers distinguish must not have the
// same form. Therefore, members with the same key keep their order, a lone surrogate stays
// escaped, and an integer that float64 cannot represent keeps its digits.
func (d *Doc) AppendCanonical(dst []byte, i int) []byte {
	switch n := &d.Nodes[i]; n.Kind {
	case String:
		return d.appendCanonicalString(dst, n.Start, n.End, n.flags)
	case Number:
		return appendCanonicalNumber(dst, d.Raw(i))
	case Array:
		dst = append(dst, '[')
		for c := d.First(i); c >= 0; c = d.Next(c) {
			if d.Nodes[c].Index > 0 {
				dst = append(dst, ',')
			}
			dst = d.AppendCanonical(dst, c)
		}
		return append(dst, ']')
	case Object:
		dst = append(dst, '{')
		var few [16]int
		for k, c := range d.AppendSorted(few[:0], i) {
			if k > 0 {
				dst = append(dst, ',')
			}
			dst = d.AppendCanonicalKey(dst, c)
			dst = append(dst, ':')
			dst = d.AppendCanonical(dst, c)
		}
		return append(dst, '}')
	}
	return append(dst, d.Raw(i)...)
}

// AppendCanonicalKey appends the key of node i as a canonical string literal.
func (d *Doc) AppendCanonicalKey(dst []byte, i int) []byte {
	n := &d.Nodes[i]
	return d.appendCanonicalString(dst, n.KeyStart, n.KeyEnd, n.flags>>keyShift)
}

// AppendSorted appends the members of object i in canonical order to members, which is empty.
func (d *Doc) AppendSorted(members []int, i int) []int {
	for c := d.First(i); c >= 0; c = d.Next(c) {
		members = append(members, c)
	}
	var x, y []byte
	slices.SortStableFunc(members, func(a, b int) int {
		x, y = x[:0], y[:0]
		return CompareUTF16(d.Key(a, &x), d.Key(b, &y))
	})
	return members
}

// CompareUTF16 compares strings by UTF-16 code units. The order differs from the order of bytes
// only between a rune above U+FFFF and one from U+E000 to U+FFFF.
func CompareUTF16(a, b []byte) int {
	for len(a) > 0 && len(b) > 0 {
		r, n := utf8.DecodeRune(a)
		s, m := utf8.DecodeRune(b)
		if x, y := firstUnit(r), firstUnit(s); x != y {
			return int(x - y)
		}
		if r != s {
			return int(r - s)
		}
		a, b = a[n:], b[m:]
	}
	return len(a) - len(b)
}

// firstUnit returns the first UTF-16 code unit of r.
func firstUnit(r rune) rune {
	if hi, _ := utf16.EncodeRune(r); hi != utf8.RuneError {
		return hi
	}
	return r
}

func (d *Doc) appendCanonicalString(dst []byte, start, end int32, f Flags) []byte {
	if f&Escaped == 0 {
		return append(dst, d.Data[start:end]...)
	}
	if f&Surrogate != 0 {
		return appendWithSurrogates(dst, d.Data[start:end])
	}
	d.buf = AppendUnquoted(d.buf[:0], d.Data[start:end])
	return AppendString(dst, d.buf)
}

// appendWithSurrogates appends a string literal in canonical form, except that lone surrogates
// stay escaped.
func appendWithSurrogates(dst, lit []byte) []byte {
	dst, lit = append(dst, '"'), lit[1:len(lit)-1]
	var plain []byte
	for {
		i := bytes.IndexByte(lit, '\\')
		if i < 0 {
			return append(append(dst, lit...), '"')
		}
		dst = append(dst, lit[:i]...)
		n, lone, _ := scanEscape(lit[i:])
		if lone {
			dst = append(dst, bytes.ToLower(lit[i:i+n])...)
		} else {
			r, _ := decodeEscape(lit[i:])
			plain = AppendString(plain[:0], utf8.AppendRune(nil, r))
			dst = append(dst, plain[1:len(plain)-1]...)
		}
		lit = lit[i+n:]
	}
}

// AppendString appends s, which must be valid UTF-8, as a JSON string literal with the fewest
// escapes that JSON allows, as RFC 8785 requires.
func AppendString(dst, s []byte) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for _, b := range s {
		switch {
		case b == '"' || b == '\\':
			dst = append(dst, '\\', b)
		case b >= 0x20:
			dst = append(dst, b)
		case b == '\b':
			dst = append(dst, `\b`...)
		case b == '\f':
			dst = append(dst, `\f`...)
		case b == '\n':
			dst = append(dst, `\n`...)
		case b == '\r':
			dst = append(dst, `\r`...)
		case b == '\t':
			dst = append(dst, `\t`...)
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[b>>4], hex[b&15])
		}
	}
	return append(dst, '"')
}

// appendCanonicalNumber formats a number as ECMAScript does, except for numbers beyond the range of
// float64 and integers that float64 cannot represent. These keep their spelling, because Python, Go
// and Java read all digits of an integer. Most parsers ignore the digits of a fraction beyond the
// precision of float64, so these digits are dropped, as RFC 8785 specifies.
func appendCanonicalNumber(dst, raw []byte) []byte {
	digits := bytes.TrimPrefix(raw, []byte("-"))
	integer := plainInteger(digits)
	if integer && len(digits) < 16 && (len(digits) == len(raw) || digits[0] != '0') {
		return append(dst, raw...)
	}
	if _, err := strconv.ParseFloat(string(raw), 64); err != nil {
		return append(dst, raw...) // jsontext would use the largest float64 instead
	}
	v := jsontext.Value(slices.Clone(raw))
	if v.Canonicalize() != nil || integer && !sameInteger(digits, bytes.TrimPrefix(v, []byte("-"))) {
		return append(dst, raw...)
	}
	return append(dst, v...)
}

// sameInteger reports whether the canonical form of a number equals the integer with the given
// digits. The form can have an exponent, as in 1e+21 or 1.23e+21.
func sameInteger(digits, form []byte) bool {
	mantissa, exponent, exponential := bytes.Cut(form, []byte("e+"))
	if !exponential {
		return bytes.Equal(digits, form)
	}
	places, err := strconv.Atoi(string(exponent))
	before, after, _ := bytes.Cut(mantissa, []byte("."))
	return err == nil && len(digits) == len(before)+places && bytes.Equal(bytes.TrimRight(digits, "0"), bytes.TrimRight(slices.Concat(before, after), "0"))
}

func plainInteger(digits []byte) bool { return len(bytes.Trim(digits, "0123456789")) == 0 }
