package scanner

import (
	"slices"
	"time"
)

// PendingCall is a request that has no response yet.
type PendingCall struct {
	Method   string
	Target   string
	Time     time.Time
	NoCursor bool // it asks for the page behind the empty cursor
}

// maxPending bounds the open requests of each side of a connection, so that one side cannot
// crowd out the other. A client has a handful.
const maxPending = 4096

// fewPending is how many are searched one by one, which takes less than a map.
const fewPending = 8

// requests are those of one side of a connection that have no response yet, by raw id.
type requests struct {
	few  []openRequest
	more map[string]PendingCall // all of them, once they were not few
}

type openRequest struct {
	id string
	PendingCall
}

// len returns how many there are.
func (r *requests) len() int { return len(r.few) + len(r.more) }

// find returns the place among few of the one with an id, -1 where it has none there.
func (r *requests) find(id string) int {
	for i := range r.few {
		if r.few[i].id == id {
			return i
		}
	}
	return -1
}

// get returns the request with an id.
func (r *requests) get(id string) (c PendingCall, ok bool) {
	if i := r.find(id); i >= 0 {
		return r.few[i].PendingCall, true
	}
	c, ok = r.more[id]
	return c, ok
}

// put takes in a request, or the later one of two with one id. It returns false where
// there are too many.
func (r *requests) put(id string, c PendingCall) bool {
	if i := r.find(id); i >= 0 {
		r.few[i].PendingCall = c
		return true
	}
	switch {
	case len(r.more) == 0 && len(r.few) < fewPending:
		r.few = append(r.few, openRequest{id, c})
		return true
	case r.more == nil:
		r.more = make(map[string]PendingCall, 2*fewPending)
	}
	for _, o := range r.few {
		r.more[o.id] = o.PendingCall
	}
	clear(r.few)
	r.few = r.few[:0]
	if _, again := r.more[id]; !again && len(r.more) >= maxPending {
		return false
	}
	r.more[id] = c
	return true
}

// take takes the request with an id out, and reports whether there was one.
func (r *requests) take(id string) bool {
	if i := r.find(id); i >= 0 {
		r.few = slices.Delete(r.few, i, i+1)
		return true
	}
	before := len(r.more)
	delete(r.more, id)
	return len(r.more) < before
}
