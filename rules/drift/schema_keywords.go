package drift

import (
	"slices"
	"strconv"

	"github.com/mcpscan/mcpscan/internal/jsonschema"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// keyword is a JSON Schema keyword and its comparison function, which gets -1 for a
// missing value.
type keyword struct {
	name    string
	compare func(s *schemaChange, name string, old, now int)
}

// keywords returns the keywords that are compared one by one, in reporting order.
func keywords() []keyword {
	return []keyword{
		{"pattern", comparePattern}, {"format", compareFormat},
		{"maxLength", compareMost}, {"maximum", compareMost}, {"exclusiveMaximum", compareMost}, {"maxItems", compareMost}, {"maxProperties", compareMost},
		{"minLength", compareLeast}, {"minimum", compareLeast}, {"exclusiveMinimum", compareLeast}, {"minItems", compareLeast},
		{"additionalProperties", compareOpen}, {"unevaluatedProperties", compareOpen},
		{"default", compareDefault},
		{"items", compareInner}, {"contains", compareInner}, {"propertyNames", compareInner}, {"additionalItems", compareInner},
		{"not", compareNot},
		{"prefixItems", compareList}, {"patternProperties", compareNamed},
	}
}

// compared reports whether a keyword is compared by meaning.
func compared(name string) bool {
	return slices.Contains([]string{"properties", "required", "dependentRequired", "type", "enum", "const", "$ref", "allOf", "anyOf", "oneOf", "then", "else"}, name) ||
		slices.ContainsFunc(keywords(), func(k keyword) bool { return k.name == name })
}

// compareFormat compares the keyword format, which validators need not enforce.
func compareFormat(s *schemaChange, name string, old, now int) {
	switch {
	case s.same(old, now):
	case old < 0:
		s.add(scanner.Note, "%s now has a %s", s.about(), name)
	default:
		s.add(scanner.Low, "%s lost or changed its %s", s.about(), name)
	}
}

func compareMost(s *schemaChange, name string, old, now int) { s.bound(name, old, now, 1) }

func compareLeast(s *schemaChange, name string, old, now int) { s.bound(name, old, now, -1) }

// bound compares a numeric limit, which restricts values in one direction.
func (s *schemaChange) bound(name string, old, now, direction int) {
	before, err1 := strconv.ParseFloat(jsonschema.Raw(&s.old, old), 64)
	after, err2 := strconv.ParseFloat(jsonschema.Raw(&s.now, now), 64)
	switch {
	case s.same(old, now):
	case old < 0, err1 == nil && err2 == nil && now >= 0 && (after-before)*float64(direction) < 0:
		s.add(scanner.Note, "%s has a narrower %s", s.about(), name)
	case now < 0:
		s.add(s.wider(name, true, before, after), "%s lost its %s", s.about(), name)
	default:
		s.add(s.wider(name, false, before, after), "%s has a wider %s", s.about(), name)
	}
}

func compareOpen(s *schemaChange, _ string, old, now int) {
	switch {
	case s.old.Kind(old) == wire.Object && s.now.Kind(now) == wire.Object:
		s.at("", old, now)
	case s.same(old, now):
	case jsonschema.Raw(&s.now, now) == "false":
		s.add(scanner.Note, "%s no longer accepts additional members", s.about())
	case s.stake.runs && s.name != "" && jsonschema.Raw(&s.old, old) == "false" && now >= 0: // a tool may execute all of its input
		s.add(scanner.High, "%s may now have additional members, in a tool that runs its input", s.about())
	default:
		s.add(scanner.Low, "%s may now have additional members", s.about())
	}
}

func compareInner(s *schemaChange, _ string, old, now int) {
	if s.now.Kind(now) == wire.Array || s.old.Kind(old) == wire.Array {
		compareList(s, "items", old, now)
		return
	}
	s.at("", old, now)
}

// compareNot compares excluded values; fewer exclusions allow more.
func compareNot(s *schemaChange, _ string, old, now int) {
	switch {
	case s.same(old, now):
	case old < 0:
		s.add(scanner.Note, "%s now excludes values", s.about())
	case s.bounded():
		s.add(scanner.Low, "%s excludes different values than before, or none", s.about())
	default:
		s.add(s.loosened(), "%s excludes different values than before, or none", s.about())
	}
}

// compareList compares lists of schemas by position.
func compareList(s *schemaChange, name string, old, now int) {
	if s.old.Kind(old) != wire.Array || s.now.Kind(now) != wire.Array || s.old.Nodes[old].Len != s.now.Nodes[now].Len {
		s.add(scanner.Low, "%q of %s changed", name, s.about())
		return
	}
	o, n := s.old.First(old), s.now.First(now)
	for o >= 0 && n >= 0 {
		s.at("", o, n)
		o, n = s.old.Next(o), s.now.Next(n)
	}
}

// compareNamed compares schemas by name.
func compareNamed(s *schemaChange, _ string, old, now int) {
	before := map[string]int{}
	for _, o := range s.was.items(old) {
		before[s.old.KeyString(o)] = o
	}
	for _, n := range s.is.items(now) {
		key := s.now.KeyString(n)
		if o, known := before[key]; known {
			s.at("", o, n)
		} else {
			s.inner("", -1, n).add(scanner.Low, "%q is a new pattern for names", key)
		}
	}
}
