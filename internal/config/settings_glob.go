package config

import (
	"slices"

	"github.com/bmatcuk/doublestar/v4"
)

// glob parses a glob for names.
func (r *settingsReader) glob(n *node) string {
	s := r.text(n)
	if !doublestar.ValidatePattern(s) {
		r.fail(n.pos, "%s is not a glob: expected a name with * for any part of it, or [abc] and {one,other}", Quoted(s))
	}
	return s
}

// globs reports whether a name matches a glob; an empty glob matches all.
func globs(glob, name string) bool {
	if glob == "" {
		return true
	}
	ok, _ := doublestar.Match(glob, name)
	return ok
}

// ruleGlob parses a glob that must match at least one rule.
func (r *settingsReader) ruleGlob(n *node) string {
	s := r.glob(n)
	if !slices.ContainsFunc(r.ids(), func(id string) bool { return globs(s, id) }) {
		r.known(s, n.pos)
	}
	return s
}
