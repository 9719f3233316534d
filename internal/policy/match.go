package policy

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// matches reports whether a rule matches a request. unsure is set if everything matches except
// arguments that were not inspected. This happens only for rules that refuse or, if a log lacks the
// arguments, for any rule.
func (r *Rule) matches(q *request) (match, unsure bool) {
	if r.Any {
		return true, false
	}
	if len(r.Servers) > 0 && !r.each(q, r.Servers, q.Server) || len(r.Methods) > 0 && !r.Methods.match(q.Method) ||
		!r.event(q) || !r.target(q) || !r.list.match(q) {
		return false, false
	}
	if !r.looks() || !(r.Passes() && q.lost) && r.path(q) && r.arguments(q) && r.connection(q) {
		return true, false
	}
	unsure = r.looks() && (q.Unlogged || q.lost && !r.Passes())
	return unsure, unsure
}

// match reports whether a call matches the criteria that exist only in policy lists.
func (l *listCriteria) match(q *request) bool {
	switch {
	case l.call == unlistedCall && q.Tool != nil, l.call == unnamedCall && q.Target != "", l.call == ambiguousCall && len(q.names) < 2:
		return false
	}
	return l.hash.IsZero() || l.hash.Is(q.Tool)
}

// match reports whether one of the patterns matches a name.
func (g Patterns) match(s string) bool {
	return slices.ContainsFunc(g, func(p *Pattern) bool { return p.Matches(s) })
}

// allows reports whether one of the patterns matches a name that is not too long to compare.
func (g Patterns) allows(name string) bool {
	return slices.ContainsFunc(g, func(p *Pattern) bool { return p.Allows(name) })
}

// refuses reports whether any of the patterns matches any of a name's spellings.
func (g Patterns) refuses(spellings []string) bool {
	return slices.ContainsFunc(g, func(p *Pattern) bool { return p.matchesAny(spellings) })
}

// event reports whether the event_type can match. For connect, this is only a precheck, because
// connect depends on the arguments.
func (r *Rule) event(q *request) bool {
	return len(r.Types) == 0 || r.Types.match(q.event) || !r.Passes() && r.Types.match(connect)
}

// connection reports whether the event_type matches. For connect, it checks whether the request contains
// a network address. Only rules that refuse support connect: an allow rule would let everything else in
// the message pass unchecked.
func (r *Rule) connection(q *request) bool {
	return len(r.Types) == 0 || r.Types.match(q.event) || !r.Passes() && q.connects()
}

// target reports whether the called tool's name matches or, in other requests, the prompt's name or
// the resource's URI. For a rule that refuses, one match among several names is enough, and a
// missing name also matches.
func (r *Rule) target(q *request) bool {
	if q.unnamed && !r.Passes() && (len(r.Tools) == 0 || q.Method == "tools/call") {
		return true
	}
	if len(r.Tools) > 0 && (q.Method != "tools/call" || !r.each(q, r.Tools, q.names...)) {
		return false
	}
	if len(r.Targets) == 0 {
		return true
	}
	if q.event == resourceRead {
		if r.Passes() && q.lost {
			return false
		}
		for i, uri := range q.names {
			if r.Targets.value(uri, q.uris[i], r.Passes()) != r.Passes() {
				return !r.Passes()
			}
		}
		return r.Passes()
	}
	return r.each(q, r.Targets, q.names...)
}

// each reports whether all names match, if the rule allows, or whether any name matches, if it
// refuses. If the rule refuses, every spelling of each name is tried.
func (r *Rule) each(q *request, g Patterns, names ...string) bool {
	for _, s := range names {
		match := r.Passes() && g.allows(s) || !r.Passes() && g.refuses(q.spelled(s))
		if match != r.Passes() {
			return !r.Passes()
		}
	}
	return r.Passes()
}

// path reports whether a request's paths match. An allow rule never matches a command by its paths,
// because a command can do more than they show.
func (r *Rule) path(q *request) bool {
	if len(r.Paths) == 0 {
		return true
	}
	if r.Passes() && (q.command || !slices.ContainsFunc(q.paths, func(v value) bool { return !v.aside })) {
		return false
	}
	for i := range q.paths {
		if r.Passes() && q.paths[i].aside {
			continue
		}
		if r.Paths.path(&q.paths[i], r.Passes()) != r.Passes() {
			return !r.Passes()
		}
	}
	return r.Passes()
}

// path reports whether a path's readings match. If the rule lets requests pass, all sure readings
// must match.
func (g Patterns) path(v *value, passes bool) bool {
	if !passes {
		return slices.ContainsFunc(v.low, func(s string) bool {
			return slices.ContainsFunc(g, func(p *Pattern) bool { return p.matchLow(s) })
		})
	}
	for _, s := range v.sure {
		if !g.matchPath(s) && !(v.directory && g.matchPath(s+"/")) {
			return false
		}
	}
	return len(v.sure) > 0
}

// matchPath reports whether one of the patterns matches a cleaned path.
func (g Patterns) matchPath(s string) bool {
	return slices.ContainsFunc(g, func(p *Pattern) bool {
		return slices.ContainsFunc(p.forms, func(g *glob) bool { return g.match(s) })
	})
}

// arguments reports whether all args.<name> criteria match.
func (r *Rule) arguments(q *request) bool {
	for i := range r.Args {
		if !r.Args[i].matches(q, r.Passes()) {
			return false
		}
	}
	return true
}

// matches reports whether the values under the argument's name match. It ignores the case of names,
// because some servers do.
func (a *Argument) matches(q *request, passes bool) bool {
	found := false
	for i := range q.values {
		v := &q.values[i]
		if len(v.keys) == 0 || !strings.EqualFold(v.keys[0], a.Name) || v.inner && passes {
			continue
		}
		found = true
		if a.value(v.Text, q.paths[v.first:v.last], passes) != passes || !passes && a.match(plainNumber(v.Text)) {
			return !passes
		}
	}
	return found && passes
}

// plainNumber returns a number without exponent and trailing zeros, because parsers read 1e3 and 1000.0
// as 1000. It returns any other text unchanged.
func plainNumber(s string) string {
	if s == "" || s[0] != '-' && (s[0] < '0' || s[0] > '9') {
		return s
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return s
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// value reports whether a string matches, as text or as a path.
func (g Patterns) value(text string, paths []value, passes bool) bool {
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
	if passes {
		return whole || g.match(text)
	}
	return g.matchFolded(text)
}

// matchFolded reports whether one of the patterns matches a text regardless of case.
func (g Patterns) matchFolded(text string) bool {
	folded := strings.Map(wire.FoldRune, text)
	return slices.ContainsFunc(g, func(p *Pattern) bool {
		return p.low.match(folded) || slices.ContainsFunc(p.lowForms, func(g *glob) bool { return g.match(folded) })
	})
}
