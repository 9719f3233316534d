package text

import (
	"sync"
	"sync/atomic"
)

// anchorTable finds the anchors of all patterns in one pass: an Aho-Corasick automaton
// over classes of bytes. Rows of its table are filled when a text first reaches them: of
// twenty thousand, most inputs need a few hundred, and building all of them costs more
// than inspecting a small file. It may be shared by goroutines.
type anchorTable struct {
	class   [256]uint8
	classes int

	// The trie, by state. State 0 is unused, so that 0 stands for "none".
	child   []int32 // first child
	sibling []int32 // next child of the same parent
	by      []uint8 // class that leads here from the parent
	fail    []int32 // state of the longest proper suffix in the trie
	output  []int32 // nearest state, along failure links and from here on, where an anchor ends
	first   []int32 // index into ended of the first anchor that ends here; that of the next state follows
	ended   []endedAnchor

	mu   sync.Mutex     // held to fill a row
	next []atomic.Int32 // state*classes+class to state*classes, negated where an anchor ends; 0 in a row that is not filled
}

// endedAnchor is an anchor of a pattern, and how long it is.
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
	a.next = make([]atomic.Int32, len(a.child)*a.classes)
	return a
}

func (a *anchorTable) addState(class uint8) int32 {
	a.child, a.sibling, a.by = append(a.child, 0), append(a.sibling, 0), append(a.by, class)
	return int32(len(a.child) - 1)
}

// addAnchors builds the trie, and lists by state which anchors end there.
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

// link sets failure and output links, breadth first.
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

// fill fills the row of a state, and those that it is made from, and returns one entry.
func (a *anchorTable) fill(row int32, class uint8) int32 {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.fillState(row / int32(a.classes))
	return a.next[row+int32(class)].Load()
}

func (a *anchorTable) fillState(state int32) {
	row := int(state) * a.classes
	if a.next[row].Load() != 0 {
		return
	}
	entries := make([]int32, a.classes)
	if state == rootState {
		for c := range entries {
			entries[c] = a.entry(rootState)
		}
	} else {
		a.fillState(a.fail[state])
		from := int(a.fail[state]) * a.classes
		for c := range entries {
			entries[c] = a.next[from+c].Load()
		}
	}
	for c := a.child[state]; c != 0; c = a.sibling[c] {
		entries[a.by[c]] = a.entry(c)
	}
	for c, entry := range entries {
		a.next[row+c].Store(entry)
	}
}

func (a *anchorTable) entry(state int32) int32 {
	if a.output[state] != 0 {
		return -state * int32(a.classes)
	}
	return state * int32(a.classes)
}

// scan calls found for every anchor in a text, in the order in which they end.
func (a *anchorTable) scan(t []byte, found func(pattern, start, end int)) {
	row := int32(rootState * a.classes)
	for i, b := range t {
		class := a.class[b]
		to := a.next[row+int32(class)].Load()
		if to > 0 {
			row = to
			continue
		}
		if to == 0 {
			to = a.fill(row, class)
		}
		if row = to; to < 0 {
			row = -to
			for s := a.output[row/int32(a.classes)]; s != 0; s = a.output[a.fail[s]] {
				for _, e := range a.ended[a.first[s]:a.first[s+1]] {
					found(e.pattern, i+1-e.length, i+1)
				}
			}
		}
	}
}
