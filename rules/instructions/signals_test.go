package instructions

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/text"
)

// TestSignalsAreRegexps: in texts with orders, the expressions of signals match what package
// regexp matches, at the same place.
func TestSignalsAreRegexps(t *testing.T) {
	corpus, err := os.ReadFile("../../corpus/c.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	corpus = bytes.ToLower(corpus)
	exprs := []*text.Expr{riskyAct, concrete, orderSigns, aiNamed, clause.UsedWhen, madeToAct, orNot, mustBe}
	for _, s := range slices.Concat(whoIsMeant[:], orderSignals[:]) {
		exprs = append(exprs, s.expr)
	}
	const size, apart = 400, 8
	for _, e := range exprs {
		re := regexp.MustCompile(e.String())
		for at := 0; at+size < len(corpus); at += apart * size {
			s := corpus[at : at+size]
			got, want := e.FindIndex(s), re.FindIndex(s)
			if !slices.Equal(got, want) || e.Match(s) != (want != nil) {
				t.Fatalf("%.80s in %q: %v, want %v", e, s, got, want)
			}
		}
	}
}
