package policyfile

import (
	"slices"
	"strings"
)

// covers reports that a rule matches everything that a later one matches: whatever
// the later one says of it is never heard. It says so only when it is sure.
func (r *rule) covers(later *rule) bool {
	if r.any {
		return true
	}
	if later.any || !globs(r.targets).coverAll(later.targets) || !globs(r.tools).coverAll(later.tools) ||
		!globs(r.servers).coverAll(later.servers) || !r.coversMethods(later) {
		return false
	}
	if !r.looks() {
		return true
	}
	// One that lets pass asks all arguments, one that refuses any.
	return (!r.passes() || later.passes()) && r.coversArguments(later) && r.coversPaths(later)
}

// coverAll reports whether each of the patterns is covered by one; no patterns match
// everything.
func (g globs) coverAll(o []*pattern) bool {
	if len(g) == 0 {
		return true
	}
	if len(o) == 0 {
		return slices.ContainsFunc(g, func(p *pattern) bool { return strings.Trim(p.source, "*") == "" && len(p.source) > 1 })
	}
	for _, p := range o {
		if !slices.ContainsFunc(g, func(own *pattern) bool { return own.glob.covers(p.glob) }) {
			return false
		}
	}
	return true
}

// coversForms reports whether what each pattern is compared with as a path is covered.
func (g globs) coversForms(o []*pattern) bool {
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
		for _, f := range p.homes {
			if !covered(f) && !slices.ContainsFunc(g, func(own *pattern) bool {
				return slices.ContainsFunc(own.homes, func(h *glob) bool { return h.covers(f) })
			}) {
				return false
			}
		}
	}
	return len(o) > 0
}

// includes reports whether a pattern covers another one, as a name and as a path.
func (p *pattern) includes(o *pattern) bool {
	return p.glob.covers(o.glob) && (len(p.forms) == 0 || globs{p}.coversForms([]*pattern{o}))
}

func (r *rule) coversPaths(later *rule) bool {
	return len(r.paths) == 0 || globs(r.paths).coversForms(later.paths)
}

func (r *rule) coversArguments(later *rule) bool {
	for _, a := range r.args {
		i := slices.IndexFunc(later.args, func(o argument) bool { return strings.EqualFold(o.name, a.name) })
		if i < 0 || !a.coverAll(later.args[i].globs) || !a.coversForms(later.args[i].globs) {
			return false
		}
	}
	return true
}

// scope returns the methods of MCP that a rule can match, and whether it can match no
// others.
func (r *rule) scope() (scope []string, closed bool) {
	for _, m := range methods {
		if (len(r.methods) == 0 || globs(r.methods).match(m)) && (len(r.tools) == 0 || m == "tools/call") && r.event(&request{event: eventOf(m)}) {
			scope = append(scope, m)
		}
	}
	closed = len(r.tools) > 0 || len(r.methods) > 0 && !slices.ContainsFunc(r.methods, func(p *pattern) bool { return strings.ContainsAny(p.source, "*?") })
	return scope, closed
}

// coversMethods compares the methods and events. A rule for connections covers no
// other one.
func (r *rule) coversMethods(later *rule) bool {
	if len(r.methods)+len(r.types)+len(r.tools) == 0 {
		return true
	}
	scope, closed := later.scope()
	if len(r.tools) > 0 && (!closed || len(scope) != 1 || scope[0] != "tools/call") {
		return false
	}
	for _, m := range scope {
		if len(r.methods) > 0 && !globs(r.methods).match(m) || len(r.types) > 0 && !globs(r.types).match(eventOf(m)) {
			return false
		}
	}
	return closed || globs(r.methods).coverAll(later.methods) && globs(r.types).coverAll(later.types) &&
		(len(r.types) == 0 || !slices.ContainsFunc(r.types, func(p *pattern) bool { return p.match(connect) }))
}
