package drift

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpscan/mcpscan/internal/jsonschema"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// types returns the types that a type keyword lists.
func types(doc *wire.Doc, i int) (all []string) {
	if doc.Kind(i) != wire.Array {
		return []string{jsonschema.Text(doc, i)}
	}
	for c := doc.First(i); c >= 0; c = doc.Next(c) {
		all = append(all, jsonschema.Text(doc, c))
	}
	return all
}

// covers reports whether the list wide includes every type in the list narrow.
func covers(wide, narrow []string) bool {
	if len(wide) == 0 {
		return true
	}
	return len(narrow) > 0 && !slices.ContainsFunc(narrow, func(t string) bool {
		return !slices.Contains(wide, t) && (t != "integer" || !slices.Contains(wide, "number"))
	})
}

// types reports a change in the types that a value may have. A type permits text only if the schema
// does not list the values.
func (s *schemaChange) types(before, after []string, listed bool) {
	if covers(before, after) && covers(after, before) {
		return
	}
	told := func(all []string) string {
		if len(all) == 0 {
			return "anything"
		}
		return strings.Join(all[:min(len(all), 7)], " or ")
	}
	weight := scanner.Medium
	switch free := takesText(after) && !takesText(before) && !listed; {
	case covers(before, after): // the new types are narrower
		weight = scanner.Note
	case free && s.guarded():
		weight = scanner.High
	case covers(after, before) && !free && len(after) > 0:
		weight = scanner.Low
	}
	s.add(weight, "the type of %s was %s and is %s", s.about(), told(before), told(after))
}

// choices returns the values that a schema or its variants list, or nil if any value is possible.
func (s *side) choices(v *view) []int { return s.choicesIn(v, 0) }

func (s *side) choicesIn(v *view, depth int) []int {
	if listed := s.listed(v, depth); listed != nil {
		return listed
	}
	for _, variants := range v.any {
		var all []int
		for _, variant := range variants {
			if s.isNull(variant) {
				continue
			}
			var some []int
			if depth < maxVariants {
				some = s.choicesIn(s.view(variant), depth+1)
			}
			if some == nil {
				all = nil
				break
			}
			all = append(all, some...)
		}
		if all != nil {
			return all
		}
	}
	return nil
}

// listed returns the values that a schema itself lists, or nil if it lists none. In a variant,
// each listed value counts as a lookup, because any number of variants may refer to the same list.
func (s *side) listed(v *view, depth int) []int {
	for _, schema := range v.all {
		if c := s.doc.Get(schema, "enum"); s.doc.Kind(c) == wire.Array {
			values := s.items(c)
			if depth > 0 {
				s.looks -= len(values)
			}
			return values
		}
		if c := s.doc.Get(schema, "const"); c >= 0 {
			return []int{c}
		}
	}
	return nil
}

// choicesOfAll returns the values that several schemas list, without duplicates, or nil if one of them
// lists none. Each value counts as a lookup, because any number of schemas may refer to the same list.
func (s *side) choicesOfAll(schemas []int) (all []int) {
	known := map[string]bool{}
	for _, schema := range schemas {
		some := s.choices(s.view(schema))
		if s.looks -= len(some); some == nil || s.looks < 0 {
			return nil
		}
		for _, value := range some {
			if written := string(s.doc.AppendCanonical(nil, value)); !known[written] {
				known[written] = true
				all = append(all, value)
			}
		}
	}
	return all
}

