package scanner

import "time"

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

// requests holds one side's open requests by raw id.
type requests map[string]PendingCall

// put adds a request, replacing one with the same id. It returns false if there are too many.
func (r *requests) put(id string, c PendingCall) bool {
	if _, again := (*r)[id]; !again && len(*r) >= maxPending {
		return false
	}
	set((*map[string]PendingCall)(r), id, c)
	return true
}

// take removes the request with an id, and reports whether there was one.
func (r requests) take(id string) bool {
	_, open := r[id]
	delete(r, id)
	return open
}
