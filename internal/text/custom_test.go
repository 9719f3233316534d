package text

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/effort"
)

// TestCustom checks that user patterns are found in folded text, using their literals if they have
// any.
func TestCustom(t *testing.T) {
	for _, c := range []struct {
		expr    string
		anchors []string // nil: run over each text as a whole
		text    string
		want    []string
	}{
		{`internal\.corp`, []string{"internal.corp"}, "see internal.corp", []string{"p@4-17"}},
		{`Internal\.CORP`, []string{"internal.corp"}, "see internal.corp", []string{"p@4-17"}},
		{`secret[_-]?key`, []string{"secret-key", "secret_key", "secretkey"}, "a secret-key", []string{"p@2-12"}},
		{`secret\s+key`, []string{"secret"}, "a secret key", []string{"p@2-12"}},
		{`secret[\s_]key`, []string{"secret\nkey", "secret key", "secret_key"}, "a secret key", []string{"p@2-12"}},
		{`(foo|far) away`, []string{"far away", "foo away"}, "foo away, far away", []string{"p@0-8", "p@10-18"}},
		{`prod-[0-9]+\.example|staging\d`, []string{".example", "staging0", "staging1", "staging2", "staging3", "staging4", "staging5", "staging6", "staging7", "staging8", "staging9"}, "prod-7.example", []string{"p@0-14"}},
		{`(acme){2,}`, []string{"acme"}, "acmeacme", []string{"p@0-8"}},
		{`\bacme\b`, []string{"acme"}, "an acme tool, acmeish", []string{"p@3-7"}},
		{`\b[0-9]{4}-[0-9]{4}\b`, nil, "card 1234-5678", []string{"p@5-14"}},
		{`^start`, nil, "start start", []string{"p@0-5"}},
		{`end$`, nil, "end end", []string{"p@4-7"}},
		{`ab|long literal`, nil, "ab", []string{"p@0-2"}},
		{`секрет`, []string{"секрет"}, "это секрет", []string{"p@7-19"}},
		// With look-around.
		{`acme(?!\.example)`, []string{"acme"}, "acme.example acme.test", []string{"p@13-17"}},
		{`(?<!not )allowed`, []string{"allowed"}, "not allowed allowed", []string{"p@12-19"}},
		{`(?<=\[)(?=x)[a-z]+`, nil, "[x] [yx] x", []string{"p@1-2"}},
		{`(?<![0-9])[0-9]{4}(?![0-9])`, nil, "12345 1234", []string{"p@6-10"}},
		{`(?!\)[(])\(?key[(]`, []string{"(key(", "key("}, "key(", []string{"p@0-4"}},
	} {
		p, err := Custom("p", c.expr)
		if err != nil {
			t.Errorf("%s: %v", c.expr, err)
			continue
		}
		if !slices.Equal(p.Anchors, c.anchors) || !p.Custom {
			t.Errorf("%s: anchors %q, want %q", c.expr, p.Anchors, c.anchors)
		}
		if got := spans(scannerFor(t, p), c.text); !slices.Equal(got, c.want) {
			t.Errorf("%s in %q: %q, want %q", c.expr, c.text, got, c.want)
		}
	}
}

// TestCustomRefuses checks that invalid patterns are reported instead of becoming
// checks that never fire.
func TestCustomRefuses(t *testing.T) {
	for expr, want := range map[string]string{
		`(open`:       "missing closing )",
		`(?=open`:     "missing ) after",
		`a\1`:         "invalid escape sequence",
		`(?>a)b`:      "invalid or unsupported Perl syntax",
		`a*`:          "matches the empty string",
		`x|`:          "matches the empty string",
		`(?=foo)`:     "matches the empty string",
		`Müller`:      `is "muller"; use that form`,
		`two  spaces`: `is "two spaces"`,
		`(?-i)KEY`:    `is "key"`,
		"tab\there":   `is "tab here"`,
		`(?!a{3,1})b`: "",
	} {
		if p, err := Custom("p", expr); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v; want an error with %q", expr, p, err, want)
		}
	}
}

