package rules

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// keyword is a keyword of JSON Schema, and how two values of it compare. -1 is no value.
type keyword struct {
	name    string
	compare func(s *schemaChange, name string, old, now int)
}

// keywords returns those whose change can be weighed, in the order in which they are told.
func keywords() []keyword {
	return []keyword{
		{"type", compareType},
		{"enum", compareEnum}, {"const", compareLimit},
		{"pattern", compareLimit}, {"format", compareFormat},
		{"maxLength", compareMost}, {"maximum", compareMost}, {"exclusiveMaximum", compareMost}, {"maxItems", compareMost}, {"maxProperties", compareMost},
		{"minLength", compareLeast}, {"minimum", compareLeast}, {"exclusiveMinimum", compareLeast}, {"minItems", compareLeast},
		{"additionalProperties", compareOpen}, {"unevaluatedProperties", compareOpen},
		{"default", compareDefault},
		{"items", compareInner}, {"contains", compareInner}, {"propertyNames", compareInner}, {"not", compareInner}, {"if", compareInner}, {"then", compareInner}, {"else", compareInner},
		{"anyOf", compareList}, {"oneOf", compareList}, {"allOf", compareList}, {"prefixItems", compareList},
		{"$defs", compareNamed}, {"definitions", compareNamed}, {"patternProperties", compareNamed},
		{"$ref", compareLimit},
	}
}

// compared reports whether a keyword is compared, or is a text for people.
func compared(name string) bool {
	return slices.Contains([]string{"properties", "required", "title", "description"}, name) ||
		slices.ContainsFunc(keywords(), func(k keyword) bool { return k.name == name })
}

// types returns the types that a schema allows; none means all of them.
func types(doc *wire.Doc, i int) (all []string) {
	if doc.Kind(i) == wire.Array {
		for c := doc.First(i); c >= 0; c = doc.Next(c) {
			all = append(all, strings.Trim(string(doc.Raw(c)), `"`))
		}
		return all
	}
	if i >= 0 {
		all = append(all, strings.Trim(string(doc.Raw(i)), `"`))
	}
	return all
}

// covers reports whether a set of types lets all of another through.
func covers(wide, narrow []string) bool {
	if len(wide) == 0 {
		return true
	}
	return len(narrow) > 0 && !slices.ContainsFunc(narrow, func(t string) bool {
		return !slices.Contains(wide, t) && (t != "integer" || !slices.Contains(wide, "number"))
	})
}

func compareType(s *schemaChange, _ string, old, now int) {
	before, after := types(&s.old, old), types(&s.now, now)
	told := func(all []string) string {
		if len(all) == 0 {
			return "anything"
		}
		return strings.Join(all, " or ")
	}
	weight := scanner.Medium
	switch free := slices.Contains(after, "string") || len(after) == 0; {
	case covers(before, after): // narrower
		weight = scanner.Note
	case covers(after, before) && !free:
		weight = scanner.Low
	case free && reaches(s.name) && !slices.Contains(before, "string") && len(before) > 0:
		weight = scanner.High
	}
	s.add(weight, "the type of %s was %s and is %s", s.place(), told(before), told(after))
}

func compareEnum(s *schemaChange, _ string, old, now int) {
	switch {
	case old < 0:
		s.add(scanner.Note, "%s is one of a list now", s.place())
		return
	case now < 0:
		s.add(s.loosened(), "%s is not one of a list any more", s.place())
		return
	}
	var more []string
	for n := s.now.First(now); n >= 0; n = s.now.Next(n) {
		if !s.listed(old, n) {
			more = append(more, strings.Trim(string(s.now.Raw(n)), `"`))
		}
	}
	weight := scanner.Note
	for _, value := range more {
		weight = max(weight, scanner.Low)
		if anyWord(value, consequences) {
			weight = scanner.Medium
		}
	}
	if len(more) == 0 {
		s.add(weight, "%s has fewer values", s.place())
		return
	}
	s.add(weight, "%s can be %s", s.place(), strconv.Quote(strings.Join(more[:min(len(more), 4)], ", ")))
}

