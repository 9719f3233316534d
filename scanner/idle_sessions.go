package scanner

import (
	"cmp"
	"container/heap"
	"slices"
	"strings"
	"time"
)

// idle is a heap of the open sessions, ordered by the time of their last event. A session's key is
// updated only when it reaches the front, so that its events do not cost heap operations.
type idle []*Session

// rank is a session's heap key.
type rank struct {
	last time.Time
	seq  int64 // set if no event had a time; such sessions come first, in input order
}

// now returns the session's current key, which may differ from its key in the heap.
func (s *Session) now() rank {
	if s.last.IsZero() {
		return rank{seq: s.seq}
	}
	return rank{last: s.last}
}

// before reports whether a session is to be closed before another.
func (s *Session) before(o *Session) bool { return s.now().before(o.now(), s.ID, o.ID) }

func (r rank) before(o rank, id, other string) bool {
	return cmp.Or(r.last.Compare(o.last), cmp.Compare(r.seq, o.seq), strings.Compare(id, other)) < 0
}

// close removes and returns the first session.
func (h *idle) close() *Session {
	for {
		s := (*h)[0]
		if now := s.now(); s.rank != now {
			s.rank = now
			heap.Fix(h, 0)
			continue
		}
		return heap.Pop(h).(*Session)
	}
}

// Len implements heap.Interface, as do the methods below.
func (h idle) Len() int { return len(h) }

// Less orders by rank, then by session ID.
func (h idle) Less(a, b int) bool {
	return h[a].rank.before(h[b].rank, h[a].ID, h[b].ID)
}

// Swap implements heap.Interface.
func (h idle) Swap(a, b int) { h[a], h[b] = h[b], h[a] }

// Push adds a session.
func (h *idle) Push(s any) { *h = append(*h, s.(*Session)) }

// Pop removes and returns the last session of the slice.
func (h *idle) Pop() any {
	last := len(*h) - 1
	s := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return s
}

// A session is compacted when at least idleEvents events have passed since its last one. After each
// sweepEvents events, up to sweepSessions sessions are examined, and at most one is compacted.
const (
	idleEvents    = 1024
	sweepEvents   = 64
	sweepSessions = 16
)

// sweep compacts an idle session.
func (j *judge) sweep() {
	if j.seq%sweepEvents != 0 {
		return
	}
	for range min(sweepSessions, len(j.idle)) {
		j.swept = (j.swept + 1) % len(j.idle)
		// What is dropped is built again in time proportional to its size, so as many events must pass.
		if s := j.idle[j.swept]; !s.compact && s != j.latest && j.seq-s.seq > int64(idleEvents+len(s.tools)+len(s.known)) {
			s.shrink()
			return
		}
	}
}

// restore prepares a session for an event.
func (s *Session) restore() {
	if s.compact {
		s.compact = false
		s.unpack()
	}
}

// shrink drops what can be built again, and spare memory.
func (s *Session) shrink() {
	s.compact = true
	s.pack()
	s.index = nil
	s.tools = slices.Clip(s.tools)
	for _, srv := range s.Servers {
		for i := range srv.pending {
			if p := &srv.pending[i]; len(p.open) == 0 {
				p.open = nil
			}
		}
	}
}
