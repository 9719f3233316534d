package text

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"regexp/syntax"
	"slices"
	"sync"
	"sync/atomic"
)

// dfa runs an automaton deterministically, creating its states on demand. A state is a list of
// instructions, in order of priority if the dfa is ordered. A dfa takes two nanoseconds per byte
// once its states exist; running the expression itself takes fifty. It is safe for concurrent use:
// all searches share the states, and only searches that need a new state wait for each other.
type dfa struct {
	*automaton
	ordered bool // keeps thread priority and drops threads after a match: finds the match of the expression, not just any
	search  bool // a match may begin anywhere
	current atomic.Pointer[view]

	mu        sync.Mutex // guards the rest
	known     *states
	resetting bool // known has no start states yet
	key       []byte
	from      dfaState
	set       []uint32
	seen      []uint64 // by instruction: the last step that reached it
	step      uint64
	stack     []uint32
	spent     int // bytes of table beyond maxStates, charged to tableBytes
}

// states are the states created since the last reset. State 0 is unused, because 0 means unknown;
// the next is the dead state, and those after it are the start states.
type states struct {
	next []int32 // state*classes+class -> next state, unknown, or negated if a match ended before the class

	// The encoded states. They are in one slice, because there are tens of thousands and an allocation for
	// each would take more memory; slots is a hash table of them with open addressing.
	keys  []byte
	ends  []int32 // by number: the end of the state in keys
	slots []int32 // numbers of states; zero if a slot is free
	seed  maphash.Seed
}

// key returns the encoded state with the given number.
func (s *states) key(number int) []byte {
	from := int32(0)
	if number > 0 {
		from = s.ends[number-1]
	}
	return s.keys[from:s.ends[number]]
}

// find returns the number of the state with the given encoding, or zero if there is none, and the slot
// that contains the number or is free for it.
func (s *states) find(key []byte) (number, slot int) {
	last := len(s.slots) - 1
	for slot = int(maphash.Bytes(s.seed, key)) & last; s.slots[slot] != 0; slot = (slot + 1) & last {
		if number = int(s.slots[slot]); bytes.Equal(s.key(number), key) {
			return number, slot
		}
	}
	return 0, slot
}

func (s *states) grow() {
	s.slots = make([]int32, max(16, 2*len(s.slots)))
	for number := 1; number < len(s.ends); number++ {
		_, slot := s.find(s.key(number))
		s.slots[slot] = int32(number)
	}
}

// view is the part of the states that a search sees. Its rows have room for states that are added
// later; a state that no longer fits requires a new view. Searches read transitions atomically.
type view struct {
	of   *states
	next []int32
}

// cursor is a state in a view.
type cursor struct {
	in    *view
	state int32
}

// dfaState consists of the context before the current position, whether a match may begin there,
// and a list of instructions.
type dfaState struct {
	before uint8
	search bool
	at     []uint32
}

// write appends the encoded state to key.
func (s *dfaState) write(key []byte) []byte {
	first := s.before << 1
	if s.search {
		first++
	}
	key = append(key, first)
	for _, pc := range s.at {
		key = binary.AppendUvarint(key, uint64(pc))
	}
	return key
}

// read decodes a key, reusing the memory of the state's list.
func (s *dfaState) read(key []byte) {
	s.before, s.search, s.at = key[0]>>1, key[0]&1 != 0, s.at[:0]
	for i := 1; i < len(key); {
		pc, shift := uint32(0), 0
		for ; key[i] >= 0x80; i, shift = i+1, shift+7 {
			pc |= uint32(key[i]&0x7f) << shift
		}
		s.at = append(s.at, pc|uint32(key[i])<<shift)
		i++
	}
}

const (
	unknown = 0 // a transition that has not been computed

	// maxStates, and maxTables in bytes, limit the memory for states. If an expression exceeds them,
	// all its states are discarded; the work per byte is bounded by the expression either way. An
	// expression may exceed maxStates as long as the excess of all expressions together stays
	// within maxTables.
	maxStates = 256
	maxTables = 6 << 20
)

// tableBytes is the memory taken by all states beyond maxStates.
var tableBytes atomic.Int64

func newDFA(a *automaton, ordered, search bool) *dfa {
	d := &dfa{automaton: a, ordered: ordered, search: search, seen: make([]uint64, len(a.insts))}
	d.reset()
	return d
}

// reset discards all states. Running searches switch to new states. New searches do not take the
// lock, so the new states become visible only once the start states exist.
func (d *dfa) reset() {
	d.known, d.resetting = &states{seed: maphash.MakeSeed()}, true
	d.add(nil)
	d.known.grow()
	d.intern(dfaState{})
	for kind := range uint8(kindsOfAfter) {
		d.intern(dfaState{kind, d.search, []uint32{d.begin}})
	}
	d.resetting = false
	d.show()
}

// show makes the states visible to searches.
func (d *dfa) show() {
	k := d.known
	d.current.Store(&view{k, k.next[:cap(k.next)]})
}

// add adds a state and returns its offset in next.
func (d *dfa) add(key []byte) int32 {
	k := d.known
	place, room := int32(len(k.next)), cap(k.next)
	k.keys = append(k.keys, key...)
	k.ends = append(k.ends, int32(len(k.keys)))
	k.next = append(k.next, make([]int32, d.classes)...)
	if cap(k.next) != room && !d.resetting {
		d.show()
	}
	return place
}