// typesOf returns the types of values, without duplicates.
func typesOf(doc *wire.Doc, values []int) (all []string) {
	for _, i := range values {
		t := jsonTypes[doc.Kind(i)]
		if t == "number" && !bytes.ContainsAny(doc.Raw(i), ".eE") {
			t = "integer"
		}
		if !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	return all
}

// jsonTypes contains the names of types in schemas.
var jsonTypes = [...]string{wire.Null: "null", wire.Bool: "boolean", wire.Number: "number", wire.String: "string", wire.Array: "array", wire.Object: "object"}

// choices reports a change in the values that a schema lists.
func (s *schemaChange) choices(before, after []int) {
	switch {
	case before == nil && after == nil:
		return
	case before == nil:
		s.add(scanner.Note, "%s is now an enum", s.about())
		return
	case after == nil:
		s.add(s.unfixed(before), "%s is no longer an enum", s.about())
		return
	}
	old := map[string]bool{}
	var was, more []string
	for _, o := range before {
		old[string(s.old.AppendCanonical(nil, o))] = true
		was = append(was, jsonschema.Text(&s.old, o))
	}
	kept := 0
	for _, n := range after {
		if old[string(s.now.AppendCanonical(nil, n))] {
			kept++
		} else {
			more = append(more, jsonschema.Text(&s.now, n))
		}
	}
	switch {
	case len(more) == 0 && kept < len(old):
		s.add(scanner.Note, "%s has fewer values", s.about())
	case kept == 0:
		s.add(s.moreChoices(before, was, more, scanner.Medium), "%s has different values: %s", s.about(), firstOf(more))
	case len(more) > 0:
		s.add(s.moreChoices(before, was, more, scanner.Low), "%s can now be %s", s.about(), firstOf(more))
	}
}

// moreChoices rates newly listed values. It returns at least the given weight.
func (s *schemaChange) moreChoices(before []int, was, more []string, weight scanner.Severity) scanner.Severity {
	for _, value := range more {
		if reaches(s.name) || anyWord(value, consequences) {
			weight = max(weight, scanner.Medium)
		}
		if leads, where := s.moved(was, value); where != "" {
			weight = max(weight, leads)
		}
	}
	if safe := safeValue(s.name); safe != "" && len(was) == 1 && was[0] == safe {
		weight = max(weight, scanner.High)
	}
	return max(weight, s.rateAddedValues(before, more))
}

func firstOf(values []string) string {
	return strconv.Quote(strings.Join(values[:min(len(values), 4)], ", "))
}

// unfixed rates a change after which the schema no longer lists a parameter's values. If the
// approved schema fixed a switch to its safe value, the change is rated High.
func (s *schemaChange) unfixed(before []int) scanner.Severity {
	safe := safeValue(s.name)
	if safe != "" && len(before) == 1 && jsonschema.Text(&s.old, before[0]) == safe {
		return scanner.High
	}
	if s.bounded() {
		return scanner.Medium
	}
	if s.stake.reads && anyWord(s.name, selecting) { // the values listed before were harmless
		return scanner.High
	}
	return s.loosened()
}

// selecting contains words for parameters that select an action, its actor or its recipient.
var selecting = names.Set(`op ops operation operations action actions mode method verb act task command role ` +
	`roles permission permissions access privilege privileges scope scopes level visibility audience acl ` +
	`grant`)

// grave contains words for values that destroy, run or open something, give it to everybody, or
// remove its protection.
var grave = names.Set(`delete remove destroy erase wipe purge truncate drop overwrite terminate kill revoke uninstall reset shutdown
	admin administrator owner root superuser superadmin sudo maintainer privileged public anyone everyone world unrestricted
	exec execute run shell eval raw sql script unlock disarm disable disabled off bypass force
	transfer withdraw pay refund impersonate grant all any *`)

// isGrave reports whether a value is dangerous for a parameter that selects an action.
func isGrave(value string) bool { return value == "*" || anyWord(value, grave) }

// rateAddedValues rates values added to a parameter's list of values.
func (s *schemaChange) rateAddedValues(before []int, more []string) scanner.Severity {
	if !anyWord(s.name, selecting) || !slices.ContainsFunc(more, isGrave) {
		return scanner.Low
	}
	had := slices.ContainsFunc(before, func(o int) bool { return isGrave(jsonschema.Text(&s.old, o)) })
	switch {
	case had:
		return scanner.Medium
	case s.stake.reads:
		return scanner.High
	}
	return s.mentionWeight(more...)
}
