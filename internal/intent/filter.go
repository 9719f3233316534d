package intent

import "sync"

// filter holds bits that identify most of the features that do not raise a score: those that a
// model does not know, and those with a weight of zero or less. It is much smaller than the model's
// table, in which every search misses the cache.
type filter [1 << (filterBits - 6)]uint64

// Each bit stands for a block of searches, given by the highest bits of the hash from which a
// search starts, combined with the lowest bits of the tag.
const (
	filterBits = 21
	blockBits  = 11
	tagBits    = filterBits - blockBits
)

var embeddedFilter = sync.OnceValue(func() *filter { return newFilter(Embedded()) })

// filter returns the filter of the model.
func (m Model) filter() *filter {
	if m == Embedded() {
		return embeddedFilter()
	}
	return newFilter(m)
}

// newFilter marks each tag with a positive weight together with the blocks of the searches that
// find it. These start anywhere from the beginning of its run of occupied slots, which may be at
// the end of the table.
func newFilter(m Model) *filter {
	f, slots := new(filter), m.slots()
	for at := range slots {
		s := m.table[headerBytes+slotBytes*int(at):][:slotBytes]
		if int8(s[2]) <= 0 {
			continue
		}
		start := at
		for n := slots; n > 0 && m.tag(before(start, slots)) != 0; n-- {
			start = before(start, slots)
		}
		tag := m.tag(at)
		if start > at {
			f.mark(tag, start, slots-1, slots)
			start = 0
		}
		f.mark(tag, start, at, slots)
	}
	return f
}

// before returns the slot before a slot.
func before(at, slots uint32) uint32 {
	if at == 0 {
		return slots - 1
	}
	return at - 1
}

// mark sets the bits of a tag for the searches that start at the given slots.
func (f *filter) mark(tag uint16, first, last, slots uint32) {
	perSlot := ^uint64(0) / uint64(slots) // of the hashes, in units of 1/2^32, rounded down
	from := uint64(first) * perSlot >> (64 - blockBits)
	to := (uint64(last) + 1) * (perSlot + 1) >> (64 - blockBits)
	for block := from; block <= min(to, 1<<blockBits-1); block++ {
		i := uint32(block)<<tagBits | uint32(tag)&(1<<tagBits-1)
		f[i/64] |= 1 << (i % 64)
	}
}

// mayRaise returns 0 only if the weight of a feature is not positive, otherwise 1.
func (f *filter) mayRaise(feature uint32) int {
	i := searchHash(feature)>>(32-blockBits)<<tagBits | feature&(1<<tagBits-1)
	return int(f[i/64] >> (i % 64) & 1)
}
