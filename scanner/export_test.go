package scanner

import "slices"

// Judge exports the judge for benchmarks.
type Judge struct{ j *judge }

// NewJudge returns a judge with empty memory.
func NewJudge(e *Engine) Judge { return Judge{newJudge(e)} }

// Judge judges one event.
func (j Judge) Judge(e *Event, f *Facts) *Outcome { return j.j.judge(e, f) }

// PlacesOf returns a function that locates offsets in an event's frame.
func PlacesOf(e *Event) func(off int) Location {
	p := &Places{}
	p.reset(e)
	return p.At
}

// Most contains the maximum numbers of events and bytes that waited to be judged at one time.
type Most struct{ Events, Bytes int }

// Waiting runs a source and returns the maximum numbers of events and bytes that waited at one
// time.
func Waiting(e *Engine, src Source) (most Most) {
	o, in := newOrder(&batches{}), e.NewInspector()
	for chunk, err := src.Next(); chunk != nil && err == nil; chunk, err = src.Next() {
		b := &batch{chunk: chunk}
		if c, ok := chunk.(sized); ok {
			b.size = c.Size()
		}
		chunk.Events(func(e *Event) { b.events, b.facts = append(b.events, e), append(b.facts, in.Inspect(e)) })
		o.feed(b, func(*Event, *Facts) {
			most = Most{max(most.Events, o.next-o.head), max(most.Bytes, o.waiting)}
		})
	}
	o.flush(func(*Event, *Facts) {})
	return most
}

// Wait queues events and discards them instead of judging them.
func Wait(events []*Event) {
	o := newOrder(&batches{})
	o.feed(&batch{chunk: noChunk{}, events: events, facts: slices.Repeat([]*Facts{{}}, len(events))}, func(*Event, *Facts) {})
	o.flush(func(*Event, *Facts) {})
}

type noChunk struct{}

func (noChunk) Events(func(*Event)) {}
func (noChunk) Release()            {}

// Requests exports the open requests from one side of a connection.
type Requests struct{ of requests }

// Put, Take, Get and Len are the methods of requests.
func (r *Requests) Put(id string, c PendingCall) bool        { return r.of.put(id, c) }
func (r *Requests) Refuse(id string)                         { r.of.refuse(id, nil) }
func (r *Requests) Take(id string) bool                      { _, open := r.of.take(id); return open }
func (r *Requests) Get(id string) (c PendingCall, open bool) { c, open = r.of.open[id]; return c, open }
func (r *Requests) Len() int                                 { return len(r.of.open) }

// MostPending is the maximum number of requests remembered for one side.
const MostPending = maxPending
