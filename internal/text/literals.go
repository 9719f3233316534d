package text

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// literalTable finds the anchors of all patterns in one pass. Each anchor is represented by the
// rarest of its grams, which are three or four bytes long. A bitmap of these grams, small enough
// for the processor's L1 cache, rules out most positions of a text. Positions are checked
// independently of each other, which makes this several times as fast as an automaton. It is
// immutable and safe for concurrent use.
type literalTable struct {
	width   int    // of a gram, in bytes
	mask    uint32 // of the bytes of a gram
	bitmap  []uint64
	spread  uint       // right shift that turns a gram's hash into an index into slots
	slots   []gramSlot // hash table with open addressing
	chain   []chained  // anchors of a slot's gram, as linked lists
	anchors []anchor
	same    *[256]byte // form in which bytes are compared
	tiny    []anchor   // anchors more than one byte shorter than a gram, found by their first byte
}

// gramSlot maps a gram to the first of its anchors, as an index into the chain plus one, or zero if
// the slot is empty.
type gramSlot struct{ gram, first uint32 }

// chained is an index into the anchors, and the next link of the same gram in the form of
// [gramSlot].first. Many anchors can share a gram. To rule out most of them without a comparison, a link
// also has the gram at the other end of the anchor, and the distance to it.
type chained struct {
	anchor, next, other uint32
	distance            int32
}

// anchor is a pattern's anchor, and the offset of the anchor's gram.
type anchor struct {
	text    string
	pattern int32
	offset  int32
}

const (
	mostWidth = 4
	mostBits  = 17 // of a bitmap: 16 KB

	// byteValues is the number of values that a byte of a gram can have: one bit is always set.
	byteValues = 256 >> 1

	// mostTiny is the maximum number of anchors that a table of four-byte grams searches for one by
	// one.
	mostTiny = 8

	// blurred makes the letters of a gram lower-case. It also makes some punctuation marks equal;
	// comparing the whole anchor rules out such false matches.
	blurred = 0x2020202020202020

	// scanBlock is the number of positions after which occurrences are sorted and passed on.
	scanBlock = 1 << 10
)

// newLiteralTable returns a table of the anchors of patterns. If foldCase is set, anchors must be
// lower case and are matched case-insensitively (ASCII letters only).
//
// It runs at each start of the program, so it touches little memory: a page that is used for the
// first time costs more than the work on it.
func newLiteralTable(patterns []Pattern, foldCase bool) *literalTable {
	a := &literalTable{same: &exactBytes, width: gramWidth(patterns, foldCase)}
	a.mask = 1<<(8*a.width) - 1
	if foldCase {
		a.same = &lowerBytes
	}
	anchors, grams := 0, 0
	for _, p := range patterns {
		for _, literal := range p.Anchors {
			if n := a.grams(literal); n > 0 {
				anchors, grams = anchors+1, grams+n
			}
		}
	}
	a.allocate(anchors, grams)
	common := pairCounts(patterns)
	for i, p := range patterns {
		for _, literal := range p.Anchors {
			l := anchor{text: literal, pattern: int32(i)}
			switch a.grams(literal) {
			case 0:
				a.tiny = append(a.tiny, l)
			case 1:
				l.offset = int32(rarestGram(literal, a.width, common))
				a.anchors = append(a.anchors, l)
				a.index(a.gramOf(literal, int(l.offset)))
			default:
				a.anchors = append(a.anchors, l)
				for b := range uint32(256) {
					if b == b|blurred&0xff {
						a.index(a.gramOf(literal, 0) | b<<(8*(a.width-1)))
					}
				}
			}
		}
	}
	return a
}

// grams returns the number of grams that an anchor is indexed by: one; for an anchor one byte shorter
// than a gram, all that begin with the anchor; for an even shorter one, none.
func (a *literalTable) grams(literal string) int {
	switch {
	case len(literal) >= a.width:
		return 1
	case len(literal) == a.width-1:
		return byteValues
	}
	return 0
}

// allocate makes room for a number of anchors and of their grams.
func (a *literalTable) allocate(anchors, grams int) {
	const perGram = 32
	size := min(max(bits.Len(uint(perGram*grams)), 6), mostBits)
	a.bitmap = make([]uint64, 1<<(size-6))
	a.spread = uint(32 - bits.Len(uint(2*grams)))
	a.slots = make([]gramSlot, 1<<(32-a.spread))
	a.anchors, a.chain = make([]anchor, 0, anchors), make([]chained, 0, grams)
}

