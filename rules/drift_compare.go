package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// difference is one thing in which two schemas differ, and how far it goes.
type difference struct {
	pointer, name, what string
	weight              scanner.Severity
}

// schemaChange compares two schemas place by place. A place is told once, and
// what stands at the same place in both is compared whatever surrounds it.
type schemaChange struct {
	*change
	pointer string // of the place
	name    string // of the parameter that it belongs to
	result  bool   // it is the schema of results, which ask for nothing
	depth   int
	found   []difference
}

// maxDifferences bounds what is told of one schema, and maxCompared how deep it
// is compared; what lies deeper is told as another keyword.
const (
	maxDifferences = 64
	maxCompared    = 24
)

func (s *schemaChange) add(weight scanner.Severity, format string, args ...any) {
	if s.result {
		weight = scanner.Note
	}
	if len(s.found) < maxDifferences {
		s.found = append(s.found, difference{s.pointer, s.name, fmt.Sprintf(format, args...), weight})
	}
}

// at compares what stands one step further in.
func (s *schemaChange) at(step, name string, old, now int) {
	inner := *s
	inner.pointer += "/" + step
	inner.name = cmp.Or(name, s.name)
	inner.depth++
	inner.compare(old, now)
	s.found = inner.found
}

// compare tells what is different between the schemas at two nodes.
func (s *schemaChange) compare(old, now int) {
	switch {
	case s.same(old, now):
	case old < 0:
		s.add(scanner.Note, "it has a schema now")
	case now < 0:
		s.add(s.loosened(), "it has no schema any more")
	case s.depth > maxCompared || s.old.Kind(old) != wire.Object || s.now.Kind(now) != wire.Object:
		s.add(scanner.Low, "the schema of %s is another one", s.place())
	default:
		s.properties(old, now)
		for _, k := range keywords() {
			o, n := s.old.Get(old, k.name), s.now.Get(now, k.name)
			if !s.same(o, n) {
				k.compare(s, k.name, o, n)
			}
		}
		s.others(old, now)
	}
}

// place names what a difference is about.
func (s *schemaChange) place() string {
	if s.name == "" {
		return "the arguments"
	}
	return strconv.Quote(s.name)
}

// loosened weighs a constraint that is gone: what is run, opened or reached is
// worth a constraint.
func (s *schemaChange) loosened() scanner.Severity {
	if reaches(s.name) {
		return scanner.High
	}
	return scanner.Medium
}

// properties compares the parameters of an object.
func (s *schemaChange) properties(old, now int) {
	before, after := s.old.Get(old, "properties"), s.now.Get(now, "properties")
	var gone, fresh []int
	for o := s.old.First(before); o >= 0; o = s.old.Next(o) {
		name := keyOf(&s.old, o)
		n := s.now.Get(after, name)
		if n < 0 {
			gone = append(gone, o)
			continue
		}
		if needed := scanner.Required(&s.now, now, name); needed && !scanner.Required(&s.old, old, name) {
			s.told(name, s.newlyRequired(name, n), "%q is required now", name)
		}
		s.at("properties/"+escapePointer.Replace(name), name, o, n)
	}
	for n := s.now.First(after); n >= 0; n = s.now.Next(n) {
		if s.old.Get(before, keyOf(&s.now, n)) < 0 {
			fresh = append(fresh, n)
		}
	}
	gone = s.fresh(old, now, gone, fresh, s.old.First(before) >= 0)
	for _, o := range gone {
		s.told(keyOf(&s.old, o), scanner.Note, "%q is gone", keyOf(&s.old, o))
	}
}

// told adds a difference about a parameter of the object at hand.
func (s *schemaChange) told(name string, weight scanner.Severity, format string, args ...any) {
	inner := *s
	inner.pointer += "/properties/" + escapePointer.Replace(name)
	inner.name = name
	inner.add(weight, format, args...)
	s.found = inner.found
}

// fresh tells of parameters that are new, and returns those that are gone and were
// not given another name.
func (s *schemaChange) fresh(old, now int, gone, fresh []int, declared bool) []int {
	for _, n := range fresh {
		name := keyOf(&s.now, n)
		needed := scanner.Required(&s.now, now, name)
		as := slices.IndexFunc(gone, func(o int) bool {
			return scanner.Required(&s.old, old, keyOf(&s.old, o)) == needed && s.same(s.old.Get(o, "type"), s.now.Get(n, "type"))
		})
		switch {
		case as >= 0 && !asksForMore(name):
			weight := scanner.Note
			if needed {
				weight = scanner.Medium
			}
			s.told(name, weight, "%q is called %q now", keyOf(&s.old, gone[as]), name)
			gone = slices.Delete(gone, as, as+1)
		case needed && declared:
			s.told(name, s.demand(n), "%q is new and required", name)
		case needed: // of a schema that declared nothing, and let everything through
			s.told(name, scanner.Low, "%q is declared and required now", name)
		case asksForMore(name):
			s.told(name, scanner.Medium, "%q is new, and asks for something that leaves the tool or comes from elsewhere", name)
		default:
			s.told(name, scanner.Note, "%q is new and optional", name)
		}
	}
	return gone
}

// demand weighs a new parameter that a call must carry: a choice, a number or a
// switch carries nothing away.
func (s *schemaChange) demand(schema int) scanner.Severity {
	if s.result || holdsText(&s.now, schema) && s.now.Get(schema, "enum") < 0 && s.now.Get(schema, "const") < 0 {
		return scanner.High
	}
	return scanner.Medium
}

// newlyRequired weighs a parameter that could be left out before.
func (s *schemaChange) newlyRequired(name string, schema int) scanner.Severity {
	if asksForMore(name) && holdsText(&s.now, schema) {
		return scanner.High
	}
	return scanner.Medium
}

// others tells of keywords that no comparison knows.
func (s *schemaChange) others(old, now int) {
	var all []string
	for n := s.now.First(now); n >= 0; n = s.now.Next(n) {
		all = append(all, keyOf(&s.now, n))
	}
	for o := s.old.First(old); o >= 0; o = s.old.Next(o) {
		all = append(all, keyOf(&s.old, o))
	}
	slices.Sort(all)
	var changed []string
	for _, name := range slices.Compact(all) {
		if compared(name) || s.same(s.old.Get(old, name), s.now.Get(now, name)) {
			continue
		}
		changed = append(changed, strconv.Quote(name))
	}
	if len(changed) > 0 {
		s.add(scanner.Note, "%s of %s changed", strings.Join(changed[:min(len(changed), 5)], ", "), s.place())
	}
}

// reaches reports whether a name is that of something which is run, opened or reached.
func reaches(name string) bool {
	return anyWord(name, reaching)
}

// asksForMore reports whether a name asks for what was not part of the task, or
// sends it somewhere.
func asksForMore(name string) bool { return anyWord(name, demanding) }

func anyWord(name string, set map[string]bool) bool {
	for _, w := range strings.Fields(spell(name)) {
		if set[w] {
			return true
		}
	}
	return false
}

var (
	reaching  = wordSet(`path paths file files filename dir directory root url uri host hostname domain command cmd shell script code sql query expression eval program executable destination`)
	demanding = wordSet(`bcc cc forward webhook callback recipient recipients destination endpoint proxy exfil upload
		token secret password passphrase credential credentials conversation history transcript messages context memory prompt env environment
		command cmd shell script`)
)
