package text

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestExprIsRegexp checks that an expression gives the same matches as package regexp,
// whether its automata are exact or not.
func TestExprIsRegexp(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	pieces := []string{"a", "b", "c", "C", "k", "\u212a", "ſ", " ", "\n", ".", "’", "я", "б", "Я", "\xff", "\xe2\x80", "\U00010001", "漢", "ab", "abc"}
	more := []string{`(?:a|ab)(?:c|bcd)?`, `a+?b`, `(?:a*)*b`, `\b(?:a|b)+\b`, `(?:[abc]\s?){0,80}?k`, `a(?:[^.\n]|\.b){0,60}?(?:c|\bk)`, `(?m)(?:^|\W)ab?$`,
		`\b(?:a|b[ac])\s(?:[^.\n]|\.\w){0,90}?(?:c|k\b)`, `(?i)(?:sk|k)+[a-c]{30,}|b`, `(?U)a+b*`, `b*?$`, `(?:)`, `a|`, `|a`, `[ab]{2,70}c|ab`}
	for _, source := range slices.Concat(filtered, more) {
		re, expr, matches := regexp.MustCompile(source), LazyExpr(source), 0
		for range 2000 {
			var b strings.Builder
			for range rnd.IntN(14) {
				b.WriteString(pieces[rnd.IntN(1+rnd.IntN(len(pieces)))])
			}
			text := []byte(b.String())
			want := re.FindIndex(text)
			if want != nil {
				matches++
			}
			if got := expr.FindIndex(text); !slices.Equal(got, want) {
				t.Fatalf("%q in %q: %v, want %v (exact: %t)", source, text, got, want, expr.exact)
			}
			if expr.Match(text) != (want != nil) {
				t.Fatalf("%q in %q: match is not %t", source, text, want != nil)
			}
		}
		if matches == 0 && source != `\Aabc\z` && !strings.Contains(source, "10000") && !strings.Contains(source, "fffd") && !strings.Contains(source, "20,") {
			t.Errorf("%q matched nothing: the test says little", source)
		}
	}
}

func FuzzExpr(f *testing.F) {
	for _, expr := range filtered {
		f.Add(expr, "abc я\xff")
	}
	f.Fuzz(func(t *testing.T, source, text string) {
		re, err := regexp.Compile(source)
		if err != nil || len(source) > 100 || strings.Count(source, "{") > 2 { // nested counts take too long to compile
			t.Skip("no expression that is worth the time")
		}
		if got, want := LazyExpr(source).FindIndex([]byte(text)), re.FindStringIndex(text); !slices.Equal(got, want) {
			t.Fatalf("%q in %q: %v, want %v", source, text, got, want)
		}
	})
}