// index adds a gram of the last anchor to the bitmap and the hash table.
func (a *literalTable) index(gram uint32) {
	h := hashGram(gram)
	word, bit := bitAt(a.bitmap, h)
	a.bitmap[word] |= 1 << bit
	at := h >> a.spread
	for a.slots[at].first != 0 && a.slots[at].gram != gram {
		at = (at + 1) & uint32(len(a.slots)-1)
	}
	c := chained{anchor: uint32(len(a.anchors) - 1), next: a.slots[at].first, other: gram}
	if l := a.anchors[c.anchor]; len(l.text) >= a.width {
		other := int32(len(l.text) - a.width)
		if other == l.offset {
			other = 0
		}
		c.other, c.distance = a.gramOf(l.text, int(other)), other-l.offset
	}
	a.chain = append(a.chain, c)
	a.slots[at] = gramSlot{gram, uint32(len(a.chain))}
}

// gramWidth returns four, or three if too many anchors are too short for grams of four bytes. It
// also returns three if foldCase is set, because anchors found by their first byte are found in one
// case only.
func gramWidth(patterns []Pattern, foldCase bool) int {
	tiny := 0
	if foldCase {
		return mostWidth - 1
	}
	for _, p := range patterns {
		for _, literal := range p.Anchors {
			if len(literal) < mostWidth-1 {
				tiny++
			}
		}
	}
	if tiny > mostTiny {
		return mostWidth - 1
	}
	return mostWidth
}

func hashGram(gram uint32) uint32 { return gram * 0x9E3779B1 }

// bitAt returns the position of the bit for a hashed gram. Shifts by constants are faster than shifts
// that depend on the size of the bitmap.
func bitAt(bitmap []uint64, h uint32) (word, bit uint32) {
	return h >> (32 - mostBits) & uint32(len(bitmap)-1), h >> (32 - 6)
}

// bitOf returns the bit for a gram.
func bitOf(bitmap []uint64, gram uint32) uint64 {
	word, bit := bitAt(bitmap, hashGram(gram))
	return bitmap[word] >> bit & 1
}

// gramOf returns the gram of s at offset at, which is shorter if s ends within it.
func (a *literalTable) gramOf(s string, at int) uint32 {
	gram := uint32(0)
	for i, b := range []byte(s[at:min(at+a.width, len(s))]) {
		gram |= uint32(b|blurred&0xff) << (8 * i)
	}
	return gram
}

// pairs counts pairs of bytes by their low bits, which differ between letters.
type pairs [1 << 10]uint16

func pairOf(a, b byte) int { return int(a&31)<<5 | int(b&31) }

// pairCounts returns how often each pair of bytes occurs in the anchors. The anchors are mostly
// English phrases, so a pair that is common in them is common in ordinary text.
func pairCounts(patterns []Pattern) *pairs {
	counts := new(pairs)
	for _, p := range patterns {
		for _, literal := range p.Anchors {
			for i := 1; i < len(literal); i++ {
				counts[pairOf(literal[i-1], literal[i])]++
			}
		}
	}
	return counts
}

// rarestGram returns the offset of the gram of s that is rarest in ordinary text, assuming that
// each byte depends only on the one before it.
func rarestGram(s string, width int, counts *pairs) (at int) {
	least := float32(0)
	for i := 0; i+width <= len(s); i++ {
		common := float32(1)
		for k := i + 1; k < i+width; k++ {
			common *= 1 + float32(counts[pairOf(s[k-1], s[k])])
			if k > i+1 {
				common /= float32(commonness[s[k-1]])
			}
		}
		if i == 0 || common < least {
			at, least = i, common
		}
	}
	return at
}

// commonness estimates how often a byte occurs in text, in thousandths; letters have their
// frequency in English.
var commonness = func() (t [256]int) {
	for b := range t {
		t[b] = 3
	}
	t[' '], t['\n'] = 170, 20
	for i, b := range []byte("etaoinsrhldcumfpgwybvkxjqz") {
		t[b] = [...]int{100, 74, 66, 62, 59, 58, 53, 50, 46, 35, 32, 24, 23, 21, 19, 17, 17, 16, 15, 12, 9, 7, 3, 2, 2, 2}[i]
	}
	return t
}()

var (
	exactBytes = func() (t [256]byte) {
		for b := range t {
			t[b] = byte(b)
		}
		return t
	}()
	lowerBytes = func() (t [256]byte) {
		for b := range t {
			t[b] = lower(byte(b))
		}
		return t
	}()
)

// occurrence is a position at which an anchor occurs.
type occurrence struct{ pattern, start, end int32 }

