package text

import (
	"encoding/binary"
	"math/bits"
)

// Several decoders search blocks of blockSize bytes, eight bytes at a time, for signs of their
// encoding. Such signs are rare, and a branch for each byte or word would take several times as
// long.
const (
	blockSize = 64

	ones = 0x0101010101010101 // a one in each of eight bytes
	tops = 0x80 * ones        // the top bit of each
)

// wordsIn returns two bit sets for the block of s at i: the bytes that are letters or digits, and
// the bytes that are not ASCII. Bits beyond the end of s are 0.
func wordsIn(s []byte, i int) (alnum, high uint64) {
	if i+blockSize <= len(s) {
		return wordsOf((*[blockSize]byte)(s[i:]))
	}
	var last [blockSize]byte
	copy(last[:], s[i:])
	return wordsOf(&last)
}

func wordsOf(block *[blockSize]byte) (alnum, high uint64) {
	for k := 0; k < blockSize; k += 8 {
		x := binary.LittleEndian.Uint64(block[k:])
		y := x &^ tops
		in := between(y|0x20*ones, 'a', 'z') | between(y, '0', '9')
		if x&tops != 0 {
			in &^= x
			high |= gather(x&tops) << k
		}
		alnum |= gather(in) << k
	}
	return alnum, high
}

// between returns a mask with the top bit of each byte set if the corresponding byte of y is in
// [low, high]. All arguments are ASCII.
func between(y uint64, low, high byte) uint64 {
	return (y + ones*uint64(0x80-low)) &^ (y + ones*uint64(0x7F-high)) & tops
}

// gather packs the top bits of eight bytes, whose other bits are 0, into one byte.
func gather(x uint64) uint64 { return x >> 7 * 0x0102040810204080 >> 56 }

// capitalsAndDigits counts the capitals and digits in s.
func capitalsAndDigits(s []byte) (n int) {
	for ; len(s) >= 8; s = s[8:] {
		x := binary.LittleEndian.Uint64(s)
		y := x &^ tops
		n += bits.OnesCount64((between(y, 'A', 'Z') | between(y, '0', '9')) &^ x)
	}
	for _, b := range s {
		if isCapital(b) || isDigit(b) {
			n++
		}
	}
	return n
}
