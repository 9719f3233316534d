package scanner

import "slices"

// sourceRun is the source of consecutive values.
type sourceRun struct {
	of *valueSource
	n  int
}

// pack replaces the map of an idle session's values by the sources of the values in its servers' queues,
// which take a quarter of the memory.
func (s *Session) pack() {
	n := 0
	for _, srv := range s.Servers {
		for i := range srv.values {
			srv.values[i].clip()
			n += len(srv.values[i].all())
		}
	}
	if n != len(s.known) { // of a server that the session does not remember
		return
	}
	for _, srv := range s.Servers {
		var runs []sourceRun
		for i := range srv.values {
			for _, digest := range srv.values[i].all() {
				of := s.known[digest]
				if len(runs) == 0 || runs[len(runs)-1].of != of {
					runs = append(runs, sourceRun{of: of})
				}
				runs[len(runs)-1].n++
			}
		}
		srv.packed = slices.Clone(runs)
	}
	s.packed, s.known = n, nil
}

// unpack reverses pack.
func (s *Session) unpack() {
	if s.packed == 0 {
		return
	}
	s.known = make(map[uint64]*valueSource, s.packed)
	for _, srv := range s.Servers {
		runs := srv.packed
		for i := range srv.values {
			for _, digest := range srv.values[i].all() {
				if runs[0].n == 0 {
					runs = runs[1:]
				}
				s.known[digest] = runs[0].of
				runs[0].n--
			}
		}
		srv.packed = nil
	}
	s.packed = 0
}

// remembered returns the number of remembered values.
func (s *Session) remembered() int { return len(s.known) + s.packed }
