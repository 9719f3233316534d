package policy

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// Name is a glob for the name of a server, tool or environment variable: * matches any characters, ?
// one character, both including slashes, and \ escapes the next character.
type Name struct {
	source string
	exact  *glob
	low    *glob // glob for names in folded case
}

// MaxName and MaxCompared are the maximum lengths, in bytes, of a glob and of a name compared with
// it. A longer name matches every glob that refuses, and none that allows.
const (
	MaxName     = 512
	MaxCompared = 4096
)

// special are the characters that must be escaped in a glob, because they are wildcards
// here or in other programs' globs.
const special = `*?\[]{}`

// ParseName parses a glob. Other programs' special characters are an error, because a deny rule that
// silently treated them as literals would not refuse what it seems to refuse.
func ParseName(glob string) (Name, error) {
	n := Name{source: glob}
	var tokens []token
	switch {
	case glob == "":
		return n, fmt.Errorf("an empty name matches nothing; * matches all")
	case len(glob) > MaxName:
		return n, fmt.Errorf("longer than %d bytes, the limit for a name", MaxName)
	case !utf8.ValidString(glob):
		return n, fmt.Errorf("not valid UTF-8")
	}
	escaped := false
	for _, r := range glob {
		switch {
		case escaped && !strings.ContainsRune(special, r):
			return n, fmt.Errorf(`\ before %q; it escapes only %s`, r, special)
		case escaped:
			tokens = append(tokens, token(r))
		case r == '\\':
		case r == '?':
			tokens = append(tokens, anyRune)
		case r == '*':
			tokens = append(tokens, deep)
		case strings.ContainsRune(special, r):
			return n, fmt.Errorf(`%q is not a wildcard here: expected * or ?, or \%c for the character itself`, r, r)
		default:
			tokens = append(tokens, token(r))
		}
		escaped = !escaped && r == '\\'
	}
	if escaped {
		return n, fmt.Errorf(`it ends in \; expected one of %s after it`, special)
	}
	return nameOf(glob, globOf(slices.CompactFunc(tokens, func(a, b token) bool { return a == deep && b == deep }))), nil
}

// nameOf returns a Name with its case-folded glob.
func nameOf(source string, exact *glob) Name {
	tokens := slices.Clone(exact.tokens)
	for i, t := range tokens {
		tokens[i] = token(wire.FoldRune(rune(t)))
	}
	return Name{source: source, exact: exact, low: globOf(tokens)}
}

// String returns the glob as written.
func (n Name) String() string { return n.source }

// All reports whether the glob matches every name.
func (n Name) All() bool { return n.exact != nil && slices.Equal(n.exact.tokens, []token{deep}) }

// literal returns the Name that matches exactly the given name, which may contain any characters.
func literal(name string) Name {
	var tokens []token
	for _, r := range name {
		tokens = append(tokens, token(r))
	}
	return nameOf(name, globOf(tokens))
}

// Escape returns the glob that matches exactly the given name.
func Escape(name string) string {
	var b strings.Builder
	for _, r := range name {
		if strings.ContainsRune(special, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Allows reports whether the glob matches a name exactly as written.
func (n Name) Allows(name string) bool {
	return n.exact != nil && len(name) <= MaxCompared && utf8.ValidString(name) && n.exact.match(name)
}

// Refuses reports whether the glob matches one of the name's spellings: see spellings.
func (n Name) Refuses(name string) bool { return n.matchesAny(spellings(name)) }

// matchesAny reports whether the glob matches one of the spellings. Nil stands for a name that is too
// long to compare, which always matches.
func (n Name) matchesAny(spellings []string) bool {
	return spellings == nil || n.low != nil && slices.ContainsFunc(spellings, n.low.match)
}

// spellings returns a name in folded case and, if it contains white space or anything but printable
// ASCII, also without invisible characters and with look-alikes replaced. It returns nil for a name that
// is too long to compare.
func spellings(name string) []string {
	if len(name) > MaxCompared {
		return nil
	}
	s := []string{strings.Map(wire.FoldRune, name)}
	if strings.IndexFunc(name, func(c rune) bool { return c <= ' ' || c >= 0x7F }) >= 0 {
		var f text.Folder
		s = append(s, strings.Map(wire.FoldRune, strings.TrimSpace(string(f.Fold([]byte(name)).Text))))
	}
	return s
}

// covers reports whether n is known to match every name that o matches.
func (n Name) covers(o Name, refuses bool) bool {
	switch {
	case n.source == o.source:
		return true
	case n.exact == nil || o.exact == nil:
		return false
	case !refuses:
		return n.exact.covers(o.exact)
	case !o.exact.wild:
		return n.Refuses(o.exact.prefix)
	}
	return n.low.covers(o.low)
}
