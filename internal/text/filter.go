package text

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"sync/atomic"
	"unicode/utf8"
)

// dfa runs an automaton over texts: deterministically, by states that are made when they
// are first met. A state is a list of instructions, in the order of their priority where
// it is ordered. It costs two nanoseconds for each byte once its states are known, where
// the expression itself costs fifty.
type dfa struct {
	*automaton
	ordered bool // keeps the order of its threads, and drops those behind one that matches: it finds the match of the expression, not any
	search  bool // a match may begin anywhere
	ids     map[string]int32
	states  []string // by number: what dfaState reads
	next    []int32  // state*classes+class -> state, unknown, or minus the state where a match ended ahead of the class
	key     []byte
	from    dfaState
	set     []uint32
	seen    []uint64 // by instruction: the step that came to it last
	step    uint64
	stack   []uint32
	spent   int // bytes of table beyond maxStates that are charged to tableBytes
}

// dfaState is the text before the place, whether matches may begin there, and a list of
// instructions. It is kept as a string, which is its key as well: there are thousands.
type dfaState struct {
	before uint8
	search bool
	at     []uint32
}

// write appends the key of a state.
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

// read reads a key. The state keeps the memory of its list.
func (s *dfaState) read(key string) {
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
	unknown = 0
	matched = -1

	// maxStates and maxTables bound the memory of states. Where more are met, all
	// of an expression are forgotten: the work for a byte is bounded by the expression
	// either way. Beyond maxStates an expression may have more as long as those of all
	// expressions together are within maxTables.
	maxStates = 256
	maxTables = 12 << 20
)

// tableBytes is what all states beyond maxStates take.
var tableBytes atomic.Int64

func newDFA(a *automaton, ordered, search bool) *dfa {
	d := &dfa{automaton: a, ordered: ordered, search: search, seen: make([]uint64, len(a.insts))}
	d.reset()
	return d
}

// reset forgets all states. The first is none, because its place means unknown; the
// second is the one that no match comes behind, and the next are those that texts begin in.
func (d *dfa) reset() {
	d.ids = map[string]int32{}
	d.states, d.next = d.states[:0], d.next[:0]
	d.add("")
	d.intern(dfaState{})
	for kind := range uint8(kindsOfAfter) {
		first := dfaState{kind, d.search, []uint32{d.begin}}
		d.add(string(first.write(nil)))
	}
}

// add adds a state, and returns its place in next.
func (d *dfa) add(key string) int32 {
	place := int32(len(d.next))
	d.states = append(d.states, key)
	d.next = append(d.next, make([]int32, d.classes)...)
	return place
}

// dead is the state that no match comes behind.
func (d *dfa) dead() int32 { return int32(d.classes) }

// startBehind returns the state of a text that begins behind another.
func (d *dfa) startBehind(kind uint8) int32 { return int32(d.classes) * (2 + int32(kind)) }

// start returns the state at the beginning of a text.
func (d *dfa) start() int32 { return d.startBehind(afterNothing) }

// intern returns the place in next of a state.
func (d *dfa) intern(s dfaState) int32 {
	if len(s.at) == 0 && !s.search {
		s.before = afterOther
	}
	d.key = s.write(d.key[:0])
	if place, ok := d.ids[string(d.key)]; ok {
		return place
	}
	key := string(d.key)
	place := d.add(key)
	d.ids[key] = place
	return place
}

