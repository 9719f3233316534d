package scanner

import (
	"cmp"
	"container/heap"
	"strings"
	"time"
)

// idle is a heap of the open sessions, ordered by the time of their last event. A session
// moves when its turn comes, not with each of its events, so that events cost nothing.
type idle []*Session

// rank is the key of a session when it last moved.
type rank struct {
	last time.Time
	seq  int64 // where no event had a time: sessions without any are the first, by their place in the input
}

// now returns the current key of the session.
func (s *Session) now() rank {
	if s.last.IsZero() {
		return rank{seq: s.seq}
	}
	return rank{last: s.last}
}

// before reports whether a session is to be closed before another one.
func (s *Session) before(o *Session) bool { return s.now().before(o.now(), s.ID, o.ID) }

func (r rank) before(o rank, id, other string) bool {
	return cmp.Or(r.last.Compare(o.last), cmp.Compare(r.seq, o.seq), strings.Compare(id, other)) < 0
}

// close takes the session in front out.
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

// Len is part of heap.Interface, as are those below.
func (h idle) Len() int { return len(h) }

// Less orders by time, then by ID, because the place in the input is arbitrary.
func (h idle) Less(a, b int) bool {
	return h[a].rank.before(h[b].rank, h[a].ID, h[b].ID)
}

// Swap swaps two sessions.
func (h idle) Swap(a, b int) { h[a], h[b] = h[b], h[a] }

// Push takes in a session.
func (h *idle) Push(s any) { *h = append(*h, s.(*Session)) }

// Pop takes the last one out.
func (h *idle) Pop() any {
	last := len(*h) - 1
	s := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return s
}
