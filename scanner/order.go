package scanner

import (
	"hash/maphash"
	"time"
)

// The bounds within which events of a session are put back in order. A recording written by
// several processes is out of order by the content of their buffers: 4 to 8 KiB, which are 30
// messages, or a few seconds.
const (
	maxLateEvents = 256              // of its session that an event is put ahead of: eight such buffers
	maxLateTime   = 30 * time.Second // as long as a window; more is a clock that was set back
	maxWaiting    = 4096             // events of all sessions that wait to be judged
	maxWaitBytes  = 8 << 20          // of what these keep in memory
	findingBytes  = 1 << 10          // that a finding takes, about
)

// order holds events until later ones have been seen. A session keeps the places of its events
// in the input, and its events take these places in order of their times: events in order stay
// where they are, and no session moves another one's events.
type order struct {
	slots   []slot // a ring; places are numbered from 1
	head    int    // the first place that was not judged
	next    int    // the first that is free
	last    []int  // by hash of the session: the last place that was taken
	seed    maphash.Seed
	waiting int // bytes
	newest  int // of these, those of the last batch, which is in memory anyway
}

// slot is an event in its place.
type slot struct {
	event  *Event
	facts  *Facts
	of     *batch
	when   time.Time // its own, or that of the one before it in its session
	before int       // the place before it whose session has the same hash
}

func newOrder() *order {
	return &order{slots: make([]slot, maxWaiting), head: 1, next: 1, last: make([]int, maxWaiting), seed: maphash.MakeSeed()}
}

func (o *order) at(place int) *slot { return &o.slots[place%len(o.slots)] }

// feed lets the events of a batch wait, and judges those ahead of them that have waited
// for long enough.
func (o *order) feed(b *batch, judge func(*Event, *Facts)) {
	o.admit(b)
	for i, e := range b.events {
		o.push(e, b.facts[i], b)
		for o.next-o.head == len(o.slots) || o.head < o.next && o.waiting-min(o.newest, maxWaitBytes) > maxWaitBytes {
			o.pop(judge)
		}
	}
	if len(b.events) == 0 {
		o.release(b)
	}
}

// flush judges all that still wait.
func (o *order) flush(judge func(*Event, *Facts)) {
	for o.head < o.next {
		o.pop(judge)
	}
}

// push lets an event wait, in its place. There must be room for it.
func (o *order) push(e *Event, facts *Facts, of *batch) {
	place := o.next
	o.next++
	e.Seq = int64(place)
	s := o.at(place)
	*s = slot{event: e, facts: facts, of: of, when: e.Time}
	switch e.Kind {
	case SkippedEvent, IgnoredEvent, ConfigEvent, SettingsEvent: // of no session
		return
	}
	last := &o.last[maphash.String(o.seed, e.Session)%uint64(len(o.last))]
	s.before, *last = *last, place
	before := o.before(place)
	switch {
	case before == 0:
	case e.Time.IsZero():
		s.when = o.at(before).when
	case o.at(before).when.After(e.Time):
		o.back(place)
	}
}

// before returns the last waiting place of the same session before a place, 0 if there is
// none.
func (o *order) before(place int) int {
	session := o.at(place).event.Session
	for place = o.at(place).before; place >= o.head; place = o.at(place).before {
		if o.at(place).event.Session == session {
			return place
		}
	}
	return 0
}

// back puts the event at a place ahead of the later ones of its session, each of which
// takes the next place.
func (o *order) back(place int) {
	late := *o.at(place)
	for range maxLateEvents {
		before := o.before(place)
		if before == 0 || !o.at(before).when.After(late.when) || o.at(before).when.Sub(late.when) > maxLateTime {
			break
		}
		o.at(place).take(o.at(before))
		place = before
	}
	o.at(place).take(&late)
}

// take puts the event of another slot into the place of this one.
func (s *slot) take(from *slot) {
	s.event, s.facts, s.of, s.when = from.event, from.facts, from.of, from.when
}

// pop judges the first event.
func (o *order) pop(judge func(*Event, *Facts)) {
	s := o.at(o.head)
	judge(s.event, s.facts)
	of := s.of
	*s = slot{}
	o.head++
	if of.left--; of.left == 0 {
		o.release(of)
	}
}

// sized is a chunk that knows how much memory it keeps until it is released.
type sized interface{ Size() int }

// admit counts the memory of a batch while its events wait.
func (o *order) admit(b *batch) {
	b.left = len(b.events)
	for i, e := range b.events {
		b.bytes += len(e.Frame) + findingBytes*len(b.facts[i].Findings)
	}
	b.bytes = max(b.bytes, b.size)
	o.waiting, o.newest = o.waiting+b.bytes, b.bytes
}

// release gives back a batch whose events have all been judged.
func (o *order) release(b *batch) {
	o.waiting -= b.bytes
	b.chunk.Release()
}