// dead returns the state from which no match can be reached.
func (d *dfa) dead() int32 { return int32(d.classes) }

// startAfter returns the start state for a text that follows the given context.
func (d *dfa) startAfter(kind uint8) cursor {
	return cursor{d.current.Load(), int32(d.classes) * (2 + int32(kind))}
}

// start returns the start state for the beginning of a text.
func (d *dfa) start() cursor { return d.startAfter(afterNothing) }

// intern returns the offset of a state in next, adding it if necessary.
func (d *dfa) intern(s dfaState) int32 {
	if len(s.at) == 0 && !s.search {
		s.before = afterOther
	}
	d.key = s.write(d.key[:0])
	k := d.known
	number, slot := k.find(d.key)
	if number != 0 {
		return int32(number * d.classes)
	}
	k.slots[slot] = int32(len(k.ends))
	place := d.add(d.key)
	if 2*len(k.ends) > len(k.slots) {
		k.grow()
	}
	return place
}

// full reports whether no more states may be added.
func (d *dfa) full() bool {
	if len(d.known.ends) < maxStates {
		return false
	}
	const indexed = 20 // bytes of a state besides its row and key
	need := (len(d.known.ends)+1-maxStates)*(4*d.classes+indexed) + len(d.known.keys)
	if need <= d.spent {
		return false
	}
	need += need/4 + 4096
	if tableBytes.Add(int64(need-d.spent)) > maxTables {
		tableBytes.Add(int64(d.spent - need))
		return true
	}
	d.spent = need
	return false
}

// follow computes the state after a character of class c. The result is negated if a match ended
// before that character.
func (d *dfa) follow(at cursor, c uint8) (to int32, in *view) {
	d.mu.Lock()
	defer d.mu.Unlock()
	from := &d.from
	from.read(at.in.of.key(int(at.state) / d.classes))
	noticed := c != d.lastStart() && d.reach(from, c)
	to, room := d.dead(), true
	if c != d.textEnd() {
		if room = !d.full(); !room {
			d.reset()
		}
		if c == d.lastStart() {
			to = d.intern(d.settled(from))
		} else {
			to = d.intern(dfaState{d.after[c], from.search && !(d.ordered && noticed), d.set})
		}
	}
	if noticed {
		to = -to
	}
	if room && at.in.of == d.known {
		atomic.StoreInt32(&d.known.next[at.state+int32(c)], to)
	}
	return to, d.current.Load()
}

// settled returns the state that replaces the given one if no match may begin after the current position.
func (d *dfa) settled(from *dfaState) dfaState {
	d.set = append(append(d.set[:0], from.at...), d.begin)
	slices.Sort(d.set)
	return dfaState{from.before, false, slices.Compact(d.set)}
}

// reach fills d.set with the instructions that the threads of a state reach by reading a class, and
// reports whether a match ends before it.
func (d *dfa) reach(from *dfaState, c uint8) (noticed bool) {
	d.set, d.stack = d.set[:0], d.stack[:0]
	if from.search {
		d.stack = append(d.stack, d.begin)
	}
	for _, pc := range slices.Backward(from.at) {
		d.stack = append(d.stack, pc)
	}
	d.step++
	flags := d.assertions(from.before, c)
	for len(d.stack) > 0 {
		pc := d.stack[len(d.stack)-1]
		d.stack = d.stack[:len(d.stack)-1]
		if d.seen[pc] == d.step {
			continue
		}
		d.seen[pc] = d.step
		switch inst := &d.insts[pc]; inst.op {
		case syntax.InstMatch:
			if noticed = true; d.ordered {
				d.stack = d.stack[:0]
			}
		case syntax.InstAlt, syntax.InstAltMatch:
			d.stack = append(d.stack, inst.arg, inst.out)
		case syntax.InstCapture, syntax.InstNop:
			d.stack = append(d.stack, inst.out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.arg)&^flags == 0 {
				d.stack = append(d.stack, inst.out)
			}
		case syntax.InstFail:
		default:
			if d.accepts[inst.arg].has(c) {
				d.set = append(d.set, inst.out)
			}
		}
	}
	if !d.ordered {
		slices.Sort(d.set)
		d.set = slices.Compact(d.set)
	}
	return noticed
}

// assertions returns the zero-width assertions that hold between the context before a position and
// the class that follows it.
func (a *automaton) assertions(before, c uint8) syntax.EmptyOp {
	var flags syntax.EmptyOp
	end := c == a.textEnd()
	switch before {
	case afterNothing:
		flags |= syntax.EmptyBeginText | syntax.EmptyBeginLine
	case afterLine:
		flags |= syntax.EmptyBeginLine
	}
	switch {
	case end:
		flags |= syntax.EmptyEndText | syntax.EmptyEndLine
	case a.after[c] == afterLine:
		flags |= syntax.EmptyEndLine
	}
	if (before == afterWord) != (a.after[c] == afterWord) {
		return flags | syntax.EmptyWordBoundary
	}
	return flags | syntax.EmptyNoWordBoundary
}

// ends reports whether a match ends at the end of a text that ends in this state.
func (d *dfa) ends(at cursor) bool {
	end := d.textEnd()
	to := atomic.LoadInt32(&at.in.next[at.state+int32(end)])
	if to == unknown {
		to, _ = d.follow(at, end)
	}
	return to < 0
}
