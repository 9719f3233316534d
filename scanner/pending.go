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
	NoCursor bool // it requests a page with the empty cursor
}

// maxPending bounds the open requests from each side of a connection, so that one side cannot crowd
// out the other. A typical client has a handful of them.
const maxPending = 4096

// fewPending is the number of requests searched linearly, which is faster than a map.
const fewPending = 8

// requests holds one side's open requests by raw id.
type requests struct {
	few  []openRequest
	more map[string]PendingCall // all of them, once there were more than fewPending
}

type openRequest struct {
	id string
	PendingCall
}

// len returns the number of requests.
func (r *requests) len() int { return len(r.few) + len(r.more) }

// find returns the index of a request in few, or -1 if it is not there.
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

// put adds a request, replacing one with the same id. It returns false if there are too many.
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

// take removes the request with an id, and reports whether there was one.
func (r *requests) take(id string) bool {
	if i := r.find(id); i >= 0 {
		r.few = slices.Delete(r.few, i, i+1)
		return true
	}
	before := len(r.more)
	delete(r.more, id)
	return len(r.more) < before
}
