package drift

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/scanner"
)

// fresh reports new and renamed properties, and returns the removed ones that were not renamed.
func (s *schemaChange) fresh(gone, fresh []*property, declared bool) []*property {
	waiting, looks := map[string][]*property{}, map[string]*property{}
	for _, o := range gone {
		kind := s.kindOf(&s.was, o)
		waiting[kind], looks[names.FoldName(o.name)] = append(waiting[kind], o), o
	}
	for _, o := range gone { // a property may have moved out of a removed object
		for _, in := range s.was.inside(o) {
			if name := names.FoldName(in.name); looks[name] == nil {
				looks[name] = in
			}
		}
	}
	renamed := map[*property]bool{}
	for _, n := range fresh {
		if s.grouped(gone, n, renamed) {
			continue
		}
		as, kind := (*property)(nil), s.kindOf(&s.is, n)
		if o := looks[names.FoldName(n.name)]; o != nil && !renamed[o] {
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
		if as != nil && n.needed == always && s.carriesMore(as, n) {
			s.tell(n, s.demand(n), "%q replaces %q and takes a whole collection or encoded data", n.name, as.name)
			continue
		}
		s.freshOne(n, declared)
	}
	return slices.DeleteFunc(gone, func(o *property) bool { return renamed[o] })
}

// kindOf returns a property's types and whether it is required, as one string. A new property of the
// same kind as a removed one may be the same property under another name.
func (s *schemaChange) kindOf(of *side, p *property) string {
	if len(p.nodes) == 0 {
		return "undeclared"
	}
	all := of.types(of.view(p.nodes[0]))
	slices.Sort(all)
	return strings.Join(append(all, [...]string{"optional", "sometimes", "always"}[p.needed]), " ")
}

// rename reports a renamed property. It returns false, so that the property counts as new, if it
// asks for more than the old property did.
func (s *schemaChange) rename(o, n *property) bool {
	disguise := names.FoldName(o.name) == names.FoldName(n.name) && (names.Disguised(o.name) || names.Disguised(n.name))
	weight := scanner.Note
	switch {
	case disguise:
		weight = scanner.High
	case asksForMore(n.name) && !asksForMore(o.name), s.carriesMore(o, n):
		return false
	case n.needed == always && o.needed != always:
		weight = s.newlyRequired(n)
	case n.needed != optional:
		weight = scanner.Medium
	}
	if disguise {
		s.tell(n, weight, "%q is spelled with look-alike letters", n.name)
	} else {
		s.tell(n, weight, "%q is now called %q", o.name, n.name)
	}
	s.schemas(o, n)
	return true
}

// carriesMore reports whether n takes bytes or a whole collection, such as an archive, where o did
// not.
func (s *schemaChange) carriesMore(o, n *property) bool {
	for _, keyword := range [...]string{"contentEncoding", "contentMediaType"} {
		if s.now.Get(n.schema(), keyword) >= 0 && s.old.Get(o.schema(), keyword) < 0 {
			return true
		}
	}
	return anyWord(n.name, wholes) && !anyWord(o.name, wholes)
}

// wholes contains words for parameters that take a whole collection.
var wholes = names.Set(`archive dump snapshot tree workspace bundle backup tarball zip everything`)

// inside returns the properties of a property of type object.
func (s *side) inside(p *property) []*property {
	if len(p.nodes) == 0 {
		return nil
	}
	return s.properties(s.view(p.nodes[0]), 0).list
}

// grouped reports whether several parameters were merged into one object, whose new members, if any, are
// optional and ask for nothing beyond the task.
func (s *schemaChange) grouped(gone []*property, n *property, renamed map[*property]bool) bool {
	took := map[*property]*property{}
	var other []*property
	for _, in := range s.is.inside(n) {
		at := slices.IndexFunc(gone, func(o *property) bool { return !renamed[o] && took[o] == nil && shortFor(o.name, in.name) })
		switch {
		case at >= 0 && (!asksForMore(in.name) || asksForMore(gone[at].name)):
			took[gone[at]] = in
		case in.needed == always || asksForMore(in.name):
			return false
		default:
			other = append(other, in)
		}
	}
	if len(took) < 2 || len(other) > len(took) {
		return false
	}
	s.tell(n, scanner.Medium, "%q now combines parameters that were separate", n.name)
	for _, o := range gone {
		if in := took[o]; in != nil {
			renamed[o] = true
			s.schemas(o, in)
		}
	}
	for _, in := range other {
		s.freshOne(in, true)
	}
	return true
}

// shortFor reports whether two names are equal, or one is a prefix of the other.
func shortFor(a, b string) bool {
	const least = 3
	a, b = names.FoldName(a), names.FoldName(b)
	return a == b || min(len(a), len(b)) >= least && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}