// full reports that no state may be added.
func (d *dfa) full() bool {
	if len(d.states) < maxStates {
		return false
	}
	const others = 256 // bytes of a state beside its row
	need := (len(d.states) + 1 - maxStates) * (4*d.classes + others)
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

// follow makes the state behind another that reads a class.
func (d *dfa) follow(state int32, c uint8) int32 {
	from := &d.from
	from.read(d.states[int(state)/d.classes])
	noticed := d.reach(from, c)
	to, room := d.dead(), true
	if int(c) < d.classes-1 {
		if room = !d.full(); !room {
			d.reset()
		}
		to = d.intern(dfaState{d.after[c], from.search && !(d.ordered && noticed), d.set})
	}
	if noticed {
		to = -to
	}
	if room {
		d.next[state+int32(c)] = to
	}
	return to
}

// reach puts into the set where the threads of a state go to by a class, and reports
// whether a match ends ahead of it.
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

// assertions returns what holds between the text before a place and the class that
// follows it.
func (a *automaton) assertions(before, c uint8) syntax.EmptyOp {
	var flags syntax.EmptyOp
	end := int(c) == a.classes-1
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

// to returns the state behind another that reads a class.
func (d *dfa) to(state int32, c uint8) int32 {
	if to := d.next[state+int32(c)]; to != unknown {
		return to
	}
	return d.follow(state, c)
}

// ends reports whether a match ends at the end of a text that ends in this state.
func (d *dfa) ends(state int32) bool { return d.to(state, uint8(d.classes-1)) < 0 }

// run returns the state behind t, or matched as soon as a match has ended, and how far
// it has read. A state is good until the next call.
func (d *dfa) run(state int32, t []byte) (to int32, read int) {
	next, ascii := d.next, &d.ascii
	for i := 0; i < len(t); {
		var c uint8
		n := 1
		if b := t[i]; b < utf8.RuneSelf {
			c = ascii[b]
		} else {
			c, n = d.classAt(t[i:])
		}
		to = next[state+int32(c)]
		if to <= 0 {
			if to == unknown {
				to = d.follow(state, c)
				next = d.next
			}
			if to < 0 {
				return matched, i // a match is noticed at the text after it
			}
		}
		state = to
		i += n
	}
	return state, len(t)
}

// first returns where in t a match has ended first: no other ends ahead of it.
func (d *dfa) first(t []byte) (end int, ok bool) {
	state, end := d.run(d.start(), t)
	return end, state == matched || d.ends(state)
}

// mayMatch reports false only where the expression does not match t.
func (d *dfa) mayMatch(t []byte) bool {
	_, ok := d.first(t)
	return ok
}

// last returns the end of the last match that is noticed before no other can be: in an
// ordered search that of the match of the expression; -1 for none.
func (d *dfa) last(t []byte) (end int) {
	end = -1
	state, dead := d.start(), d.dead()
	next, ascii := d.next, &d.ascii
	for i := 0; i < len(t); {
		var c uint8
		n := 1
		if b := t[i]; b < utf8.RuneSelf {
			c = ascii[b]
		} else {
			c, n = d.classAt(t[i:])
		}
		to := next[state+int32(c)]
		if to <= dead {
			if to == unknown {
				to = d.follow(state, c)
				next = d.next
			}
			if to < 0 {
				end, to = i, -to
			}
			if to == dead {
				return end
			}
		}
		state = to
		i += n
	}
	if d.ends(state) {
		end = len(t)
	}
	return end
}

// back runs the automaton of a reversed expression from a place in t to its beginning, and
// calls noticed with the places where a match begins; it stops where that returns false.
func (d *dfa) back(t []byte, from int, noticed func(start int) bool) {
	kind := uint8(afterNothing)
	if from < len(t) {
		c, _ := d.classAt(t[from:])
		kind = d.after[c]
	}
	state, dead := d.startBehind(kind), d.dead()
	next, ascii := d.next, &d.ascii
	for i := from; i > 0; {
		var c uint8
		n := 1
		if b := t[i-1]; b < utf8.RuneSelf {
			c = ascii[b]
		} else {
			c, n = d.classBefore(t[:i])
		}
		to := next[state+int32(c)]
		if to <= dead {
			if to == unknown {
				to = d.follow(state, c)
				next = d.next
			}
			if to < 0 {
				if to = -to; !noticed(i) {
					return
				}
			}
			if to == dead {
				return
			}
		}
		state = to
		i -= n
	}
	if d.ends(state) {
		noticed(0)
	}
}
