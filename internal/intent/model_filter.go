package intent

// filter holds bits that identify most of the features that do not raise a score: those that a
// model does not know, and those with a weight of zero or less. It is part of the model's table, and
// much smaller than the slots, in which every search misses the cache.
type filter string

// A search in the table has a hash, which determines where it starts, and a tag. Each bit of the
// filter stands for all searches with the same highest blockBits bits of the hash and the same
// lowest tagBits bits of the tag.
const (
	filterBits  = 21
	filterBytes = 1 << (filterBits - 3)
	blockBits   = 11
	tagBits     = filterBits - blockBits
)

// writeFilter sets the bits of all searches that find a positive weight. A search that finds a tag
// starts between the first slot of the run of occupied slots that contains the tag and the tag's
// own slot. The run may wrap around the end of the table.
func (m Model) writeFilter(bits []byte) {
	slots := m.slots()
	for at := range slots {
		if int8(m.slot(at)[2]) <= 0 {
			continue
		}
		start := at
		for n := slots; n > 0 && m.tag(previousSlot(start, slots)) != 0; n-- {
			start = previousSlot(start, slots)
		}
		tag := m.tag(at)
		if start > at {
			markSearches(bits, tag, start, slots-1, slots)
			start = 0
		}
		markSearches(bits, tag, start, at, slots)
	}
}

// previousSlot returns the slot before the given one; before slot 0 comes the last slot.
func previousSlot(at, slots uint32) uint32 {
	if at == 0 {
		return slots - 1
	}
	return at - 1
}

// markSearches sets the bits of a tag for the searches that start at the given slots.
func markSearches(bits []byte, tag uint16, first, last, slots uint32) {
	perSlot := ^uint64(0) / uint64(slots) // number of hashes per slot, in units of 1/2^32, rounded down
	from := uint64(first) * perSlot >> (64 - blockBits)
	to := (uint64(last) + 1) * (perSlot + 1) >> (64 - blockBits)
	for block := from; block <= min(to, 1<<blockBits-1); block++ {
		i := uint32(block)<<tagBits | uint32(tag)&(1<<tagBits-1)
		bits[i/8] |= 1 << (i % 8)
	}
}

// mayRaise returns 0 if a feature's weight is certainly not positive, otherwise 1.
func (f filter) mayRaise(feature uint32) int {
	i := searchHash(feature)>>(32-blockBits)<<tagBits | feature&(1<<tagBits-1)
	return int(f[i/8] >> (i % 8) & 1)
}
