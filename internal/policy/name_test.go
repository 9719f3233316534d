package policy

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func name(t testing.TB, glob string) Name {
	t.Helper()
	n, err := ParseName(glob)
	if err != nil {
		t.Fatalf("%q: %v", glob, err)
	}
	return n
}

// TestNames checks that wildcards also match slashes, that only the exact spelling is
// allowed, and that no other spelling evades a refusal.
func TestNames(t *testing.T) {
	for _, c := range []struct {
		glob, name      string
		allows, refuses bool
	}{
		{"*", "", true, true},
		{"*", "io.github.someone/files", true, true},
		{"query_*", "query_", true, true},
		{"query_*", "query_all/rows", true, true},
		{"query_*", "aquery_x", false, false},
		{"exec_*", "ns/exec_x", false, false},
		{"*exec_*", "ns/exec_x", true, true},
		{"read_?", "read_/", true, true},
		{"read_?", "read_é", true, true},
		{"read_?", "read_", false, false},
		{"read_?", "read_ab", false, false},
		{"a*b*c", "axxbyybzzc", true, true},
		{"a*b*c", "axxbyybzz", false, false},
		{"a**b", "ab", true, true},
		{"exec_*", "Exec_run", false, true},
		{"EXEC_*", "exec_run", false, true},
		{"exec_*", "exec\u200b_run", false, true}, // an invisible character
		{"exec_*", "ｅｘｅｃ_run", false, true},       // full-width characters
		{"exec_*", "\u0435xec_run", false, true},  // a Cyrillic e
		{"exec_run", " exec_run\n", false, true},  // surrounded by white space
		{"straße", "STRASSE", false, false},       // the spellings differ in more than case
		{"kelvin", "\u212aelvin", false, true},    // the Kelvin sign
		{`a\*b`, "a*b", true, true},
		{`a\*b`, "axb", false, false},
		{`\[x\]\{y\}\\`, `[x]{y}\`, true, true},
		{"run", strings.Repeat("x", MaxCompared+1), false, true}, // too long to compare
	} {
		n := name(t, c.glob)
		if n.Allows(c.name) != c.allows || n.Refuses(c.name) != c.refuses {
			t.Errorf("%q and %.40q: allows %v, refuses %v", c.glob, c.name, n.Allows(c.name), n.Refuses(c.name))
		}
	}
}

// TestBadNames checks that globs that would silently match nothing are rejected.
func TestBadNames(t *testing.T) {
	for glob, want := range map[string]string{
		"":                             "matches nothing",
		"exec_[a-z]":                   `'[' is not a wildcard here`,
		"{read,write}_*":               `'{' is not a wildcard here`,
		`C:\temp`:                      `\ before 't'`,
		`a\`:                           "it ends in",
		"\xff":                         "UTF-8",
		strings.Repeat("a", MaxName+1): "longer than",
	} {
		if _, err := ParseName(glob); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", glob, err, want)
		}
	}
}

// TestNamesAreLikeExpressions compares globs with equivalent regular expressions.
func TestNamesAreLikeExpressions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		glob := rapid.StringOfN(rapid.SampledFrom([]rune("ab/é*?")), 1, 8, -1).Draw(t, "glob")
		text := rapid.StringOfN(rapid.SampledFrom([]rune("ab/é")), 0, 12, -1).Draw(t, "text")
		n, err := ParseName(glob)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, r := range glob {
			switch r {
			case '*':
				b.WriteString(".*")
			case '?':
				b.WriteString(".")
			default:
				b.WriteString(regexp.QuoteMeta(string(r)))
			}
		}
		if want := regexp.MustCompile("(?s)^" + b.String() + "$").MatchString(text); n.Allows(text) != want {
			t.Fatalf("%q allows %q: %v", glob, text, !want)
		}
	})
}

// TestEscapedNamesMatchThemselves checks that the escaped glob of a name allows and
// refuses this name and no other.
func TestEscapedNamesMatchThemselves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.StringN(1, 40, 200).Draw(t, "a"), rapid.StringN(1, 40, 200).Draw(t, "b")
		n, err := ParseName(Escape(a))
		if err != nil || !n.Allows(a) || !n.Refuses(a) || n.Allows(b) && a != b {
			t.Fatalf("%q, %q: %v", a, b, err)
		}
	})
}

// TestHostileNames checks that no name makes a glob slow. A matcher that tried all
// ways of dividing the name among the stars would never finish.
func TestHostileNames(t *testing.T) {
	n := name(t, strings.Repeat("a*", MaxName/2-1)+"b")
	long := strings.Repeat("a", MaxCompared)
	if n.Allows(long) || n.Refuses(long) {
		t.Error("the glob matches")
	}
}
