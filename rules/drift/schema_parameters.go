package drift

import (
	"slices"

	"github.com/mcpscan/mcpscan/internal/jsonschema"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/scanner"
)

// properties compares the properties of an object.
func (s *schemaChange) properties(before, after *objectProperties) {
	var gone, fresh []*property
	s.emptied(before, after)
	for _, o := range before.list {
		n := after.named[o.name]
		if n == nil {
			gone = append(gone, o)
			continue
		}
		if n.needed > o.needed {
			s.tell(n, s.newlyRequired(n), "%q is now required", n.name)
		}
		if n.needed < o.needed && !s.notAsked(o, n) {
			s.tell(n, scanner.Note, "%q is now optional", n.name)
		}
		s.schemas(o, n)
	}
	for _, n := range after.list {
		if before.named[n.name] == nil {
			fresh = append(fresh, n)
		}
	}
	for _, o := range s.fresh(gone, fresh, before.declares() || s.old.Get(s.from, "properties") >= 0) {
		if !s.notAsked(o, nil) {
			s.inner(o.name, o.schema(), -1).add(scanner.Note, "%q was removed", o.name)
		}
	}
}

// schemas compares the schemas that variants declare for a property. A schema that any variant
// already declared in the approved version does not count as a change, nor, if every variant
// listed values, does a value that one of them listed.
func (s *schemaChange) schemas(o, n *property) {
	known := map[string]bool{}
	var listed []int
	if len(o.nodes) > 1 {
		listed = s.was.choicesOfAll(o.nodes)
	}
	for _, node := range o.nodes {
		if !s.refers {
			known[string(s.old.AppendCanonical(nil, node))] = true
		}
	}
	for i, node := range n.nodes {
		if len(known) > 0 && known[string(s.now.AppendCanonical(nil, node))] {
			continue
		}
		if len(o.nodes) == 0 {
			s.inner(n.name, -1, node).add(scanner.Note, "%q was added", n.name)
			return
		}
		in := s.inner(n.name, o.nodes[min(i, len(o.nodes)-1)], node)
		in.listed, s.was.looks = listed, s.was.looks-len(listed)
		in.compare()
	}
	if len(n.nodes) == 0 && len(o.nodes) > 0 {
		s.at(n.name, o.nodes[0], -1)
	}
}

// freshOne reports a new property. Its severity depends mainly on what the property asks for: a
// requirement alone only breaks existing calls, which does not help an attacker.
func (s *schemaChange) freshOne(n *property, declared bool) {
	asks := s.asks(n)
	switch {
	case names.Disguised(n.name) && s.approvedName(n.name):
		s.tell(n, scanner.High, "%q is new, and looks like an approved parameter because of look-alike letters", n.name)
	case s.takesOutsideData(n):
		s.tell(n, scanner.High, "%q is new, and takes credentials or the conversation", n.name)
	case s.actsByDefault(n):
		how := "a call without this parameter"
		if n.needed == always {
			how = "a call with its only value"
		}
		s.tell(n, s.inner(n.name, -1, n.schema()).mentionWeight(), "%q is new, and %s now does more", n.name, how)
	case n.needed == always && asks && declared:
		s.tell(n, s.demand(n), "%q is new and required, and asks for a destination or for data from elsewhere", n.name)
	case n.needed == always && declared:
		s.tell(n, scanner.Medium, "%q is new and required", n.name)
	case n.needed == always && !asks: // the previous schema declared nothing and accepted everything
		s.tell(n, scanner.Low, "%q is now declared and required", n.name)
	case n.needed == sometimes && asks:
		s.tell(n, s.demand(n), "%q is new, required in some calls, and asks for a destination or for data from elsewhere", n.name)
	case asks && s.carriesText(n):
		s.tell(n, scanner.Medium, "%q is new, and asks for a destination or for data from elsewhere", n.name)
	case n.needed == sometimes:
		s.tell(n, scanner.Low, "%q is new, and required in some calls", n.name)
	default:
		s.tell(n, scanner.Note, "%q is new and optional", n.name)
	}
}

