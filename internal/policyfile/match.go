package policyfile

import (
	"slices"
	"strings"
)

// matches reports whether a rule matches a request. It is unsure where all matches but
// arguments that were not looked at: in a rule that refuses, and in any rule where a log
// does not have them.
func (r *rule) matches(q *request) (match, unsure bool) {
	if r.any {
		return true, false
	}
	if len(r.servers) > 0 && !r.each(q, r.servers, q.Server) || len(r.methods) > 0 && !globs(r.methods).match(q.Method) ||
		!r.event(q) || !r.target(q) {
		return false, false
	}
	if !r.looks() || !(r.passes() && q.lost) && r.path(q) && r.arguments(q) && r.connection(q) {
		return true, false
	}
	unsure = r.looks() && (q.Unlogged || q.lost && !r.passes())
	return unsure, unsure
}

// match reports whether one of the patterns matches a name.
func (g globs) match(s string) bool {
	for _, p := range g {
		if p.match(s) {
			return true
		}
	}
	return false
}

// refuses reports whether one of the patterns matches a name in one of its spellings.
func (g globs) refuses(spellings []string) bool {
	return slices.ContainsFunc(g, func(p *pattern) bool { return slices.ContainsFunc(spellings, p.low.match) })
}

// event compares the event_type, but not connect, which arguments tell.
func (r *rule) event(q *request) bool {
	return len(r.types) == 0 || globs(r.types).match(q.event) || !r.passes() && globs(r.types).match(connect)
}

// connection compares the event_type connect. It refuses alone: no message is nothing
// but a connection.
func (r *rule) connection(q *request) bool {
	return len(r.types) == 0 || globs(r.types).match(q.event) || !r.passes() && q.connects()
}

// target compares the names of tools, and their equivalents in other requests. If a request
// gives two names, one is enough to refuse it; a missing name is enough too.
func (r *rule) target(q *request) bool {
	if q.unnamed && !r.passes() && (len(r.tools) == 0 || q.Method == "tools/call") {
		return true
	}
	if len(r.tools) > 0 && (q.Method != "tools/call" || !r.each(q, r.tools, q.names...)) {
		return false
	}
	if len(r.targets) == 0 {
		return true
	}
	if q.event == resourceRead {
		if r.passes() && q.lost {
			return false
		}
		return globs(r.targets).value(q.Target, q.paths[:min(1, len(q.paths))], r.passes())
	}
	return r.each(q, r.targets, q.names...)
}

// each reports whether all names match if the rule allows, and one if it refuses: in any case,
// and as it looks to a reader.
func (r *rule) each(q *request, g globs, names ...string) bool {
	for _, s := range names {
		match := r.passes() && g.match(s) || !r.passes() && g.refuses(q.spelled(s))
		if match != r.passes() {
			return !r.passes()
		}
	}
	return r.passes()
}

// path compares every path in a request. A command can do more than its paths show, so none is
// allowed by them.
func (r *rule) path(q *request) bool {
	if len(r.paths) == 0 {
		return true
	}
	if r.passes() && (q.command || !slices.ContainsFunc(q.paths, func(v value) bool { return !v.aside })) {
		return false
	}
	for i := range q.paths {
		if r.passes() && q.paths[i].aside {
			continue
		}
		if globs(r.paths).path(&q.paths[i], r.passes()) != r.passes() {
			return !r.passes()
		}
	}
	return r.passes()
}

// path compares the readings of one path: all of the sure ones where the rule passes.
func (g globs) path(v *value, passes bool) bool {
	if !passes {
		return slices.ContainsFunc(v.low, func(s string) bool {
			return slices.ContainsFunc(g, func(p *pattern) bool { return p.matchLow(s) })
		})
	}
	for _, s := range v.sure {
		if !g.matchPath(s) && !(v.directory && g.matchPath(s+"/")) {
			return false
		}
	}
	return len(v.sure) > 0
}

func (g globs) matchPath(s string) bool {
	return slices.ContainsFunc(g, func(p *pattern) bool { return p.matchPath(s) })
}

// arguments compares all of args.<name>.
func (r *rule) arguments(q *request) bool {
	for i := range r.args {
		if !r.args[i].matches(q, r.passes()) {
			return false
		}
	}
	return true
}

// matches compares every value under the name of an argument. Names are compared
// without their case: there are servers that read them so.
func (a *argument) matches(q *request, passes bool) bool {
	found := false
	for i := range q.values {
		v := &q.values[i]
		if len(v.keys) == 0 || !strings.EqualFold(v.keys[0], a.name) {
			continue
		}
		found = true
		if a.value(v.Text, q.paths[v.first:v.last], passes) != passes {
			return !passes
		}
	}
	return found && passes
}

// value compares a text, and its readings as a path.
func (g globs) value(text string, paths []value, passes bool) bool {
	whole := false
	for i := range paths {
		switch ok := g.path(&paths[i], passes); {
		case !passes && ok:
			return true
		case passes && !paths[i].word:
			if whole = true; !ok {
				return false
			}
		}
	}
	return whole && passes || g.match(text)
}
