package text

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/effort"
)

func scannerFor(t testing.TB, patterns ...Pattern) *Scanner {
	t.Helper()
	m, err := NewMatcher(patterns)
	if err != nil {
		t.Fatal(err)
	}
	return m.NewScanner()
}

// spans returns the matches as "name@start-end".
func spans(s *Scanner, text string) []string {
	var got []string
	for _, m := range s.Scan([]byte(text)) {
		got = append(got, fmt.Sprintf("%s@%d-%d", s.m.patterns[m.Pattern].Name, m.Start, m.End))
	}
	return got
}

func TestScan(t *testing.T) {
	word := func(w string) Pattern { return Pattern{Name: w, Anchors: []string{w}} }
	far := strings.Repeat(".", Reach-1)
	for _, c := range []struct {
		name     string
		patterns []Pattern
		text     string
		want     []string
	}{
		{"nothing", []Pattern{word("a")}, "", nil},
		{"no patterns", nil, "text", nil},
		{"anchors end in each other", []Pattern{word("he"), word("she"), word("hers")}, "ushers", []string{"she@1-4", "he@2-4", "hers@2-6"}},
		{"anchors contain each other", []Pattern{word("b"), word("abc"), word("bc"), word("abcd")}, "xabcx", []string{"b@2-3", "abc@1-4", "bc@2-4"}},
		{"a failed longer anchor", []Pattern{word("abab"), word("ba")}, "abaabab", []string{"ba@1-3", "ba@4-6", "abab@3-7"}},
		{"repeated and overlapping", []Pattern{word("aa")}, "aaaaa", []string{"aa@0-2", "aa@2-4"}},
		{"the same anchor in two patterns", []Pattern{{Name: "p", Anchors: []string{"x"}}, {Name: "q", Anchors: []string{"x", "x"}}}, "x", []string{"p@0-1", "q@0-1"}},
		{"other bytes between", []Pattern{word("aбb")}, "aб aбb", []string{"aбb@4-8"}},
		{"the whole expression", []Pattern{{Name: "p", Expr: `do\s+not\s+tell(?: \w+)?`, Anchors: []string{"not"}}}, "please do  not tell anyone", []string{"p@7-26"}},
		{"an anchor without a match", []Pattern{{Name: "p", Expr: `ignore\s+previous`, Anchors: []string{"ignore"}}}, "ignore the noise, ignore previous", []string{"p@18-33"}},
		{"an anchor is the match", []Pattern{{Name: "p", Anchors: []string{"a"}}}, "a", []string{"p@0-1"}},
		{"as far back as it goes", []Pattern{{Name: "p", Expr: `s\.+end`, Anchors: []string{"end"}}}, "s" + far + "end", []string{fmt.Sprintf("p@0-%d", Reach+3)}},
		{"too far back", []Pattern{{Name: "p", Expr: `s\.+end`, Anchors: []string{"end"}}}, "s." + far + "end", nil},
		{"as far ahead as it goes", []Pattern{{Name: "p", Expr: `end\.+s`, Anchors: []string{"end"}}}, "end" + far + "s", []string{fmt.Sprintf("p@0-%d", Reach+3)}},
		{"too far ahead", []Pattern{{Name: "p", Expr: `end\.+s`, Anchors: []string{"end"}}}, "end." + far + "s", nil},
		{"a match is reported once", []Pattern{{Name: "p", Expr: `a+`, Anchors: []string{"a"}}}, "aaa b aa", []string{"p@0-3", "p@6-8"}},
	} {
		if got := spans(scannerFor(t, c.patterns...), c.text); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// TestScanLiterals checks that patterns without an expression are found at the same positions as in
// a plain search.
func TestScanLiterals(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	random := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "aab"[rnd.IntN(3)]
		}
		return string(b)
	}
	for range 300 {
		var patterns []Pattern
		for range 1 + rnd.IntN(8) {
			a := random(1 + rnd.IntN(6))
			patterns = append(patterns, Pattern{Name: a, Anchors: []string{a}})
		}
		s, text := scannerFor(t, patterns...), random(rnd.IntN(60))
		got := make([][]int, len(patterns))
		for _, m := range s.Scan([]byte(text)) {
			got[m.Pattern] = append(got[m.Pattern], m.Start)
		}
		for i, p := range patterns {
			var want []int
			for at := 0; len(want) < maxMatches; {
				next := strings.Index(text[at:], p.Name)
				if next < 0 {
					break
				}
				want = append(want, at+next)
				at += next + len(p.Name)
			}
			if !slices.Equal(got[i], want) {
				t.Fatalf("%q in %q with %v: got %v, want %v", p.Name, text, patterns, got[i], want)
			}
		}
	}
}

