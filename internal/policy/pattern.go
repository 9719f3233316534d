package policy

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
)

// Pattern is a glob as written by the user, with all its readings.
type Pattern struct {
	Name
	at configfile.Position

	// forms are compared with cleaned paths. They expand ~ to all usual home directories, because
	// the server's is unknown.
	forms []*glob
	// homes are additional forms for paths below ~ in a rule that refuses: the home directory in
	// the pattern may be the one that ~ means.
	homes []*glob
	// relative are additional forms for relative paths in a rule that refuses: ** in the pattern may be
	// the unknown directory that contains them.
	relative []*glob

	// lowForms contains forms and relative in lower case, and lowHomes contains homes, for a rule that
	// refuses: some file systems ignore case.
	lowForms, lowHomes []*glob
}

// NewPattern returns a pattern for names.
func NewPattern(source string, at configfile.Position) *Pattern {
	return &Pattern{Name: nameOf(source, newGlob(source)), at: at}
}

// NewPathPattern returns a pattern that is also compared with paths.
func NewPathPattern(source string, at configfile.Position) *Pattern {
	p := NewPattern(source, at)
	sources := []string{source}
	if rest, ok := cutFile(source); ok {
		sources = []string{rest}
		if decoded := unescape(rest); decoded != rest {
			sources = append(sources, decoded)
		}
	}
	for _, s := range sources {
		if scheme, rest, ok := strings.Cut(s, "://"); ok {
			host, _, _ := strings.Cut(rest, "/")
			s = strings.ToLower(scheme+"://"+host) + rest[len(host):]
		} else {
			s = tidy(strings.ReplaceAll(s, `\`, "/"))
		}
		if drive(s) {
			s = strings.ToUpper(s[:1]) + s[1:]
		}
		for _, form := range homeForms(s) {
			p.forms = append(p.forms, newGlob(form))
			p.lowForms = append(p.lowForms, newGlob(strings.ToLower(form)))
		}
		if below, ok := strings.CutPrefix(s, "**/"); ok {
			p.relative = append(p.relative, newGlob(below))
			p.lowForms = append(p.lowForms, newGlob(strings.ToLower(below)))
		}
		if below := belowHome(s); below != "" {
			p.homes = append(p.homes, newGlob(below))
			p.lowHomes = append(p.lowHomes, newGlob(strings.ToLower(below)))
		}
	}
	return p
}

// tidy removes "." elements and repeated slashes from a pattern, as they are removed from paths. It
// keeps "..", because the element before it may be a wildcard.
func tidy(s string) string {
	for strings.HasPrefix(s, "./") {
		s = strings.TrimLeft(s[2:], "/")
	}
	for was := ""; was != s; {
		was, s = s, strings.ReplaceAll(strings.ReplaceAll(s, "//", "/"), "/./", "/")
	}
	return s
}

// cutFile removes file:// from a URI. A host other than localhost remains in front of the path.
func cutFile(s string) (rest string, ok bool) {
	if len(s) < 5 || !strings.EqualFold(s[:5], "file:") {
		return s, false
	}
	rest = s[5:]
	if after, authority := strings.CutPrefix(rest, "//"); authority {
		host, _, _ := strings.Cut(after, "/")
		rest = after
		if strings.EqualFold(host, "localhost") {
			rest = after[len(host):]
		}
	}
	if strings.HasPrefix(rest, "/") && drive(rest[1:]) {
		rest = rest[1:]
	}
	return rest, true
}

// drive reports whether a path begins with a drive letter.
func drive(s string) bool {
	return len(s) >= 2 && s[1] == ':' && (s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z') && (len(s) == 2 || s[2] == '/' || s[2] == '\\')
}

// homeForms returns the readings of a pattern that begins with ~, or any other pattern unchanged.
func homeForms(s string) []string {
	rest, ok := strings.CutPrefix(s, "~")
	if !ok {
		return []string{s}
	}
	user, below, _ := strings.Cut(rest, "/")
	if len(user) < len(rest) {
		below = "/" + below
	}
	forms := []string{s}
	if user == "" {
		user = "*"
		forms = append(forms, "/root"+below)
	}
	for _, homes := range homeDirectories {
		forms = append(forms, homes+user+below)
	}
	return forms
}

// belowHome converts a pattern that begins with a home directory to one that begins with ~. It
// returns "" for any other pattern.
func belowHome(s string) string {
	for _, homes := range homeDirectories {
		if rest, ok := strings.CutPrefix(s, homes); ok {
			user, below, more := strings.Cut(rest, "/")
			if more && user != "" && !strings.Contains(user, "**") {
				return "~/" + below
			}
		}
	}
	if rest, ok := strings.CutPrefix(s, "/root/"); ok {
		return "~/" + rest
	}
	return ""
}

// matchLow reports whether a cleaned path in lower case matches in a rule that refuses.
func (p *Pattern) matchLow(s string) bool {
	match := func(g *glob) bool { return g.match(s) }
	return slices.ContainsFunc(p.lowForms, match) || strings.HasPrefix(s, "~") && slices.ContainsFunc(p.lowHomes, match)
}

// climbs reports whether a pattern or path has a ".." element.
func climbs(source string) bool {
	return slices.Contains(strings.Split(strings.ReplaceAll(source, `\`, "/"), "/"), "..")
}

// resolved reports whether a pattern has a ".." element that no cleaned path has. Cleaned paths keep
// ".." at the beginning or after the home directory, because its target is unknown.
func resolved(source string) bool {
	s := tidy(strings.ReplaceAll(source, `\`, "/"))
	if strings.HasPrefix(s, "~") {
		_, s, _ = strings.Cut(s, "/")
	}
	rest, _ := climbed(s)
	return climbs(rest)
}

// Matches reports whether a name matches exactly as written.
func (p *Pattern) Matches(s string) bool { return p.exact.match(s) }

// patternsOf returns Patterns with a single name.
func patternsOf(n Name) Patterns { return Patterns{{Name: n}} }
