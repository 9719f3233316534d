package scanner

import (
	"hash/maphash"
	"time"
)

// The bounds on sorting the events of a session by time. If several processes write a recording, an
// event can be late by as much as fits in their buffers: 4 to 8 KiB, which is about 30 messages or
// a few seconds.
const (
	maxLateEvents = 256              // events of its session that an event may overtake: eight such buffers
	maxLateTime   = 30 * time.Second // as long as a window; a larger difference suggests that a clock was set back
	maxWaiting    = 4096             // events of all sessions waiting to be judged
	maxWaitBytes  = 4 << 20          // memory kept by waiting events
	findingBytes  = 1 << 10          // approximate size of a finding
)

// order is a reorder buffer. It sorts each session's events by time among the input positions that
// they occupy, so that events in order stay in place and a session does not move another session's
// events.
type order struct {
	slots   []slot // ring buffer; positions are numbered from 1
	head    int    // first position not judged yet
	next    int    // first free position
	last    []int  // last position used, by session hash
	seed    maphash.Seed
	waiting int // bytes kept by waiting events
	newest  int // bytes of the last batch, which is in memory in any case
	pool    *batches
}

// slot is an event at its position.
type slot struct {
	event  *Event
	facts  *Facts
	of     *batch
	when   time.Time // time of the event, or of its predecessor in the session
	before int       // previous position whose session has the same hash
}

func newOrder(pool *batches) *order {
	return &order{slots: make([]slot, maxWaiting), head: 1, next: 1, last: make([]int, maxWaiting), seed: maphash.MakeSeed(), pool: pool}
}

func (o *order) at(place int) *slot { return &o.slots[place%len(o.slots)] }

// feed queues a batch's events. While the buffer has no free position, or the waiting events keep too
// much memory, it judges the first event.
func (o *order) feed(b *batch, judge func(*Event, *Facts)) {
	o.admit(b)
	events, facts := b.events, b.facts // a released batch is reused at once
	c, ok := b.chunk.(punctual)
	inOrder := ok && c.Punctual()
	if len(events) == 0 {
		o.release(b)
	}
	for i, e := range events { // judging the last one releases the batch
		o.push(e, facts[i], b)
		for o.next-o.head == len(o.slots) || o.head < o.next && o.waiting-min(o.newest, maxWaitBytes) > maxWaitBytes {
			o.pop(judge)
		}
	}
	if inOrder {
		o.flush(judge)
	}
}

// flush judges all events that are still waiting.
func (o *order) flush(judge func(*Event, *Facts)) {
	for o.head < o.next {
		o.pop(judge)
	}
}

// push queues an event at the next position, or earlier if the event is late (see back). There must be a
// free position.
func (o *order) push(e *Event, facts *Facts, of *batch) {
	place := o.next
	o.next++
	e.Seq = int64(place)
	s := o.at(place)
	*s = slot{event: e, facts: facts, of: of, when: e.Time}
	switch e.Kind {
	case SkippedEvent, IgnoredEvent, ConfigEvent, SettingsEvent: // these belong to no session
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

// before returns the last position before the given one where an event of the same session waits,
// or 0 if there is none.
func (o *order) before(place int) int {
	session := o.at(place).event.Session
	for place = o.at(place).before; place >= o.head; place = o.at(place).before {
		if o.at(place).event.Session == session {
			return place
		}
	}
	return 0
}

// back moves the event at a position ahead of its session's events with a later time, each of which
// moves to the session's next position.
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

// take copies the event in another slot into this one.
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

// punctual is implemented by chunks that know whether no event still to come is earlier than those read
// so far. If so, all events read so far are judged at once, because nothing can move ahead of them.
type punctual interface{ Punctual() bool }

// sized is implemented by chunks that report the memory that they hold until they are released.
type sized interface{ Size() int }

// admit adds the memory of a batch to that of the waiting events.
func (o *order) admit(b *batch) {
	b.left = len(b.events)
	for i, e := range b.events {
		b.bytes += len(e.Frame) + findingBytes*len(b.facts[i].Findings)
	}
	b.bytes = max(b.bytes, b.size)
	o.waiting, o.newest = o.waiting+b.bytes, b.bytes
}

// release releases a batch whose events have all been judged.
func (o *order) release(b *batch) {
	o.waiting -= b.bytes
	b.chunk.Release()
	o.pool.put(b)
}
