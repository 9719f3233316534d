package policy

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		glob, text string
		want       bool
	}{
		{"shell_*", "shell_execute", true},
		{"shell_*", "shell_", true},
		{"shell_*", "shell_a/b", false},
		{"shell_**", "shell_a/b", true},
		{"*", "fs/read", false},
		{"**", "fs/read", true},
		{"*", "", true},
		{"?", "", false},
		{"?", "é", true},
		{"?", "/", false},
		{"a?c", "abc", true},
		{"exec", "Exec", false},
		{"/etc/**", "/etc/passwd", true},
		{"/etc/**", "/etc/ssl/x", true},
		{"/etc/**", "/etc", false},
		{"/etc/*", "/etc/ssl/x", false},
		{"**/.env", "/a/b/.env", true},
		{"**/.env", ".env", false},
		{"/a/**/z", "/a/b/c/z", true},
		{"/a/**/z", "/a/z", false},
		{"*/*", "a/b", true},
		{"*/*", "a/b/c", false},
		{"[ab]", "a", false},
		{"[ab]", "[ab]", true},
		{"{a,b}", "a", false},
		{`a\*`, `a\b`, true},
		{"a***b", "a/x/b", true},
		{"*a*b", "xaab", true},
		{"ab*ba", "aba", false},
		{"a*a", "a", false},
	} {
		if got := newGlob(c.glob).match(c.text); got != c.want {
			t.Errorf("%q on %q: %v", c.glob, c.text, got)
		}
	}
}

// reference returns a glob as a regular expression.
func reference(source string) *regexp.Regexp {
	var b strings.Builder
	for i := 0; i < len(source); {
		switch rest := source[i:]; {
		case rest[0] == '*':
			stars := len(rest) - len(strings.TrimLeft(rest, "*"))
			b.WriteString(map[bool]string{true: "[^/]*", false: ".*"}[stars == 1])
			i += stars
		case rest[0] == '?':
			b.WriteString("[^/]")
			i++
		default:
			_, n := utf8.DecodeRuneInString(rest)
			b.WriteString(regexp.QuoteMeta(rest[:n]))
			i += n
		}
	}
	return regexp.MustCompile(`\A(?s:` + b.String() + `)\z`)
}

func FuzzGlob(f *testing.F) {
	for _, s := range []string{"/etc/**|/etc/x", "a*b?c|abbc", "**/x/*|a/x/b", "*a*b*c|aabbcc", "ab*ba|aba", "é?*|éx"} {
		glob, text, _ := strings.Cut(s, "|")
		f.Add(glob, text)
	}
	f.Fuzz(func(t *testing.T, glob, text string) {
		if !utf8.ValidString(glob) || !utf8.ValidString(text) || len(glob) > 100 {
			return
		}
		want := reference(glob).MatchString(text)
		if got := newGlob(glob).match(text); got != want {
			t.Errorf("%q on %q: %v, the expression says %v", glob, text, got, want)
		}
		// A glob that covers another one must match everything that the other
		// matches.
		for _, wider := range []string{strings.ReplaceAll(glob, "?", "*"), "**", text + "*", "*" + text} {
			if newGlob(wider).covers(newGlob(glob)) && want && !newGlob(wider).match(text) {
				t.Errorf("%q covers %q, and does not match %q", wider, glob, text)
			}
		}
	})
}

func TestGlobCovers(t *testing.T) {
	for _, c := range []struct {
		wide, narrow string
		want         bool
	}{
		{"**", "*", true}, {"*", "**", false}, {"*", "?", true}, {"?", "*", false},
		{"shell_*", "shell_exec", true}, {"shell_*", "shell_e*", true}, {"shell_*", "shell_**", false},
		{"/etc/**", "/etc/ssl/*", true}, {"/etc/*", "/etc/ssl/*", false},
		{"*a*", "*a", true}, {"*a", "*a*", false}, {"a*b", "a?b", true}, {"a", "a", true}, {"a", "b", false},
		{"**", "a/b", true}, {"*", "a/b", false}, {"", "", true}, {"*", "", true}, {"", "*", false},
	} {
		if got := newGlob(c.wide).covers(newGlob(c.narrow)); got != c.want {
			t.Errorf("%q covers %q: %v", c.wide, c.narrow, got)
		}
	}
}

// TestGlobIsLinear uses a pattern on which a backtracking matcher would run for
// years.
func TestGlobIsLinear(t *testing.T) {
	if newGlob(strings.Repeat("**a*", 60) + "x?b").match(strings.Repeat("a", 20_000) + "b") {
		t.Error("matched")
	}
}
