package conform

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"math/big"
	"strconv"
)

// The limits on numbers that are compared.
const (
	maxNumber   = 64  // bytes
	maxExponent = 999 // absolute value of the exponent as written
)

// number is an exact JSON number: 0.digits × 10^point. The digits neither begin nor end with 0, and
// the number 0 has no digits.
type number struct {
	digits   [maxNumber]byte
	n        int // number of digits
	point    int
	negative bool
}

// parseNumber parses a number, and reports whether it is within the limits.
func parseNumber(raw []byte) (d number, ok bool) {
	if len(raw) > maxNumber {
		return d, false
	}
	rest, negative := bytes.CutPrefix(raw, []byte("-"))
	fraction, zeros := false, 0 // zeros are significant only if another digit follows
	for len(rest) > 0 && rest[0]|0x20 != 'e' {
		switch b := rest[0]; {
		case b == '.':
			fraction = true
		case b == '0':
			if !fraction && d.n > 0 {
				d.point++
			} else if fraction && d.n == 0 {
				d.point--
			}
			if d.n > 0 {
				zeros++
			}
		default:
			for ; zeros > 0; zeros-- {
				d.digits[d.n] = '0'
				d.n++
			}
			d.digits[d.n] = b
			d.n++
			if !fraction {
				d.point++
			}
		}
		rest = rest[1:]
	}
	ok = true
	if len(rest) > 0 {
		exponent, err := strconv.Atoi(string(rest[1:]))
		ok = err == nil && max(exponent, -exponent) <= maxExponent
		d.point += exponent
	}
	if d.n == 0 {
		return number{}, ok
	}
	d.negative = negative
	return d, ok
}

func (d *number) integer() bool { return d.n <= d.point || d.n == 0 }

// count returns d as a length, capped at the largest int. ok is false if d cannot
// be a length.
func (d *number) count() (n int, ok bool) {
	if !d.integer() || d.negative {
		return 0, false
	}
	for i := range d.point {
		digit := 0
		if i < d.n {
			digit = int(d.digits[i] - '0')
		}
		if n > (math.MaxInt-digit)/10 {
			return math.MaxInt, true
		}
		n = 10*n + digit
	}
	return n, true
}

func (d *number) sign() int {
	switch {
	case d.n == 0:
		return 0
	case d.negative:
		return -1
	}
	return 1
}

// compare orders two numbers as [cmp.Compare] does.
func (d *number) compare(e *number) int {
	sign := d.sign()
	if order := cmp.Compare(sign, e.sign()); order != 0 || sign == 0 {
		return order
	}
	order := cmp.Compare(d.point, e.point)
	if order == 0 {
		order = bytes.Compare(d.digits[:d.n], e.digits[:e.n])
	}
	return sign * order
}

// multiple reports whether d is a multiple of e, which must not be 0.
func (d *number) multiple(e *number) bool {
	shift := d.point - d.n - (e.point - e.n) // d/e is the quotient of the digits × 10^shift
	if d.n == 0 || shift < 0 {
		return d.n == 0 // the last digit of d is not 0, so no power of ten divides its digits
	}
	var a, b big.Int
	a.SetString(string(d.digits[:d.n]), 10)
	b.SetString(string(e.digits[:e.n]), 10)
	var power big.Int
	power.Exp(big.NewInt(10), big.NewInt(int64(shift)), &b)
	return a.Mod(a.Mul(&a, &power), &b).Sign() == 0
}

func (d *number) appendForm(dst []byte) []byte {
	dst = append(dst, byte(d.sign()+1))
	dst = binary.AppendVarint(dst, int64(d.point))
	return appendText(dst, d.digits[:d.n])
}
