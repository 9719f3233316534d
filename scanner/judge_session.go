package scanner

import (
	"container/heap"
	"hash/fnv"
)

// session returns the session of an event, opening it if necessary.
func (j *judge) session(e *Event) *Session {
	s := j.latest // usually the same session as before, which saves a map lookup
	if s == nil || s.ID != e.Session {
		if s = j.sessions[e.Session]; s == nil {
			s = j.open(e)
		}
		j.latest = s
		s.restore()
	}
	s.seq = j.seq
	switch {
	case e.Time.IsZero():
	case !s.last.IsZero() && e.Time.Before(s.last):
		j.coverage.skip("an event arrived too late to be put in order: later events were judged without it", e.Origin)
	default:
		s.last = e.Time
	}
	return s
}

// open opens a session. If too many sessions are open, it closes the one that has been idle longest;
// see idle.
func (j *judge) open(e *Event) *Session {
	if len(j.sessions) >= j.engine.options.Sessions {
		oldest := j.idle.close()
		delete(j.sessions, oldest.ID)
		j.release(oldest)
		j.coverage.evicted++
		if len(j.closed) < maxClosed {
			j.closed[digest(oldest.ID)] = struct{}{}
		} else {
			j.coverage.skip("more sessions than the limit: a closed session that continues is not detected", e.Origin)
		}
	}
	if _, again := j.closed[digest(e.Session)]; again {
		j.coverage.skip("a session continued after it was closed to limit memory: findings that depend on the whole session may be missing", e.Origin)
	}
	s := &Session{ID: e.Session, last: e.Time, seq: j.seq, Servers: map[string]*Server{}}
	s.rank = s.now()
	j.sessions[s.ID] = s
	heap.Push(&j.idle, s)
	return s
}

// digest hashes a session name or request ID, which can be long.
func digest(id string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(id))
	return h.Sum64()
}
