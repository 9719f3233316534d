package drift

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpscan/mcpscan/internal/jsonschema"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// difference is one difference between two schemas, and its severity.
type difference struct {
	pointer, name, what string
	weight              scanner.Severity
}

// comparison is a pair of schemas and the differences between them.
type comparison struct {
	*change
	was, is  side
	result   bool // the schema describes a result, so it asks for nothing
	stake    stakes
	refers   bool // parts may depend on others through references
	places   int  // remaining pairs to compare
	patterns int  // number of patterns read so far
	seen     map[place]bool
	chosen   *bool           // cached result of callerChoosesAddress
	alike    map[string]bool // cached: names of approved parameters, folded
	found    []difference
	counts   [scanner.Critical + 1]int // number of differences, by severity
}

// place is a pair of schemas and the parameter that they belong to.
type place struct {
	from, to int
	name     string
	variant  bool
}

// The limits on a comparison. maxDifferences applies to each severity separately, so that many
// small differences cannot hide a large one. The schemas of the published servers examined have at
// most 1,160 places.
const (
	maxDifferences = 64
	maxCompared    = 24 // levels
	maxPlaces      = 20_000
)

// compareSchemas compares two schemas at every level, parameter by parameter. A missing schema is
// -1.
func compareSchemas(c *change, old, now int, result bool) []difference {
	s := schemaChange{comparison: &comparison{change: c, result: result, stake: c.stakes(), places: maxPlaces, seen: map[place]bool{}}, place: place{from: old, to: now}}
	s.was, s.is = newSide(&c.old, old), newSide(&c.now, now)
	s.refers = refers(&c.old, old) || refers(&c.now, now)
	s.compare()
	if s.places < 0 || s.was.looks < 0 || s.is.looks < 0 {
		s.name = ""
		s.add(scanner.High, "the schema is too large to compare")
	}
	return s.found
}

// refers reports whether a schema contains a reference.
func refers(doc *wire.Doc, root int) bool {
	if root < 0 {
		return false
	}
	for i := root; i < int(doc.Nodes[root].Next); i++ {
		if doc.KeyIs(i, "$ref") || doc.KeyIs(i, "$dynamicRef") {
			return true
		}
	}
	return false
}

// schemaChange is the comparison of one place.
type schemaChange struct {
	*comparison
	place
	depth  int
	after  *view // schemas that now apply to the value, set while its constraints are compared
	listed []int // values that several approved variants list for this parameter, or nil
}

// inner returns the comparison of two subschemas, old and now.
func (s *schemaChange) inner(name string, old, now int) *schemaChange {
	return &schemaChange{comparison: s.comparison, place: place{from: old, to: now, name: cmp.Or(name, s.name)}, depth: s.depth + 1}
}

// at compares two subschemas.
func (s *schemaChange) at(name string, old, now int) { s.inner(name, old, now).compare() }

func (s *schemaChange) add(weight scanner.Severity, format string, args ...any) {
	if s.result {
		weight = scanner.Note
	}
	if s.counts[weight]++; s.counts[weight] > maxDifferences {
		return
	}
	pointer := s.now.AppendPointer(nil, 0, s.to)
	if s.to < 0 {
		pointer = s.old.AppendPointer(nil, 0, s.from)
	}
	s.found = append(s.found, difference{string(pointer), s.name, fmt.Sprintf(format, args...), weight})
}

// tell adds a difference in a parameter.
func (s *schemaChange) tell(p *property, weight scanner.Severity, format string, args ...any) {
	in := s.inner(p.name, -1, p.schema())
	if in.to < 0 {
		in.to = s.to
	}
	in.add(weight, format, args...)
}

// compare finds the differences between the two schemas.
func (s *schemaChange) compare() {
	old, now := s.from, s.to
	if s.places--; s.places < 0 || s.seen[s.place] || !s.refers && s.same(old, now) {
		return
	}
	s.seen[s.place] = true
	switch {
	case s.depth > maxCompared:
		s.add(scanner.High, "the schema of %s changed at a depth beyond the comparison limit", s.about())
		return
	case isFalse(&s.now, now) && !isFalse(&s.old, old):
		s.add(scanner.Low, "%s is no longer allowed", s.about())
		return
	case isFalse(&s.old, old) && !isFalse(&s.now, now):
		s.add(scanner.Low, "%s is now allowed", s.about())
		return
	case !isSchema(&s.old, old) || !isSchema(&s.now, now):
		s.add(scanner.Medium, "the old or new schema of %s is unreadable", s.about())
		return
	}
	before, after := s.was.view(old), s.is.view(now)
	if s.after = after; !s.variant {
		s.properties(s.was.properties(before, 0), s.is.properties(after, 0))
	}
	s.constraints(before, after)
	s.others(old, now)
	if before.cut || after.cut {
		s.add(scanner.High, "the schema of %s exceeds the comparison limit", s.about())
	}
}

