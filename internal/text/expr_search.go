package text

import (
	"sync/atomic"
	"unicode/utf8"
)

// run reads t until a match has ended or none is possible any more. It returns the last state, the
// number of bytes read, and whether there was a match.
func (d *dfa) run(at cursor, t []byte) (to cursor, read int, found bool) {
	next, ascii, dead := at.in.next, &d.ascii, d.dead()
	for i := 0; i < len(t); {
		var c uint8
		n := 1
		if b := t[i]; b < utf8.RuneSelf {
			c = ascii[b]
		} else {
			c, n = d.classAt(t[i:])
		}
		to := atomic.LoadInt32(&next[at.state+int32(c)])
		if to <= dead {
			if to == unknown {
				to, at.in = d.follow(at, c)
				next = at.in.next
			}
			if to < 0 {
				return at, i, true // a match is noticed only when the next character is read
			}
			if to == dead {
				return cursor{at.in, dead}, i, false
			}
		}
		at.state = to
		i += n
	}
	return at, len(t), false
}

// settle returns the state of a search in which no match may begin after the current position.
func (d *dfa) settle(at cursor) cursor {
	to := atomic.LoadInt32(&at.in.next[at.state+int32(d.lastStart())])
	if to == unknown {
		to, at.in = d.follow(at, d.lastStart())
	}
	return cursor{at.in, to}
}

// first returns the end of the match that ends first in t.
func (d *dfa) first(t []byte) (end int, ok bool) {
	at, end, found := d.run(d.start(), t)
	return end, found || d.ends(at)
}

// mayMatch returns false only if the expression does not match t.
func (d *dfa) mayMatch(t []byte) bool {
	_, ok := d.first(t)
	return ok
}

// last searches t from a position on and returns the end of the last match noticed before the dead
// state, or -1 if there is none. In an ordered search, that is where the expression's match ends.
func (d *dfa) last(t []byte, from int) (end int) {
	end = -1
	at, dead := d.startAfter(contextAfter(t[:from])), d.dead()
	next, ascii := at.in.next, &d.ascii
	for i := from; i < len(t); {
		var c uint8
		n := 1
		if b := t[i]; b < utf8.RuneSelf {
			c = ascii[b]
		} else {
			c, n = d.classAt(t[i:])
		}
		to := atomic.LoadInt32(&next[at.state+int32(c)])
		if to <= dead {
			if to == unknown {
				to, at.in = d.follow(at, c)
				next = at.in.next
			}
			if to < 0 {
				end, to = i, -to
			}
			if to == dead {
				return end
			}
		}
		at.state = to
		i += n
	}
	if d.ends(at) {
		end = len(t)
	}
	return end
}

// back runs the automaton of a reversed expression from a position in t back to the start of t and
// calls noticed with each position where a match begins, until noticed returns false.
func (d *dfa) back(t []byte, from int, noticed func(start int) bool) {
	kind := uint8(afterNothing)
	if from < len(t) {
		c, _ := d.classAt(t[from:])
		kind = d.after[c]
	}
	at, dead := d.startAfter(kind), d.dead()
	next, ascii := at.in.next, &d.ascii
	for i := from; i > 0; {
		var c uint8
		n := 1
		if b := t[i-1]; b < utf8.RuneSelf {
			c = ascii[b]
		} else {
			c, n = d.classBefore(t[:i])
		}
		to := atomic.LoadInt32(&next[at.state+int32(c)])
		if to <= dead {
			if to == unknown {
				to, at.in = d.follow(at, c)
				next = at.in.next
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
		at.state = to
		i -= n
	}
	if d.ends(at) {
		noticed(0)
	}
}
