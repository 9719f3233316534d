package scanner

import (
	"fmt"
	"slices"
	"strings"
)

// Coverage records which input was inspected and which was not.
type Coverage struct {
	Events    int       // frames and documents received, including unreadable ones
	Inspected int       // events that were fully inspected
	Skipped   []Skipped // input that could not be inspected; makes the run incomplete
	Ignored   []Skipped // input out of scope, but still counted
	Noise     int       // frames that clients would not parse as messages, such as log lines on standard output
	Evicted   int       // sessions closed to keep memory bounded
}

// Skipped counts the input that was left out for one reason, with the location of the first
// instance.
type Skipped struct {
	Reason string
	Count  int
	First  Location
	Seq    int64 // sequence number of the first instance, in the order of judging
}

// coverage collects a Coverage.
type coverage struct {
	events, inspected, noise, evicted int
	seq                               int64 // sequence number of the current event
	skipped, ignored                  map[string]*Skipped
}

func newCoverage() *coverage {
	return &coverage{skipped: map[string]*Skipped{}, ignored: map[string]*Skipped{}}
}

// maxReasons bounds the distinct reasons kept, because a reason can quote the input.
const maxReasons = 256

func (c *coverage) event(e *Event, out *Outcome) {
	c.events++
	if out.Noise {
		c.noise++
	}
	if len(out.Skips) == 0 {
		c.inspected++
	}
	for _, reason := range out.Skips {
		c.skip(reason, e.Origin)
	}
}

func (c *coverage) skip(reason string, o Origin)   { c.count(c.skipped, reason, o) }
func (c *coverage) ignore(reason string, o Origin) { c.count(c.ignored, reason, o) }

func (c *coverage) count(in map[string]*Skipped, reason string, o Origin) {
	s := in[reason] // most reasons are stored unchanged
	if s == nil {
		reason = showEnds(reason, reasonChars)
		s = in[reason]
	}
	if s == nil {
		if len(in) >= maxReasons {
			reason = fmt.Sprintf("other reasons, beyond the first %d", maxReasons)
		}
		if s = in[reason]; s == nil {
			s = &Skipped{Reason: reason, First: Location{o.File, o.Line, o.Column, o.Pointer}, Seq: c.seq}
			in[reason] = s
		}
	}
	s.Count++
}

// result returns the coverage with its lists sorted by reason.
func (c *coverage) result() Coverage {
	return Coverage{Events: c.events, Inspected: c.inspected, Noise: c.noise, Evicted: c.evicted,
		Skipped: sorted(c.skipped), Ignored: sorted(c.ignored)}
}

func sorted(in map[string]*Skipped) []Skipped {
	var out []Skipped
	for _, s := range in {
		out = append(out, *s)
	}
	slices.SortFunc(out, func(a, b Skipped) int { return strings.Compare(a.Reason, b.Reason) })
	return out
}