// approvedName reports whether a reader could mistake name for an approved parameter.
func (s *schemaChange) approvedName(name string) bool {
	if s.alike == nil {
		s.alike = map[string]bool{}
		jsonschema.Parameters(&s.old, 0, func(_ jsonschema.Subschema, was string) { s.alike[names.FoldName(was)] = true })
	}
	return s.alike[names.FoldName(name)]
}

// asks reports whether the name of a property, or of a nested property, asks for something beyond
// the task or for a destination. If the name is ambiguous, the description decides.
func (s *schemaChange) asks(n *property) bool {
	asks := asksForMore(n.name) || anyWord(n.name, raw) && s.carriesText(n)
	if description := s.descriptionOf(n); description != "" && anyWord(n.name, ambiguous) && !anyWord(n.name, unambiguous) {
		asks = asksForOutsideData(description)
	}
	for _, node := range n.nodes {
		jsonschema.Subschemas(&s.now, node, func(in jsonschema.Subschema) bool {
			asks = asks || in.Around >= 0 && asksForMore(s.now.KeyString(in.Node))
			return !asks
		})
	}
	return asks
}

// raw contains words for parameters whose values are executed unchanged.
var raw = names.Set(`raw sql command cmd shell script code eval expression statement exec program`)

// demand rates a new required parameter. An enum, a number or a boolean can leak little data.
func (s *schemaChange) demand(n *property) scanner.Severity {
	if s.carriesText(n) {
		return scanner.High
	}
	return scanner.Medium
}

// emptied reports a schema that required a declared parameter and now declares none and accepts
// anything. The change is rated high if the old schema restricted a parameter, and the tool has
// effects or the parameter's name refers to something that is run, opened or connected to.
// Otherwise, the change may be a mistake, and is rated medium.
func (s *schemaChange) emptied(before, after *objectProperties) {
	if len(after.list) > 0 || s.after != nil && jsonschema.Raw(&s.now, s.is.get(s.after, "additionalProperties")) == "false" {
		return
	}
	weight, needed := scanner.Medium, false
	for _, o := range before.list {
		needed = needed || o.needed == always && len(o.nodes) > 0
		if (s.stake.acts || reaches(o.name)) && s.rulesOut(o) {
			weight = scanner.High
		}
	}
	if needed {
		s.add(weight, "%s no longer declares any members, and accepts anything", s.about())
	}
}

// rulesOut reports whether a property had a list of values, a pattern or another constraint that
// excludes values.
func (s *schemaChange) rulesOut(o *property) bool {
	return slices.ContainsFunc(o.nodes, func(node int) bool {
		v := s.was.view(node)
		return s.was.choices(v) != nil || slices.ContainsFunc([]string{"pattern", "not", "maximum", "additionalProperties"}, func(keyword string) bool { return s.was.get(v, keyword) >= 0 })
	})
}

// newlyRequired rates a parameter that was optional before.
func (s *schemaChange) newlyRequired(n *property) scanner.Severity {
	switch {
	case n.needed == sometimes:
		return scanner.Low
	case asksForMore(n.name) && s.carriesText(n):
		return scanner.High
	}
	return scanner.Medium
}

// carriesText reports whether a parameter accepts arbitrary text.
func (s *schemaChange) carriesText(n *property) bool {
	if len(n.nodes) == 0 {
		return true
	}
	return slices.ContainsFunc(n.nodes, func(node int) bool {
		v := s.is.view(node)
		return takesText(s.is.types(v)) && s.is.get(v, "enum") < 0 && s.is.get(v, "const") < 0
	})
}

// takesText reports whether one of the types can carry text.
func takesText(types []string) bool {
	return len(types) == 0 || slices.ContainsFunc(types, func(t string) bool {
		return t != "boolean" && t != "integer" && t != "number" && t != "null"
	})
}
