package policy

import (
	"strings"
	"unicode/utf8"
)

// A glob is a pattern parsed into tokens. Each policy language has its own wildcards; see newGlob
// and ParseName.
type glob struct {
	tokens []token
	prefix string // prefix of every match: the whole glob if it has no wildcards
	suffix string // suffix of every match
	inner  string // the longest literal that every match contains
	wild   bool
}

// token is one element in a glob: a character or a wildcard.
type token rune

// The wildcards are negative, so they are not valid characters.
const (
	one     token = -1 - iota // one character except a slash
	star                      // any number of characters except slashes
	deep                      // any number of characters
	anyRune                   // one character
)

// wild reports whether a token is a wildcard, and many whether it can match any number of
// characters.
func (t token) wild() bool { return t < 0 }
func (t token) many() bool { return t == star || t == deep }

// takes reports whether a token can match r or, for star and deep, text that contains r.
func (t token) takes(r rune) bool {
	return t == deep || t == anyRune || (t == star || t == one) && r != '/' || rune(t) == r
}

// newGlob parses a glob of a TOML policy: * matches any characters except a slash, ** any
// characters, ? one character except a slash. Everything else is literal, including brackets and
// backslashes.
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

// match reports whether all of s matches. It tracks all alternatives at once, so its time is at
// most proportional to the length of s times the length of the glob.
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
			next = g.after(next, at)
		}
		if states, next = next, states; len(states) == 0 {
			return false
		}
	}
	return states[len(states)-1] == len(g.tokens)
}

// reach adds a state and the states reachable from it by skipping stars. States are added in
// ascending order, so comparing with the last one detects duplicates.
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

// after adds the states that follow once the token at a state has matched one character.
func (g *glob) after(states []int, at int) []int {
	if !g.tokens[at].many() {
		at++
	}
	return g.reach(states, at)
}

// covers reports whether g matches everything that o matches. It may return false negatives,
// because it keeps only the states of g that are reached no matter what o's wildcards match.
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
			switch {
			case t.many(): // the wildcard may match nothing, or several characters
				if own == deep || own == star && t == star {
					next = g.reach(next, at)
				}
			case t == one && own.wild(), t == anyRune && (own == deep || own == anyRune), !t.wild() && own.takes(rune(t)):
				next = g.after(next, at)
			}
		}
		if states = next; len(states) == 0 {
			return false
		}
	}
	return states[len(states)-1] == len(g.tokens)
}
