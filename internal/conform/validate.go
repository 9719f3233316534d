package conform

import (
	"strconv"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// run is the state of one check: the work it has done, and its result.
type run struct {
	values           // values being checked
	name    wire.Doc // name of a member, as a value
	steps   int
	matched int  // pattern instructions times bytes so far
	depth   int  // schemas being applied
	stopped bool // the check was abandoned
	quiet   bool // do not report violations, because the result is only one of several conditions

	tracking  bool    // record which parts of the current value are evaluated
	evaluated []int32 // evaluated parts; those of the current value begin at index from
	from      int

	at    int    // node of the first violation, or -1
	word  string // keyword of the violation
	place []byte // path and keyword, for comparison
	form  []byte
}

// check returns the first violation of a schema.
func (r *run) check(s *schema, doc *wire.Doc) Violation {
	*r = run{values: valuesOf(doc), name: r.name, evaluated: r.evaluated[:0], at: -1, place: r.place[:0], form: r.form[:0]}
	if r.apply(s, 0, false) || r.stopped || r.at < 0 {
		return Violation{}
	}
	return Violation{Pointer: string(doc.AppendPointer(nil, 0, r.at)), Offset: int(doc.Nodes[r.at].Start),
		Value: string(doc.Raw(r.at)), Message: message(r.word)}
}

// spend uses n steps, and reports whether the check continues.
func (r *run) spend(n int) bool {
	if r.steps += n; r.steps > maxSteps {
		r.stop()
	}
	return !r.stopped
}

// stop abandons the check, and returns false. Because it sets quiet, the schemas being applied report
// no further violations, and return when one of their rules is violated.
func (r *run) stop() bool {
	r.stopped, r.quiet = true, true
	return false
}

// cost returns the number of steps for a text of this many bytes. The rate allows for escapes, which
// take many times as long to decode as other bytes take to compare.
func cost(bytes int) int { return 1 + bytes/32 }

// apply reports whether the value at node i conforms to a schema. inPlace means that s is a
// subschema of one being applied to the same value.
func (r *run) apply(s *schema, i int, inPlace bool) bool {
	if !r.spend(1) {
		return false
	}
	if len(s.rules) == 0 {
		return !s.nothing || r.fail(i, "")
	}
	if r.depth++; r.depth > maxDepth {
		return r.stop()
	}
	asked, tracking, from := inPlace && r.tracking, r.tracking, r.from
	r.tracking, r.from = asked || s.tracks, len(r.evaluated)
	ok := r.follow(s, i)
	if !ok || !asked {
		r.evaluated = r.evaluated[:r.from]
	}
	r.tracking, r.from = tracking, from
	r.depth--
	return ok
}

func (r *run) follow(s *schema, i int) bool {
	kind, ok := kinds(1)<<r.Kind(i), true
	for n := range s.rules {
		rule := &s.rules[n]
		if rule.of&kind == 0 || rule.holds(r, i) {
			continue
		}
		if ok = false; rule.reports != "" {
			r.fail(i, rule.reports)
		}
		if rule.last || r.quiet {
			break
		}
	}
	return ok
}

// fits is like apply, but does not report violations.
func (r *run) fits(s *schema, i int, inPlace bool) bool {
	quiet := r.quiet
	r.quiet = true
	ok := r.apply(s, i, inPlace)
	r.quiet = quiet || r.stopped
	return ok
}

// seen remembers that the child at node i was evaluated.
func (r *run) seen(i int) {
	if r.tracking {
		r.evaluated = append(r.evaluated, int32(i))
	}
}

// get returns the member of object i with this name, or -1.
func (r *run) get(i int, name string) int {
	if n := &r.Nodes[i]; !r.spend(int(n.Len) + int(n.End-n.Start)/32) {
		return -1
	}
	return r.Get(i, name)
}

// fail records a violation if it precedes the one recorded so far, by position and then by keyword.
// It returns false.
func (r *run) fail(i int, keyword string) bool {
	if r.quiet {
		return false
	}
	r.form = append(r.appendPlace(r.form[:0], i), 0, 0)
	r.form = append(r.form, keyword...)
	if r.spend(cost(len(r.form))) && (r.at < 0 || string(r.form) < string(r.place)) {
		r.at, r.word, r.place = i, keyword, append(r.place[:0], r.form...)
	}
	return false
}

// appendPlace appends node i's path: its keys and indexes, separated by NUL.
func (r *run) appendPlace(dst []byte, i int) []byte {
	if parent := int(r.Nodes[i].Parent); parent >= 0 {
		if parent > 0 {
			dst = append(r.appendPlace(dst, parent), 0)
		}
		if r.Nodes[i].KeyEnd == 0 {
			return strconv.AppendInt(dst, int64(r.Nodes[i].Index), 10)
		}
		return append(dst, r.key(i)...)
	}
	return dst
}