// constraints compares the constraints on a value.
func (s *schemaChange) constraints(before, after *view) {
	approved, listed := s.listed, s.is.choices(after)
	if approved == nil {
		approved = s.was.choices(before)
	}
	s.types(s.was.types(before), s.is.types(after), listed != nil)
	s.choices(approved, listed)
	for _, k := range keywords() {
		o, n := s.was.get(before, k.name), s.is.get(after, k.name)
		if !s.same(o, n) || s.refers && o >= 0 {
			k.compare(s, k.name, o, n)
		}
	}
	s.alternatives(before, after)
}

// isSchema reports whether a node can be a schema; a missing schema accepts everything.
func isSchema(doc *wire.Doc, i int) bool {
	return i < 0 || doc.Kind(i) == wire.Object || doc.Kind(i) == wire.Bool
}

func isFalse(doc *wire.Doc, i int) bool { return i >= 0 && jsonschema.Raw(doc, i) == "false" }

// about returns the subject of a difference.
func (s *schemaChange) about() string {
	switch {
	case s.name == "" && s.result:
		return "the result"
	case s.name == "":
		return "the input"
	}
	return strconv.Quote(s.name)
}

// alternatives compares a value's variants if both schemas have any.
func (s *schemaChange) alternatives(before, after *view) {
	if len(before.any) == 0 || len(after.any) == 0 {
		return
	}
	known := map[string][]int{}
	var gone, fresh []int
	for _, o := range slices.Concat(before.any...) {
		if o >= 0 {
			key := string(s.old.AppendCanonical(nil, o))
			known[key] = append(known[key], o)
		}
	}
	for _, n := range slices.Concat(after.any...) {
		if n < 0 {
			continue
		}
		key := string(s.now.AppendCanonical(nil, n))
		if twins := known[key]; len(twins) > 0 {
			known[key] = twins[1:]
			s.asVariant(twins[0], n)
			continue
		}
		fresh = append(fresh, n)
	}
	for _, o := range slices.Concat(before.any...) {
		if o >= 0 && slices.Contains(known[string(s.old.AppendCanonical(nil, o))], o) {
			gone = append(gone, o)
		}
	}
	s.otherVariants(before, gone, fresh)
}

// otherVariants reports variants that were added or removed. If as many were removed as added,
// it compares them in pairs, in order.
func (s *schemaChange) otherVariants(before *view, gone, fresh []int) {
	for i, n := range fresh {
		if len(gone) == len(fresh) {
			s.asVariant(gone[i], n)
			continue
		}
		weight := scanner.Low
		v := s.is.view(n)
		if takesText(s.is.types(v)) && s.is.choices(v) == nil && s.is.get(v, "properties") < 0 && len(s.was.types(before)) > 0 && !takesText(s.was.types(before)) {
			weight = s.loosened()
		}
		s.inner("", -1, n).add(weight, "%s has an additional variant", s.about())
	}
	if len(gone) > len(fresh) {
		s.add(scanner.Note, "%s has fewer variants", s.about())
	}
}

// asVariant compares the constraints of two variants. Properties are compared separately, for all
// variants together.
func (s *schemaChange) asVariant(old, now int) {
	in := s.inner("", old, now)
	in.variant = true
	in.compare()
}

// others reports changed keywords that no other comparison covers.
func (s *schemaChange) others(old, now int) {
	var changed []string
	for _, name := range s.members(old, now) {
		o, n := s.old.Get(old, name), s.now.Get(now, name)
		if s.same(o, n) || compared(name) || isText(name, &s.old, o) && isText(name, &s.now, n) {
			continue
		}
		changed = append(changed, strconv.Quote(name))
	}
	if len(changed) > 0 {
		s.add(scanner.Note, "%s of %s changed", strings.Join(changed[:min(len(changed), 5)], ", "), s.about())
	}
}