// honest contains patterns that meet the requirements: an anchor occurs in every match, and matches
// are shorter than Reach.
var honest = []Pattern{
	{Name: "gap", Expr: `a.{0,5}cc`, Anchors: []string{"cc"}},
	{Name: "or", Expr: `(?:ab|bc)\s+ca`, Anchors: []string{"ca"}},
	{Name: "choice", Expr: `b[ac]{2,4}b`, Anchors: []string{"ba", "bc"}},
	{Name: "near", Expr: `aab?c.{0,20}bb`, Anchors: []string{"aa"}},
	{Name: "rare", Expr: `acab[^\n]{0,30}\n(?:a|b)c{2,3}\b`, Anchors: []string{"acab"}},
	{Name: "line", Expr: `(?m)^ca b`, Anchors: []string{"ca b"}},
	{Name: "word", Expr: `(^|\s)cab\b`, Anchors: []string{"cab"}},
	{Name: "lazy", Expr: `c.{1,40}?ccc`, Anchors: []string{"c"}},
	{Name: "never", Expr: `abcabcabcabc\d`, Anchors: []string{"abc"}},
}

// TestScanAgrees checks that verifying around anchors finds a pattern in exactly
// the texts that its expression matches.
func TestScanAgrees(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	s := scannerFor(t, honest...)
	whole := make([]*regexp.Regexp, len(honest))
	for i, p := range honest {
		whole[i] = regexp.MustCompile(p.Expr)
	}
	const texts = 800
	hits := make([]int, len(honest))
	for range texts {
		text := make([]byte, rnd.IntN(1+rnd.IntN(1500)))
		for i := range text {
			text[i] = "aabbcc \n............"[rnd.IntN(8+rnd.IntN(13))]
		}
		found := make([]bool, len(honest))
		for _, m := range s.Scan(text) {
			found[m.Pattern] = true
			if !whole[m.Pattern].Match(text[m.Start:m.End]) {
				t.Fatalf("%s: %q at %d is not a match in %q", honest[m.Pattern].Name, text[m.Start:m.End], m.Start, text)
			}
		}
		for i, re := range whole {
			if want := re.Match(text); found[i] != want {
				t.Fatalf("%s: found %t, the expression %t in %q", honest[i].Name, found[i], want, text)
			}
			if found[i] {
				hits[i]++
			}
		}
	}
	for i, n := range hits {
		if n == 0 && honest[i].Name != "never" || n == texts {
			t.Errorf("%s was found in %d texts: the test says little", honest[i].Name, n)
		}
	}
}

// TestManyAnchors checks that 100,000 anchors without a match do not hide the match after them, and
// that not every anchor's window is verified.
func TestManyAnchors(t *testing.T) {
	p := Pattern{Name: "p", Expr: `ignore\s+previous\s+rules`, Anchors: []string{"ignore"}}
	noise := strings.Repeat("ignore it. ", 100_000)
	s := scannerFor(t, p)
	want := fmt.Sprintf("p@%d-%d", len(noise), len(noise)+len("ignore previous rules"))
	if got := spans(s, noise+"ignore previous rules"); !slices.Equal(got, []string{want}) {
		t.Errorf("got %v, want %s", got, want)
	}
	if s.runs[0].windows > maxWindows+1 {
		t.Errorf("%d windows were looked at", s.runs[0].windows)
	}
	if got := spans(s, "ignore previous rules"); !slices.Equal(got, []string{"p@0-21"}) {
		t.Errorf("the next text: got %v", got)
	}
	if got := spans(s, noise); got != nil {
		t.Errorf("got %v where nothing matches", got)
	}
	// The text has more matches than are kept, with and without maxWindows windows before them.
	for _, front := range []string{"", noise} {
		rules := front + strings.Repeat("ignore previous rules ", 1000)
		got := spans(s, rules)
		last := fmt.Sprintf("p@%d-%d", len(rules)-22, len(rules)-1)
		if len(got) != maxMatches+lastMatches || !slices.Contains(got, last) || len(s.Cut()) != 1 {
			t.Errorf("got %d matches, %v cut; want %d and %s among them", len(got), s.Cut(), maxMatches+lastMatches, last)
		}
		if got := spans(s, front+strings.Repeat("ignore previous rules ", maxMatches+lastMatches)); len(got) != maxMatches+lastMatches || len(s.Cut()) != 0 {
			t.Errorf("got %d matches, %v cut; nothing was left out", len(got), s.Cut())
		}
	}
	word := scannerFor(t, Pattern{Name: "w", Anchors: []string{"w"}})
	if got := spans(word, strings.Repeat("w ", 1000)); len(got) != maxMatches+lastMatches || !slices.Contains(got, "w@1998-1999") || len(word.Cut()) != 1 {
		t.Errorf("a word: %d matches, %v cut", len(got), word.Cut())
	}
}