// listed reports whether the list at old has the value at node n of the new schema.
func (s *schemaChange) listed(old, n int) bool {
	for o := s.old.First(old); o >= 0; o = s.old.Next(o) {
		if s.same(o, n) {
			return true
		}
	}
	return false
}

// compareLimit compares a keyword that restricts whatever it says.
func compareLimit(s *schemaChange, name string, old, now int) {
	switch {
	case old < 0:
		s.add(scanner.Note, "%s has a %s", s.place(), name)
	case now < 0:
		s.add(s.loosened(), "%s has no %s any more", s.place(), name)
	default:
		s.add(scanner.Medium, "%s has another %s", s.place(), name)
	}
}

// compareFormat compares what validators take for a remark.
func compareFormat(s *schemaChange, name string, old, _ int) {
	if old < 0 {
		s.add(scanner.Note, "%s has a %s", s.place(), name)
		return
	}
	s.add(scanner.Low, "%s has lost its %s, or has another", s.place(), name)
}

func compareMost(s *schemaChange, name string, old, now int) { s.bound(name, old, now, 1) }

func compareLeast(s *schemaChange, name string, old, now int) { s.bound(name, old, now, -1) }

// bound compares a number that restricts in one direction.
func (s *schemaChange) bound(name string, old, now, direction int) {
	before, err1 := strconv.ParseFloat(rawOf(&s.old, old), 64)
	after, err2 := strconv.ParseFloat(rawOf(&s.now, now), 64)
	switch {
	case old < 0, err1 == nil && err2 == nil && now >= 0 && (after-before)*float64(direction) < 0:
		s.add(scanner.Note, "%s has a narrower %s", s.place(), name)
	default: // a size is not what keeps a call harmless
		s.add(scanner.Low, "%s has a wider %s", s.place(), name)
	}
}

func rawOf(doc *wire.Doc, i int) string {
	if i < 0 {
		return ""
	}
	return string(doc.Raw(i))
}

func compareOpen(s *schemaChange, name string, old, now int) {
	if rawOf(&s.now, now) == "false" {
		s.add(scanner.Note, "%s take no other members any more", s.place())
		return
	}
	if s.old.Kind(old) == wire.Object && s.now.Kind(now) == wire.Object {
		s.at(name, "", old, now)
		return
	}
	s.add(scanner.Low, "%s may have other members", s.place())
}

func compareDefault(s *schemaChange, _ string, _, now int) {
	weight := scanner.Low
	if value := rawOf(&s.now, now); strings.Contains(value, "://") || strings.Contains(value, "@") {
		weight = scanner.Medium
	}
	s.add(weight, "the default of %s changed", s.place())
}

func compareInner(s *schemaChange, name string, old, now int) {
	switch {
	case old < 0:
		s.add(scanner.Note, "%s has %q", s.place(), name)
	case now < 0:
		s.add(scanner.Low, "%s has no %q any more", s.place(), name)
	default:
		s.at(name, "", old, now)
	}
}

// compareList compares alternatives by their place.
func compareList(s *schemaChange, name string, old, now int) {
	if s.old.Kind(old) != wire.Array || s.now.Kind(now) != wire.Array || s.old.Nodes[old].Len != s.now.Nodes[now].Len {
		s.add(scanner.Low, "%q of %s is another one", name, s.place())
		return
	}
	o, n := s.old.First(old), s.now.First(now)
	for i := 0; o >= 0 && n >= 0; i++ {
		s.at(name+"/"+strconv.Itoa(i), "", o, n)
		o, n = s.old.Next(o), s.now.Next(n)
	}
}

// compareNamed compares schemas by their name.
func compareNamed(s *schemaChange, name string, old, now int) {
	for n := s.now.First(now); n >= 0; n = s.now.Next(n) {
		key := keyOf(&s.now, n)
		if o := s.old.Get(old, key); o >= 0 {
			s.at(name+"/"+escapePointer.Replace(key), "", o, n)
		} else {
			s.add(scanner.Note, "%q is a schema of its own now", key)
		}
	}
}