// scan calls the function found for every anchor occurrence in t, in order of end position, the
// longest first.
func (a *literalTable) scan(t []byte, found func(pattern, start, end int)) {
	var small [64]occurrence
	waiting := small[:0]
	for at := 0; at < len(t); at += scanBlock {
		end := min(at+scanBlock, len(t))
		waiting = a.within(t, at, end, waiting)
		slices.SortStableFunc(waiting, func(x, y occurrence) int {
			return cmp.Or(cmp.Compare(x.end, y.end), cmp.Compare(x.start, y.start), cmp.Compare(x.pattern, y.pattern))
		})
		sorted := 0
		for ; sorted < len(waiting) && (int(waiting[sorted].end) <= end || end == len(t)); sorted++ { // all occurrences in later blocks end later
			o := waiting[sorted]
			found(int(o.pattern), int(o.start), int(o.end))
		}
		waiting = append(waiting[:0], waiting[sorted:]...)
	}
}

// within appends the occurrences of anchors in t that begin in t[from:to], or whose gram does, in no
// particular order.
func (a *literalTable) within(t []byte, from, to int, found []occurrence) []occurrence {
	found = a.block(t, from, to, found)
	for _, l := range a.tiny {
		found = a.one(t, from, to, l, found)
	}
	return found
}

// one appends the occurrences of an anchor that begin in t[from:to].
func (a *literalTable) one(t []byte, from, to int, l anchor, found []occurrence) []occurrence {
	for i := from; i < to; i++ {
		n := bytes.IndexByte(t[i:to], l.text[0])
		if n < 0 {
			break
		}
		i += n
		if end := i + len(l.text); end <= len(t) && a.equal(t[i:end], l.text) {
			found = append(found, occurrence{l.pattern, int32(i), int32(end)})
		}
	}
	return found
}

// block appends the occurrences of anchors whose grams begin in t[from:to].
func (a *literalTable) block(t []byte, from, to int, found []occurrence) []occurrence {
	step := 8 - a.width + 1 // grams in eight bytes
	bitmap, mask := a.bitmap, a.mask
	whole := uint64(1)<<step - 1
	i := from
	for ; i < to && i+8 <= len(t); i += step {
		w := binary.LittleEndian.Uint64(t[i:]) | blurred
		b0, b1, b2 := bitOf(bitmap, uint32(w)&mask), bitOf(bitmap, uint32(w>>8)&mask), bitOf(bitmap, uint32(w>>16)&mask)
		b3, b4, b5 := bitOf(bitmap, uint32(w>>24)&mask), bitOf(bitmap, uint32(w>>32)&mask), bitOf(bitmap, uint32(w>>40))
		hits := (b0 | b1<<1 | b2<<2 | b3<<3 | b4<<4 | b5<<5) & whole
		for ; hits != 0; hits &= hits - 1 {
			k := bits.TrailingZeros64(hits)
			if i+k < to {
				found = a.at(t, i+k, uint32(w>>(8*k))&mask, found)
			}
		}
	}
	for ; i < to; i++ {
		gram := uint32(0)
		for k := range a.width {
			b := uint32(0) // past the end, any byte will do: a short anchor has an entry for each
			if i+k < len(t) {
				b = uint32(t[i+k])
			}
			gram |= (b | blurred&0xff) << (8 * k)
		}
		found = a.at(t, i, gram, found)
	}
	return found
}

// at appends the occurrences of anchors whose gram is at t[i].
func (a *literalTable) at(t []byte, i int, gram uint32, found []occurrence) []occurrence {
	for at := hashGram(gram) >> a.spread; ; at = (at + 1) & uint32(len(a.slots)-1) {
		slot := &a.slots[at]
		if slot.first == 0 {
			return found
		}
		if slot.gram != gram {
			continue
		}
		for k := slot.first; k != 0; k = a.chain[k-1].next {
			c := &a.chain[k-1]
			if other := i + int(c.distance); other >= 0 && other+mostWidth <= len(t) && (binary.LittleEndian.Uint32(t[other:])|blurred&math.MaxUint32)&a.mask != c.other {
				continue
			}
			l := &a.anchors[c.anchor]
			start := i - int(l.offset)
			if start < 0 || start+len(l.text) > len(t) || !a.equal(t[start:start+len(l.text)], l.text) {
				continue
			}
			found = append(found, occurrence{l.pattern, int32(start), int32(start + len(l.text))})
		}
		return found
	}
}

func (a *literalTable) equal(t []byte, literal string) bool {
	if a.same == &exactBytes {
		return string(t) == literal
	}
	for i := range len(literal) {
		if a.same[t[i]] != literal[i] {
			return false
		}
	}
	return true
}
