package text

import (
	"sync"
	"sync/atomic"
)

// anchorTable finds the anchors of all patterns in one pass: an Aho-Corasick automaton over byte
// classes. Its transition table is filled lazily: of twenty thousand states most inputs reach a few
// hundred, and building all of them would cost more than inspecting a small file. It is safe for
// concurrent use.
type anchorTable struct {
	class   [256]uint8
	classes int

	// The trie, by state. State 0 is unused, so that 0 stands for "none".
	child   []int32 // first child
	sibling []int32 // next child of the same parent
	by      []uint8 // class that leads here from the parent
	fail    []int32 // state of the longest proper suffix in the trie
	output  []int32 // nearest state, along failure links and from here on, where an anchor ends
	first   []int32 // index into ended of the first anchor that ends here; next state's index is the end
	ended   []endedAnchor

	table atomic.Pointer[anchorRows]
	mu    sync.Mutex // guards additions to the table
	rows  []int32    // by state: its offset in the table, or 0 if it has not been reached
	used  int        // rows of the table in use
}

// anchorRows is a transition table whose states are identified by their offset, row number times
// number of classes. A full table is replaced by a larger one; concurrent readers may keep using
// the old one, because none of its entries lead outside it.
type anchorRows struct {
	next   []atomic.Int32 // offset+class to offset, negated if an anchor ends; 0 is unknown
	states []atomic.Int32 // by row
}

// endedAnchor is a pattern's anchor and its length.
type endedAnchor struct{ pattern, length int }

const rootState = 1

func newAnchorTable(patterns []Pattern) *anchorTable {
	a := &anchorTable{classes: 1}
	for _, p := range patterns {
		for _, anchor := range p.Anchors {
			for _, b := range []byte(anchor) {
				if a.class[b] == 0 {
					a.class[b] = uint8(a.classes)
					a.classes++
				}
			}
		}
	}
	a.addState(0) // none
	a.addState(0) // the root
	a.addAnchors(patterns)
	a.link()
	a.rows = make([]int32, len(a.child))
	a.used = 1 // offset 0 means unknown
	a.grow(&anchorRows{})
	a.place(rootState)
	return a
}

func (a *anchorTable) addState(class uint8) int32 {
	a.child, a.sibling, a.by = append(a.child, 0), append(a.sibling, 0), append(a.by, class)
	return int32(len(a.child) - 1)
}

// addAnchors builds the trie and records which anchors end at each state.
func (a *anchorTable) addAnchors(patterns []Pattern) {
	var states []int32
	var ended []endedAnchor
	var roots [256]int32 // the root's children by class: it has by far the most
	for i, p := range patterns {
		for _, anchor := range p.Anchors {
			state := int32(rootState)
			for k, b := range []byte(anchor) {
				class := a.class[b]
				to := roots[class]
				if k > 0 {
					to = a.childBy(state, class)
				}
				if to == 0 {
					to = a.addState(class)
					a.sibling[to], a.child[state] = a.child[state], to
				}
				if k == 0 {
					roots[class] = to
				}
				state = to
			}
			states, ended = append(states, state), append(ended, endedAnchor{i, len(anchor)})
		}
	}
	a.first = make([]int32, len(a.child)+1)
	for _, s := range states {
		a.first[s+1]++
	}
	for s := range len(a.child) {
		a.first[s+1] += a.first[s]
	}
	at := append([]int32(nil), a.first...)
	a.ended = make([]endedAnchor, len(ended))
	for i, s := range states {
		a.ended[at[s]] = ended[i]
		at[s]++
	}
}

func (a *anchorTable) childBy(state int32, class uint8) int32 {
	c := a.child[state]
	for c != 0 && a.by[c] != class {
		c = a.sibling[c]
	}
	return c
}

// link sets the failure and output links, breadth first.
func (a *anchorTable) link() {
	a.fail, a.output = make([]int32, len(a.child)), make([]int32, len(a.child))
	queue := make([]int32, 0, len(a.child))
	queue = append(queue, rootState)
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		if a.output[s] = a.output[a.fail[s]]; a.first[s] < a.first[s+1] {
			a.output[s] = s
		}
		for c := a.child[s]; c != 0; c = a.sibling[c] {
			queue = append(queue, c)
			a.fail[c] = rootState
			for f := a.fail[s]; f != 0; f = a.fail[f] {
				if to := a.childBy(f, a.by[c]); to != 0 {
					a.fail[c] = to
					break
				}
			}
		}
	}
}

// grow replaces the table with one that has room for twice as many states.
func (a *anchorTable) grow(old *anchorRows) *anchorRows {
	const least = 64
	rows := max(least, 2*len(old.states))
	to := &anchorRows{make([]atomic.Int32, rows*a.classes), make([]atomic.Int32, rows)}
	for i := range old.next {
		to.next[i].Store(old.next[i].Load())
	}
	for i := range old.states {
		to.states[i].Store(old.states[i].Load())
	}
	a.table.Store(to)
	return to
}

// place returns the table offset of a state, allocating a row if it has none.
func (a *anchorTable) place(state int32) int32 {
	if a.rows[state] == 0 {
		table := a.table.Load()
		if a.used == len(table.states) {
			table = a.grow(table)
		}
		table.states[a.used].Store(state)
		a.rows[state] = int32(a.used * a.classes)
		a.used++
	}
	return a.rows[state]
}

// learn adds a transition to the table and returns it.
func (a *anchorTable) learn(from int32, class uint8) int32 {
	a.mu.Lock()
	defer a.mu.Unlock()
	state := a.table.Load().states[from/int32(a.classes)].Load()
	to := a.childBy(state, class)
	for to == 0 && state != rootState {
		state = a.fail[state]
		to = a.childBy(state, class)
	}
	if to == 0 {
		to = rootState
	}
	place := a.place(to)
	if a.output[to] != 0 {
		place = -place
	}
	a.table.Load().next[from+int32(class)].Store(place)
	return place
}

// scan calls found for every anchor occurrence in t, in order of end position.
func (a *anchorTable) scan(t []byte, found func(pattern, start, end int)) {
	table := a.table.Load()
	next, classes := table.next, &a.class
	at := int32(a.classes) // the root's offset
	for i, b := range t {
		class := classes[b]
		to := next[at+int32(class)].Load()
		if to > 0 {
			at = to
			continue
		}
		if to == 0 {
			to = a.learn(at, class)
			table = a.table.Load()
			next = table.next
		}
		if at = to; to < 0 {
			at = -to
			for s := a.output[table.states[at/int32(a.classes)].Load()]; s != 0; s = a.output[a.fail[s]] {
				for _, e := range a.ended[a.first[s]:a.first[s+1]] {
					found(e.pattern, i+1-e.length, i+1)
				}
			}
		}
	}
}
