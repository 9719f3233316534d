package policy

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// shortened decodes overlong two- and three-byte UTF-8 encodings of ASCII characters, as lenient
// decoders do.
func shortened(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch rest := s[i:]; {
		case len(rest) > 1 && rest[0]|1 == 0xC1 && rest[1]&0xC0 == 0x80:
			b.WriteByte(rest[0]&1<<6 | rest[1]&0x3F)
			i++
		case len(rest) > 2 && rest[0] == 0xE0 && rest[1]|1 == 0x81 && rest[2]&0xC0 == 0x80:
			b.WriteByte(rest[1]&1<<6 | rest[2]&0x3F)
			i += 2
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// alike adds a string's readings in programs and file systems that normalise Unicode. They count as
// certain if normalisation produces a ".." element or changes the number of slashes.
func (r *readings) alike(s string) {
	if strings.IndexFunc(s, func(c rune) bool { return c >= utf8.RuneSelf }) < 0 || !utf8.ValidString(s) {
		return
	}
	plain := strings.Map(likeASCII, norm.NFKC.String(s))
	switch {
	case plain == s:
	case climbs(plain) && !climbs(s), strings.Count(plain, "/") != strings.Count(s, "/"):
		r.plain(plain)
	default:
		var other readings
		other.one(plain)
		r.maybe = append(append(r.maybe, other.sure...), other.maybe...)
	}
}

// likeASCII returns the ASCII character that c looks like in a path, or -1 if some file systems
// drop c.
func likeASCII(c rune) rune {
	switch {
	case c == 0x2044 || c == 0x2215 || c == 0x29F8: // slashes
		return '/'
	case c == 0x2216 || c == 0x29F5 || c == 0x29F9: // backslashes
		return '\\'
	case c >= utf8.RuneSelf && unicode.Is(unicode.Cf, c): // invisible
		return -1
	}
	return c
}

// spelled returns a name's spellings, cached for all rules.
func (q *request) spelled(name string) []string {
	known, ok := q.spelt[name]
	if !ok {
		if q.spelt == nil {
			q.spelt = map[string][]string{}
		}
		known = spellings(name)
		q.spelt[name] = known
	}
	return known
}
