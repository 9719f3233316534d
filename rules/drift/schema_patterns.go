package drift

import (
	"regexp"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/jsonschema"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// comparePattern compares the patterns of a string.
func comparePattern(s *schemaChange, name string, old, now int) {
	free := func(doc *wire.Doc, i int) bool { return i < 0 || anyText[jsonschema.Text(doc, i)] }
	switch {
	case s.same(old, now):
	case free(&s.old, old):
		s.add(scanner.Note, "%s now has a %s", s.about(), name)
	case s.bounded():
		s.add(scanner.Low, "%s lost or changed its %s, but does not accept arbitrary text", s.about(), name)
	case free(&s.now, now):
		weight := scanner.Medium
		if s.letThrough(jsonschema.Text(&s.old, old), "") != "" {
			weight = s.loosened()
		}
		s.add(weight, "%s no longer has a %s", s.about(), name)
	default:
		if text := s.letThrough(jsonschema.Text(&s.old, old), jsonschema.Text(&s.now, now)); text != "" {
			s.add(s.loosened(), "%s has a different %s, which accepts %q", s.about(), name, text)
			return
		}
		s.add(scanner.Medium, "%s has a different %s", s.about(), name)
	}
}

// bounded reports whether constraints other than the pattern now rule out arbitrary text as a
// value.
func (s *schemaChange) bounded() bool {
	return s.after != nil && (!takesText(s.is.types(s.after)) || s.is.choices(s.after) != nil)
}

// anyText contains patterns that exclude at most empty strings and strings with line breaks.
var anyText = wordSetOf("", "^", "$", "^$|.*", ".", ".*", ".+", ".*$", "^.*", "^.*$", "^.+$", "(.*)", "^(.*)$", `[\s\S]*`, `^[\s\S]*$`, `[\s\S]+`, `^[\s\S]+$`, `[^]*`, "(?s).*", "(?s)^.*$")

func wordSetOf(all ...string) map[string]bool {
	set := map[string]bool{}
	for _, w := range all {
		set[w] = true
	}
	return set
}

// anyAddress is a mail address that could be anybody's.
const anyAddress = "a@x.example"

// hostileTexts are inputs that patterns should reject: path traversal, absolute paths, a second
// command, an option, another host, another SQL statement, more than one value, and names that
// refer to production or to a privileged account.
var hostileTexts = []string{
	"../../etc/passwd", "/etc/passwd", "~/.ssh/id_rsa", `C:\Windows\x`, "; rm -rf /", "a && b", "a|b", "$(id)", "`id`", "--option=x",
	"https://x.example/", "http://127.0.0.1/", "file:///etc/passwd", "git+https://x.example/a", "x.example", anyAddress, "' OR 1=1 --", "DROP TABLE a", "*", "a,b", "a b", "a\nb",
	"production", "system", "main", "root", "admin",
}

// letThrough returns the first hostile text that the old pattern rejects and the new one accepts,
// or "" if there is none. An old pattern that accepts at least half of the hostile texts is not
// considered a protection. An unreadable new pattern is assumed to accept everything.
func (s *schemaChange) letThrough(old, now string) string {
	if s.patterns++; s.patterns > maxPatternsRead {
		return hostileTexts[0]
	}
	before, after := readPattern(old), readPattern(now)
	if before == nil && after == nil {
		return ""
	}
	if before != nil && before(anyAddress) && !s.stake.runs && !reaches(s.name) {
		return "" // an address format that anybody can satisfy protects nothing
	}
	kept, first := 0, ""
	for _, text := range hostileTexts {
		if before != nil && before(text) {
			continue
		}
		kept++
		if first == "" && (after == nil || after(text)) {
			first = text
		}
	}
	if kept <= len(hostileTexts)/2 {
		return ""
	}
	return first
}

// The limits for reading patterns: their number in one comparison, and their length in bytes.
const (
	maxPatternsRead = 256
	maxPatternBytes = 1000
)

// readPattern returns a matcher for an ECMA-262 pattern, or nil if it cannot be read. Go's package
// regexp has no lookahead, so lookahead at the start, where patterns usually have it, becomes a
// separate expression.
func readPattern(pattern string) func(string) bool {
	if len(pattern) > maxPatternBytes {
		return nil
	}
	pattern = unicodeEscape.ReplaceAllString(pattern, `\x{$1}`)
	var wanted, unwanted []*regexp.Regexp
	for {
		start := strings.TrimPrefix(pattern, "^")
		refuse := strings.HasPrefix(start, "(?!")
		if !refuse && !strings.HasPrefix(start, "(?=") {
			break
		}
		end := closing(start)
		if end < 0 {
			return nil
		}
		re, err := regexp.Compile("^(?:" + start[3:end] + ")")
		if err != nil {
			return nil
		}
		if refuse {
			unwanted = append(unwanted, re)
		} else {
			wanted = append(wanted, re)
		}
		pattern = "^" + start[end+1:]
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil
	}
	wanted = append(wanted, re)
	return func(text string) bool {
		matches := func(re *regexp.Regexp) bool { return re.MatchString(text) }
		return !slices.ContainsFunc(unwanted, matches) && !slices.ContainsFunc(wanted, func(re *regexp.Regexp) bool { return !matches(re) })
	}
}

var unicodeEscape = lazyregexp.New(`\\u([0-9A-Fa-f]{4})`)

// closing returns the end of the group that a pattern starts with, or -1 if unterminated.
func closing(pattern string) int {
	open, class := 0, false
	for i := 0; i < len(pattern); i++ {
		switch b := pattern[i]; {
		case b == '\\':
			i++
		case class:
			class = b != ']'
		case b == '[':
			class = true
		case b == '(':
			open++
		case b == ')':
			if open--; open == 0 {
				return i
			}
		}
	}
	return -1
}
