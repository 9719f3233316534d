package scanner

import (
	"cmp"
	"container/heap"
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
