package policy

import (
	"strings"
	"unicode/utf8"
)

// A glob is a pattern whose wildcards are tokens. Each language of policies has its own
// wildcards; see newGlob and ParseName.
type glob struct {
	tokens []token
	prefix string // that every match begins with: all of a glob without wildcards
	suffix string // that every match ends with
	inner  string // the longest text that every match has
	wild   bool
}

// token is one step of a glob: a character, or one of the wildcards.
type token rune

// The wildcards are not characters.
const (
	one     token = -1 - iota // a character except a slash
	star                      // any characters except a slash
	deep                      // any characters
	anyRune                   // a character
)

// wild reports whether a token is a wildcard, and many whether it stands for any number of
// characters.
func (t token) wild() bool { return t < 0 }
func (t token) many() bool { return t == star || t == deep }

// takes reports whether a token matches a character, and any number of them where it
// is a star.
func (t token) takes(r rune) bool {
	return t == deep || t == anyRune || (t == star || t == one) && r != '/' || rune(t) == r
}

// newGlob reads a glob of a policy in TOML: * matches any characters except a slash, ** any
// characters, ? one character except a slash. Everything else is literal, including brackets
// and backslashes.
func newGlob(source string) *glob {
	var tokens []token
	for i := 0; i < len(source); {
		r, n := utf8.DecodeRuneInString(source[i:])
		i += n
		switch {
		case r == '?':
			tokens = append(tokens, one)
		case r != '*':
			tokens = append(tokens, token(r))
		default:
			t := star
			for i < len(source) && source[i] == '*' {
				i, t = i+1, deep
			}
			tokens = append(tokens, t)
		}
	}
	return globOf(tokens)
}

func globOf(tokens []token) *glob {
	g := &glob{tokens: tokens}
	var part strings.Builder
	end := func() {
		g.suffix = part.String()
		if !g.wild {
			g.prefix = g.suffix
		}
		if len(g.suffix) > len(g.inner) {
			g.inner = g.suffix
		}
		part.Reset()
	}
	for _, t := range tokens {
		if t.wild() {
			end()
			g.wild = true
		} else {
			part.WriteRune(rune(t))
		}
	}
	end()
	return g
}

// match reports whether the whole of s matches. It follows all ways through the
// pattern at once, so its time is that of the text by that of the pattern, whatever
// they are.
func (g *glob) match(s string) bool {
	if len(s) < len(g.prefix) || !strings.HasPrefix(s, g.prefix) || !strings.HasSuffix(s, g.suffix) {
		return false
	}
	if !g.wild {
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
			if g.tokens[at].many() {
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
		if at == len(g.tokens) || !g.tokens[at].many() {
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
	case !o.wild:
		return g.match(o.prefix)
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
			loops := own.many()
			switch {
			case t.many(): // it may stand for nothing, or for more than once
				if own == deep || own == star && t == star {
					next = g.reach(next, at)
				}
			case t == one && own.wild(), t == anyRune && (own == deep || own == anyRune), !t.wild() && own.takes(rune(t)):
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
