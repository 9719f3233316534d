package policy

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/text"
)

// Name is a glob for the name of a server or tool: * matches any text, ? one character, both
// including a slash, and \ escapes the next character.
type Name struct {
	text  string
	parts []rune // with anyText and oneRune for the wildcards
	low   []rune // the same in one case
}

// The wildcards in parts: no text has them.
const (
	anyText rune = -1 - iota
	oneRune
)

// MaxName is the length of the longest glob, and MaxCompared that of the longest compared
// name, in bytes: longer names are refused.
const (
	MaxName     = 512
	MaxCompared = 4096
)

// special are the characters that a glob must escape: the wildcards, and the special
// characters of other programs' globs.
const special = `*?\[]{}`

// ParseName parses a glob. Special characters of other programs are an error, because a rule
// that silently takes them literally refuses nobody.
func ParseName(glob string) (Name, error) {
	n := Name{text: glob}
	switch {
	case glob == "":
		return n, fmt.Errorf("an empty name matches nothing; * matches all")
	case len(glob) > MaxName:
		return n, fmt.Errorf("longer than %d bytes; no name is", MaxName)
	case !utf8.ValidString(glob):
		return n, fmt.Errorf("not valid UTF-8")
	}
	escaped := false
	for _, r := range glob {
		switch {
		case escaped && !strings.ContainsRune(special, r):
			return n, fmt.Errorf(`\ before %q; it escapes only %s`, r, special)
		case escaped:
			n.parts = append(n.parts, r)
		case r == '\\':
		case r == '*', r == '?':
			n.wildcard(r)
		case strings.ContainsRune(special, r):
			return n, fmt.Errorf(`%q is not a wildcard here: expected * or ?, or \%c for the character itself`, r, r)
		default:
			n.parts = append(n.parts, r)
		}
		escaped = !escaped && r == '\\'
	}
	if escaped {
		return n, fmt.Errorf(`it ends in \; expected one of %s after it`, special)
	}
	for _, r := range n.parts {
		n.low = append(n.low, low(r))
	}
	return n, nil
}

// wildcard adds one; several * in a row are one.
func (n *Name) wildcard(r rune) {
	w := oneRune
	if r == '*' {
		w = anyText
	}
	if k := len(n.parts); w == oneRune || k == 0 || n.parts[k-1] != anyText {
		n.parts = append(n.parts, w)
	}
}

// String returns the glob as it was written.
func (n Name) String() string { return n.text }

// All reports whether the glob matches every name.
func (n Name) All() bool { return len(n.parts) == 1 && n.parts[0] == anyText }

// Escape returns the glob that matches one name and no other.
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

// Allows reports whether the glob matches a name as it is written.
func (n Name) Allows(name string) bool {
	return len(name) <= MaxCompared && utf8.ValidString(name) && match(n.parts, name, nil)
}

// Refuses reports whether the glob matches a name in any case, or its visible form: no
// spelling evades a refusal.
func (n Name) Refuses(name string) bool {
	if len(name) > MaxCompared {
		return true
	}
	return match(n.low, name, low) || !plain(name) && match(n.low, looks(name), low)
}

// plain reports a name without look-alikes or invisible characters.
func plain(name string) bool {
	for i := range len(name) {
		if name[i] <= ' ' || name[i] >= 0x7F {
			return false
		}
	}
	return true
}

// looks returns a name without invisible characters, with look-alikes replaced.
func looks(name string) string {
	var f text.Folder
	return strings.TrimSpace(string(f.Fold([]byte(name)).Text))
}

// low returns the least of the characters that differ from r only in case.
func low(r rune) rune {
	if r < 0 {
		return r
	}
	least := r
	for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
		least = min(least, o)
	}
	return least
}

// match reports whether parts match all of a name whose characters are mapped. It never goes
// back before the last star, so time grows with the product of both lengths, and both are
// bounded.
func match(parts []rune, name string, mapped func(rune) rune) bool {
	p, i := 0, 0
	star, from := -1, 0 // the last star, and where the text begins that it does not stand for yet
	for i < len(name) {
		r, size := utf8.DecodeRuneInString(name[i:])
		if mapped != nil {
			r = mapped(r)
		}
		switch {
		case p < len(parts) && parts[p] == anyText:
			star, from = p, i
			p++
		case p < len(parts) && (parts[p] == oneRune || parts[p] == r):
			p, i = p+1, i+size
		case star >= 0:
			_, skipped := utf8.DecodeRuneInString(name[from:])
			from += skipped
			p, i = star+1, from
		default:
			return false
		}
	}
	for p < len(parts) && parts[p] == anyText {
		p++
	}
	return p == len(parts)
}
