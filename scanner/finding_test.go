package scanner

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcpscan/mcpscan/internal/text"
)

// TestEvidenceIsInTheText checks that the evidence is a verbatim part of the text,
// except for the truncation mark.
func TestEvidenceIsInTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "bc ", "é", "漢", "😀", "\u202e", "\xff", "\n"}), 1, 900).Draw(t, "pieces")
		from := rapid.IntRange(0, len(pieces)-1).Draw(t, "from")
		to := rapid.IntRange(from, len(pieces)).Draw(t, "to")
		start := len(strings.Join(pieces[:from], ""))
		end := start + len(strings.Join(pieces[from:to], ""))
		all := strings.Join(pieces, "")
		shown := text.Visible(all, math.MaxInt)
		e := newEvidence([]byte(all), start, end)
		for _, s := range []string{e.Text, e.Context} {
			if !strings.Contains(shown, strings.Trim(s, cutOff)) {
				t.Fatalf("%q is not in %q", s, shown)
			}
		}
		if whole := text.Visible(all[start:end], math.MaxInt); strings.HasSuffix(e.Text, cutOff) == (e.Text == whole) {
			t.Fatalf("%q is shown of %q", e.Text, whole)
		}
		if before := strings.HasPrefix(e.Context, cutOff); before && strings.HasPrefix(shown, strings.Trim(e.Context, cutOff)) && from == 0 {
			t.Fatalf("%q says that something precedes it", e.Context)
		}
	})
}

// TestEvidenceMarksItsEnds checks that the context shows whether the text continues before and
// after it.
func TestEvidenceMarksItsEnds(t *testing.T) {
	long := strings.Repeat("x", 60)
	for _, c := range []struct{ before, match, after, text, context string }{
		{"", "match", "", "match", "match"},
		{"a ", "match", " b", "match", "a match b"},
		{long, "match", " b", "match", "…" + long[:50] + "match b"},
		{"a ", "match", long, "match", "a match" + long[:50] + "…"},
		{"", strings.Repeat("m", 201), "", strings.Repeat("m", 200) + "…", strings.Repeat("m", 201)},
		{"", strings.Repeat("漢", 201), "", strings.Repeat("漢", 200) + "…", strings.Repeat("漢", 201)},
		{"", strings.Repeat("😀", 401), "", strings.Repeat("😀", 200) + "…", strings.Repeat("😀", 300) + "…"},
	} {
		s := c.before + c.match + c.after
		got := newEvidence([]byte(s), len(c.before), len(c.before)+len(c.match))
		if got.Text != c.text || got.Context != c.context {
			t.Errorf("%q in %q is %+v", c.match, s, got)
		}
	}
}