// TestLookIsBounded checks that a slow search with a backtracking expression is abandoned and
// reported, however many windows the text has.
func TestLookIsBounded(t *testing.T) {
	p, err := Custom("p", `(?!(x+x+)+y)xxx+z`)
	if err != nil {
		t.Fatal(err)
	}
	s := scannerFor(t, p)
	hostile := strings.Repeat("x", 60) + "z "
	s.Scan([]byte(strings.Repeat(hostile, 1000))) // does not terminate without the time limit
	if got := s.Unfinished(); !slices.Equal(got, []int{0}) {
		t.Errorf("unfinished: %v", got)
	}
	if got := spans(s, "a xxxz b"); len(got) > 0 {
		t.Errorf("the next text of the event: %q", got)
	}
	s.Start()
	if got := spans(s, "a xxxz b"); !slices.Equal(got, []string{"p@2-6"}) || len(s.Unfinished()) > 0 {
		t.Errorf("the next event: %q, unfinished %v", got, s.Unfinished())
	}
}

// TestSweepIsBounded checks that patterns with more matches than the maximum are reported, and that
// no text is scanned in full for each match.
func TestSweepIsBounded(t *testing.T) {
	for _, expr := range []string{`[0-9]`, `[0-9].*x|[0-9]`, `(key1|key2).*x|key[12]`, `[0-9](?!x)`} {
		p, err := Custom("p", expr)
		if err != nil {
			t.Fatal(err)
		}
		s := scannerFor(t, p)
		effort.Linear(t, expr, 1<<16, func(size int) func() {
			text := []byte(strings.Repeat("key1 ", size))
			return func() {
				s.Start()
				if n := len(s.Scan(text)); n < maxMatches || len(s.Cut())+len(s.Unfinished()) == 0 {
					t.Errorf("%s: %d matches, cut %v, unfinished %v", expr, n, s.Cut(), s.Unfinished())
				}
			}
		})
		if n := len(s.Scan([]byte(strings.Repeat("key1 ", maxMatches/2)))); n != maxMatches/2 || len(s.Cut()) != 0 {
			t.Errorf("%s: %d matches, cut %v", expr, n, s.Cut())
		}
	}
}

// TestSweepMissesNothing checks that a match is found at any position in a long
// text.
func TestSweepMissesNothing(t *testing.T) {
	p, err := Custom("p", `[0-9]+ [a-z]+[0-9]`)
	if err != nil {
		t.Fatal(err)
	}
	s := scannerFor(t, p)
	for at := stretch - 30; at < stretch+30; at++ {
		text := strings.Repeat("é ", at/3) + strings.Repeat("-", at%3) + "12 ab3" + strings.Repeat(" .", stretch)
		if got := s.Scan([]byte(text)); len(got) != 1 || got[0].Start != at || got[0].End != at+6 {
			t.Errorf("at %d: %v", at, got)
		}
	}
}

// FuzzCustom checks that every accepted expression gives a pattern that compiles
// and runs, and that its anchors do not miss any match in folded text.
func FuzzCustom(f *testing.F) {
	for _, seed := range []string{`secret[_-]?key`, `(?i)a(b|c)+d{2}`, `(?<!x)foo(?=bar)`, `[[:alpha:]]+key`, `\Qa.b\E|c`, `a(?:b|)c`, `(?<!a(?=b))c+`, `(?!x)\bfo{2,3}?(?<=o)`} {
		f.Add(seed, "a secret-key foo bar abcd")
	}
	f.Fuzz(func(t *testing.T, expr, text string) {
		if len(expr) > 60 || len(text) > Reach {
			return
		}
		p, err := Custom("p", expr)
		if err != nil {
			return
		}
		m, err := NewMatcher([]Pattern{p})
		if err != nil {
			t.Fatalf("%q: %v", expr, err)
		}
		var folder Folder
		folded := slices.Clone(folder.Fold([]byte(text)).Text)
		found := m.NewScanner().Scan(folded)
		if p.Look == "" && regexp.MustCompile(p.Expr).Match(folded) != (len(found) > 0) {
			t.Errorf("%q with the anchors %q finds %v in %q", expr, p.Anchors, found, folded)
		}
	})
}
