package rules

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/scanner"
)

// properties compares the properties of an object.
func (s *schemaChange) properties(before, after *object) {
	var gone, fresh []*property
	for _, o := range before.list {
		n := after.named[o.name]
		if n == nil {
			gone = append(gone, o)
			continue
		}
		if n.needed > o.needed {
			s.tell(n, s.newlyRequired(n), "%q is required now", n.name)
		}
		s.schemas(o, n)
	}
	for _, n := range after.list {
		if before.named[n.name] == nil {
			fresh = append(fresh, n)
		}
	}
	for _, o := range s.fresh(gone, fresh, before.declares()) {
		s.inner(o.name, o.schema(), -1).add(scanner.Note, "%q is gone", o.name)
	}
}

// schemas compares the schemas of a property in its variants. One that stood there
// before is no change.
func (s *schemaChange) schemas(o, n *property) {
	known := map[string]bool{}
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
			s.inner(n.name, -1, node).add(scanner.Note, "%q is declared now", n.name)
			return
		}
		s.at(n.name, o.nodes[min(i, len(o.nodes)-1)], node)
	}
	if len(n.nodes) == 0 && len(o.nodes) > 0 {
		s.at(n.name, o.nodes[0], -1)
	}
}

// fresh tells of properties that are new, and returns those that are gone and were
// not given another name.
func (s *schemaChange) fresh(gone, fresh []*property, declared bool) []*property {
	waiting, looks := map[string][]*property{}, map[string]*property{}
	for _, o := range gone {
		kind := s.kindOf(&s.was, o)
		waiting[kind], looks[scanner.FoldName(o.name)] = append(waiting[kind], o), o
	}
	renamed := map[*property]bool{}
	for _, n := range fresh {
		as, kind := (*property)(nil), s.kindOf(&s.is, n)
		if o := looks[scanner.FoldName(n.name)]; o != nil && !renamed[o] {
			as = o
		} else if n.needed != sometimes {
			for len(waiting[kind]) > 0 && as == nil {
				if o := waiting[kind][0]; !renamed[o] {
					as = o
				}
				waiting[kind] = waiting[kind][1:]
			}
		}
		if as != nil && s.rename(as, n) {
			renamed[as] = true
			continue
		}
		s.freshOne(n, declared)
	}
	return slices.DeleteFunc(gone, func(o *property) bool { return renamed[o] })
}

// kindOf is what a property and the one of its new name share.
func (s *schemaChange) kindOf(of *side, p *property) string {
	if len(p.nodes) == 0 {
		return "undeclared"
	}
	all := of.types(of.view(p.nodes[0]))
	slices.Sort(all)
	return strings.Join(append(all, [...]string{"optional", "sometimes", "always"}[p.needed]), " ")
}

// rename tells of a property that has another name now. A name that asks for more
// is none of the kind.
func (s *schemaChange) rename(o, n *property) bool {
	disguise := scanner.FoldName(o.name) == scanner.FoldName(n.name) && (disguised(o.name) || disguised(n.name))
	weight := scanner.Note
	switch {
	case disguise:
		weight = scanner.High
	case asksForMore(n.name) && !asksForMore(o.name):
		return false
	case n.needed == always && o.needed != always:
		weight = s.newlyRequired(n)
	case n.needed != optional:
		weight = scanner.Medium
	}
	if disguise {
		s.tell(n, weight, "%q is spelled with other letters that look the same", n.name)
	} else {
		s.tell(n, weight, "%q is called %q now", o.name, n.name)
	}
	s.schemas(o, n)
	return true
}

func (s *schemaChange) freshOne(n *property, declared bool) {
	asks := s.asks(n)
	switch {
	case n.needed == always && declared:
		s.tell(n, s.demand(n), "%q is new and required", n.name)
	case n.needed == always && !asks: // of a schema that declared nothing, and let everything through
		s.tell(n, scanner.Low, "%q is declared and required now", n.name)
	case n.needed == sometimes && asks:
		s.tell(n, s.demand(n), "%q is new, is required in some calls, and asks for something that leaves the tool or comes from elsewhere", n.name)
	case asks:
		s.tell(n, scanner.Medium, "%q is new, and asks for something that leaves the tool or comes from elsewhere", n.name)
	case n.needed == sometimes:
		s.tell(n, scanner.Low, "%q is new and required in some calls", n.name)
	default:
		s.tell(n, scanner.Note, "%q is new and optional", n.name)
	}
}

// asks reports a property that asks for more by its own name, or by that of one in it.
func (s *schemaChange) asks(n *property) bool {
	asks := asksForMore(n.name)
	for _, node := range n.nodes {
		subschemas(&s.now, node, func(in subschema) bool {
			asks = asks || in.around >= 0 && asksForMore(keyOf(&s.now, in.node))
			return !asks
		})
	}
	return asks
}

// demand weighs a new parameter that a call must carry: a choice, a number or a
// switch carries nothing away.
func (s *schemaChange) demand(n *property) scanner.Severity {
	if s.carriesText(n) {
		return scanner.High
	}
	return scanner.Medium
}

// newlyRequired weighs a parameter that could be left out before.
func (s *schemaChange) newlyRequired(n *property) scanner.Severity {
	switch {
	case n.needed == sometimes:
		return scanner.Low
	case asksForMore(n.name) && s.carriesText(n):
		return scanner.High
	}
	return scanner.Medium
}

// carriesText reports whether a parameter takes text of the caller's choice.
func (s *schemaChange) carriesText(n *property) bool {
	if len(n.nodes) == 0 {
		return true
	}
	return slices.ContainsFunc(n.nodes, func(node int) bool {
		v := s.is.view(node)
		return takesText(s.is.types(v)) && s.is.get(v, "enum") < 0 && s.is.get(v, "const") < 0
	})
}

// takesText reports whether one of some types can carry text.
func takesText(types []string) bool {
	return len(types) == 0 || slices.ContainsFunc(types, func(t string) bool {
		return t != "boolean" && t != "integer" && t != "number" && t != "null"
	})
}
