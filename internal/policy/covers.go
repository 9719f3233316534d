package policy

import (
	"slices"
	"strings"
)

// covers reports whether a rule matches everything that a later one matches, so that the later one
// has no effect. It may return false negatives.
func (r *Rule) covers(later *Rule) bool {
	if r.Any {
		return true
	}
	if later.Any || !r.Targets.coverAll(later.Targets) || !r.Tools.coverAll(later.Tools) ||
		!r.Servers.coverAll(later.Servers) || !r.coversMethods(later) {
		return false
	}
	if !r.looks() {
		return true
	}
	// A rule that lets requests pass must match all arguments; for one that refuses, any match is
	// enough.
	return (!r.Passes() || later.Passes()) && r.coversArguments(later) && (len(r.Paths) == 0 || r.Paths.coversForms(later.Paths))
}

// coverAll reports whether each pattern in o is covered by one in g; an empty list matches
// everything.
func (g Patterns) coverAll(o Patterns) bool {
	if len(g) == 0 {
		return true
	}
	if len(o) == 0 {
		return slices.ContainsFunc(g, func(p *Pattern) bool { return strings.Trim(p.source, "*") == "" && len(p.source) > 1 })
	}
	return !slices.ContainsFunc(o, func(p *Pattern) bool {
		return !slices.ContainsFunc(g, func(own *Pattern) bool { return own.exact.covers(p.exact) })
	})
}

// coversForms reports whether the path forms of all patterns in o are covered.
func (g Patterns) coversForms(o Patterns) bool {
	var own []*glob
	for _, p := range g {
		own = append(own, p.forms...)
	}
	covered := func(f *glob) bool { return slices.ContainsFunc(own, func(g *glob) bool { return g.covers(f) }) }
	for _, p := range o {
		for _, f := range p.forms {
			if !covered(f) {
				return false
			}
		}
		for _, of := range [...]func(*Pattern) []*glob{func(p *Pattern) []*glob { return p.homes }, func(p *Pattern) []*glob { return p.relative }} {
			for _, f := range of(p) {
				if !covered(f) && !slices.ContainsFunc(g, func(own *Pattern) bool {
					return slices.ContainsFunc(of(own), func(o *glob) bool { return o.covers(f) })
				}) {
					return false
				}
			}
		}
	}
	return len(o) > 0
}

// includes reports whether a pattern covers another one, both as a name and as a path.
func (p *Pattern) includes(o *Pattern) bool {
	return p.exact.covers(o.exact) && (len(p.forms) == 0 || Patterns{p}.coversForms(Patterns{o}))
}

func (r *Rule) coversArguments(later *Rule) bool {
	for _, a := range r.Args {
		i := slices.IndexFunc(later.Args, func(o Argument) bool { return strings.EqualFold(o.Name, a.Name) })
		if i < 0 || !a.coverAll(later.Args[i].Patterns) || !a.coversForms(later.Args[i].Patterns) {
			return false
		}
	}
	return true
}

// scope returns the MCP methods that a rule can match, and whether it can match no others.
func (r *Rule) scope() (scope []string, closed bool) {
	for _, m := range Methods {
		if (len(r.Methods) == 0 || r.Methods.match(m)) && (len(r.Tools) == 0 || m == "tools/call") && r.event(&request{event: eventOf(m)}) {
			scope = append(scope, m)
		}
	}
	closed = len(r.Tools) > 0 || len(r.Methods) > 0 && !slices.ContainsFunc(r.Methods, func(p *Pattern) bool { return strings.ContainsAny(p.source, "*?") })
	return scope, closed
}

// coversMethods reports whether a rule's methods and events cover a later rule's. The event_type
// connect covers no method.
func (r *Rule) coversMethods(later *Rule) bool {
	if len(r.Methods)+len(r.Types)+len(r.Tools) == 0 {
		return true
	}
	scope, closed := later.scope()
	if len(r.Tools) > 0 && (!closed || len(scope) != 1 || scope[0] != "tools/call") {
		return false
	}
	for _, m := range scope {
		if len(r.Methods) > 0 && !r.Methods.match(m) || len(r.Types) > 0 && !r.Types.match(eventOf(m)) {
			return false
		}
	}
	return closed || r.Methods.coverAll(later.Methods) && r.Types.coverAll(later.Types) &&
		(len(r.Types) == 0 || !slices.ContainsFunc(r.Types, func(p *Pattern) bool { return p.Matches(connect) }))
}