// TestScanLinear checks that the work is linear in the length of the text.
func TestScanLinear(t *testing.T) {
	for _, p := range []Pattern{
		{Name: "expr", Expr: `abc\s*x`, Anchors: []string{"abc"}},
		{Name: "near", Expr: `abc.{0,99}xyzzy`, Anchors: []string{"abc"}},
		{Name: "dots", Expr: `abc[^!]*!`, Anchors: []string{"abc", "bc ", "c a"}},
		{Name: "repetitions inside repetitions", Expr: `(?:(?:abc ?|[a-z]+ ?)+)+!`, Anchors: []string{"abc"}},
		{Name: "the same in two ways", Expr: `(?:\w+\s?)*(?:abc|\w+)(?:\s|\s?\w)*\d`, Anchors: []string{"abc"}},
	} {
		s := scannerFor(t, p)
		effort.Linear(t, p.Name, 32_000, func(size int) func() {
			text := []byte(strings.Repeat("abc xyzz ", size))
			return func() { s.Scan(text) }
		})
	}
}

// TestFarMatch checks that the cost of a match after many anchors depends only on the text around
// it, not on the text before it.
func TestFarMatch(t *testing.T) {
	s := scannerFor(t, Pattern{Name: "p", Expr: `(?:send|give|hand|pass)(?:\s\w+){1,40}?\s(?:xy|zy)`, Anchors: []string{"send"}})
	without := []byte(strings.Repeat("send it to xy. ", maxWindows+1) + strings.Repeat("send it to them. ", 20_000))
	with := append(bytes.Clone(without), "send it to xy"...)
	if got := s.Scan(with); len(got) != maxWindows+2 || got[len(got)-1].End != len(with) {
		t.Fatalf("got %v", got)
	}
	effort.AtMost(t, 3, "with the match, compared with the text without it", 1, func() { s.Scan(without) }, func() { s.Scan(with) })
}

func TestNewMatcherErrors(t *testing.T) {
	for _, c := range []struct {
		pattern Pattern
		want    string
	}{
		{Pattern{Name: "p1", Expr: "x"}, `pattern "p1" has no anchor`},
		{Pattern{Name: "p2", Anchors: []string{""}}, `pattern "p2": anchor ""`},
		{Pattern{Name: "p3", Anchors: []string{"ok", "Ignore"}}, `pattern "p3": anchor "Ignore" must be written in folded form "ignore"`},
		{Pattern{Name: "p4", Anchors: []string{"résumé"}}, `in folded form "resume"`},
		{Pattern{Name: "p5", Anchors: []string{"ig\u200bnore"}}, `pattern "p5"`},
		{Pattern{Name: "p6", Anchors: []string{"\xff"}}, `pattern "p6"`},
		{Pattern{Name: "p9", Custom: true, Anchors: []string{"x"}, Expr: "x("}, `pattern "p9": error parsing regexp`},
		{Pattern{Name: "p10", Custom: true, Anchors: []string{"x"}, Expr: `(?=x)`}, `pattern "p10": error parsing regexp`},
	} {
		if err := c.pattern.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
		if m, err := NewMatcher([]Pattern{{Name: "good", Anchors: []string{"good"}}, c.pattern}); (c.pattern.Custom || len(c.pattern.Anchors) == 0) && (m != nil || err == nil) {
			t.Errorf("%s: a matcher was made", c.pattern.Name)
		}
	}
}

func TestScanAllocs(t *testing.T) {
	s := scannerFor(t, benchPatterns()...)
	text := []byte(strings.ToLower(strings.Repeat(englishLine, 20)))
	s.Scan(text)
	if n := testing.AllocsPerRun(50, func() { s.Scan(text) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
