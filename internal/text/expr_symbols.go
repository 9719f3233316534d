package text

import (
	"iter"
	"math/bits"
)

// symbolSet is a bit set of an automaton's symbols: ASCII characters, and ranges of other
// characters that no instruction distinguishes.
type symbolSet []uint64

// add adds the symbols in the range [from, to).
func (s symbolSet) add(from, to int) {
	for from < to {
		n := min(to-from, 64-from%64)
		s[from/64] |= ^uint64(0) >> (64 - n) << (from % 64)
		from += n
	}
}

// meets reports whether the sets have a symbol in common.
func (s symbolSet) meets(with symbolSet) bool {
	for i, w := range s {
		if w&with[i] != 0 {
			return true
		}
	}
	return false
}

// within reports whether all symbols of s are in set.
func (s symbolSet) within(set symbolSet) bool {
	for i, w := range s {
		if w&^set[i] != 0 {
			return false
		}
	}
	return true
}

// all returns the symbols of s.
func (s symbolSet) all() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, w := range s {
			for ; w != 0; w &= w - 1 {
				if !yield(64*i + bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}

// symbolSets is a list of sets of the same size.
type symbolSets []uint64

// at returns the set with the given index; each set consists of the given number of words.
func (l symbolSets) at(index, words int) symbolSet {
	return symbolSet(l[index*words : (index+1)*words])
}

// split divides each set with symbols both inside and outside the given set into these two parts.
func (l symbolSets) split(by symbolSet) symbolSets {
	words := len(by)
	for k := range len(l) / words {
		of := l.at(k, words)
		if !of.meets(by) || of.within(by) {
			continue
		}
		l = append(l, of...)
		in, out := l.at(len(l)/words-1, words), l.at(k, words)
		for i, w := range by {
			in[i] &= w
			out[i] &^= w
		}
	}
	return l
}
