package intent

import "sync"

// filter is a bit set that rules out most features that a model does not know. It is much smaller
// than the model's table, where each search misses the cache.
type filter [1 << (filterBits - 6)]uint64

const (
	filterBits = 21
	blockBits  = 8 // binary logarithm of the slots of a block
)

var embeddedFilter = sync.OnceValue(func() *filter { return newFilter(Embedded()) })

// filter returns the filter of the model.
func (m Model) filter() *filter {
	if m == Embedded() {
		return embeddedFilter()
	}
	return newFilter(m)
}

// newFilter marks each tag in the table together with the blocks of slots where a search for it may
// start: those from the beginning of its run of occupied slots, which may wrap around the end of
// the table.
func newFilter(m Model) *filter {
	f, slots := new(filter), m.slots()
	start := uint32(0)
	for n := slots; n > 0 && m.tag((start+slots-1)%slots) != 0; n-- {
		start = (start + slots - 1) % slots
	}
	last := (slots - 1) >> blockBits
	for at := range slots {
		tag := m.tag(at)
		if tag == 0 {
			start = at + 1
			continue
		}
		for block := start >> blockBits; ; block++ {
			if block > last {
				block = 0
			}
			i := f.bit(tag, block)
			f[i/64] |= 1 << (i % 64)
			if block == at>>blockBits {
				break
			}
		}
	}
	return f
}

// bit returns the bit of a tag and a block.
func (f *filter) bit(tag uint16, block uint32) uint32 {
	return (uint32(tag)*2654435761 ^ block*2246822519) >> (32 - filterBits)
}

// mayKnow returns 0 if the model certainly does not know the feature, otherwise 1.
func (m Model) mayKnow(f *filter, feature uint32) int {
	at, tag := slot(feature, m.slots())
	i := f.bit(tag, at>>blockBits)
	return int(f[i/64] >> (i % 64) & 1)
}
