package intent

import "math/bits"

// maxFeatures is the maximum number of distinct features that count in a sentence. Only sentences
// about parameters whose names have thousands of parts exceed it.
const maxFeatures = 1 << 13

// set holds the features of one sentence. It uses only as many slots as the features need, so that
// the slots stay in the processor's cache.
type set struct {
	slots [2 * maxFeatures]uint64 // each holds a round and a feature; slots of earlier rounds count as empty
	round uint64
	mask  uint32
	left  int
}

// clear empties the set and makes room for n features, or for maxFeatures if that is less.
func (s *set) clear(n int) {
	if s.round++; s.round>>32 != 0 {
		*s = set{round: 1}
	}
	s.left = min(n, maxFeatures)
	s.mask = 2<<bits.Len(uint(s.left)) - 1
	s.mask = min(s.mask, uint32(len(s.slots)-1))
}

// add adds a feature, unless the set contains it or is full, and reports whether it did.
func (s *set) add(f uint32) bool {
	key := s.round<<32 | uint64(f)
	for i := f & s.mask; ; i = (i + 1) & s.mask {
		slot := &s.slots[i%uint32(len(s.slots))]
		switch {
		case *slot == key:
			return false
		case *slot>>32 != s.round:
			if s.left--; s.left < 0 {
				return false
			}
			*slot = key
			return true
		}
	}
}
