package policyfile

import (
	"strings"
	"unicode/utf8"
)

// A glob is a pattern as documented: * matches any characters except a slash, ** any
// characters, ? one character except a slash. Everything else is literal, including brackets
// and backslashes.
type glob struct {
	source string
	prefix string // that every match begins with
	suffix string // that every match ends with
	inner  string // the longest text that every match has
	tokens []token
}

// token is one step of a glob: a character, or one of the wildcards.
type token rune

// The wildcards are not characters.
const (
	one  token = -1 - iota // ?
	star                   // *
	deep                   // **
)

// wild reports whether a token is a wildcard.
func (t token) wild() bool { return t < 0 }

// takes reports whether a token matches a character, and any number of them where it
// is a star.
func (t token) takes(r rune) bool {
	return t == deep || (t == star || t == one) && r != '/' || rune(t) == r
}

func newGlob(source string) *glob {
	g := &glob{source: source}
	for i := 0; i < len(source); {
		r, n := utf8.DecodeRuneInString(source[i:])
		i += n
		switch {
		case r == '?':
			g.tokens = append(g.tokens, one)
		case r != '*':
			g.tokens = append(g.tokens, token(r))
		default:
			t := star
			for i < len(source) && source[i] == '*' {
				i, t = i+1, deep
			}
			g.tokens = append(g.tokens, t)
		}
	}
	for part := range strings.FieldsFuncSeq(source, func(r rune) bool { return r == '*' || r == '?' }) {
		if len(part) > len(g.inner) {
			g.inner = part
		}
	}
	first, last := strings.IndexAny(source, "*?"), strings.LastIndexAny(source, "*?")
	if first < 0 {
		g.prefix = source
	} else {
		g.prefix, g.suffix = source[:first], source[last+1:]
	}
	return g
}

// plain reports whether a glob has no wildcard.
func (g *glob) plain() bool { return len(g.prefix) == len(g.source) }

// match reports whether the whole of s matches. It follows all ways through the
// pattern at once, so its time is that of the text by that of the pattern, whatever
// they are.
func (g *glob) match(s string) bool {
	if len(s) < len(g.prefix) || !strings.HasPrefix(s, g.prefix) || !strings.HasSuffix(s, g.suffix) {
		return false
	}
	if g.plain() {
		return len(s) == len(g.prefix)
	}
	if !strings.Contains(s, g.inner) {
		return false
	}
	states := g.reach(nil, utf8.RuneCountInString(g.prefix))
	var next []int
	for _, r := range s[len(g.prefix):] {
		next = next[:0]
		for _, at := range states {
			if at == len(g.tokens) || !g.tokens[at].takes(r) {
				continue
			}
			if g.tokens[at] == star || g.tokens[at] == deep {
				next = g.reach(next, at)
			} else {
				next = g.reach(next, at+1)
			}
		}
		if states, next = next, states; len(states) == 0 {
			return false
		}
	}
	return states[len(states)-1] == len(g.tokens)
}

// reach adds a state, and those after its stars. States are added in ascending order, so the
// last one shows which are there.
func (g *glob) reach(states []int, at int) []int {
	for {
		if len(states) == 0 || states[len(states)-1] < at {
			states = append(states, at)
		}
		if at == len(g.tokens) || g.tokens[at] != star && g.tokens[at] != deep {
			return states
		}
		at++
	}
}

// covers reports that everything that o matches is matched by g as well. It is never
// wrong when it says so, and does not find all cases: it keeps the states of g that
// are reached whatever the wildcards of o stand for.
func (g *glob) covers(o *glob) bool {
	switch {
	case o.plain():
		return g.match(o.source)
	case !strings.HasPrefix(o.prefix, g.prefix) || !strings.HasSuffix(o.suffix, g.suffix):
		return false
	}
	states := g.reach(nil, 0)
	for _, t := range o.tokens {
		var next []int
		for _, at := range states {
			if at == len(g.tokens) {
				continue
			}
			own := g.tokens[at]
			loops := own == star || own == deep
			switch {
			case t == star || t == deep: // it may stand for nothing, or for more than once
				if own == deep || own == star && t == star {
					next = g.reach(next, at)
				}
			case t == one && (own.wild()), t != one && own.takes(rune(t)):
				if loops {
					next = g.reach(next, at)
				} else {
					next = g.reach(next, at+1)
				}
			}
		}
		if states = next; len(states) == 0 {
			return false
		}
	}
	return states[len(states)-1] == len(g.tokens)
}
