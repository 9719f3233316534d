package reading

import (
	"strconv"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/effort"
)

// TestLexicon checks that every entry of the lexicon can match, and that there are
// no duplicates.
func TestLexicon(t *testing.T) {
	for v, list := range lexicon {
		seen := map[string]bool{}
		for _, w := range strings.Fields(list) {
			if seen[w] {
				t.Errorf("%d (%s) has %q twice", v, v, w)
			}
			seen[w] = true
			stem, open := strings.CutSuffix(w, "*")
			if open && !strings.Contains(w, "_") && (len(stem) < stemHead || len(stem) > longestStem) {
				t.Errorf("the stem %q is too short or too long", w)
			}
			phrase := strings.ReplaceAll(stem, "_", " ")
			for i := range len(phrase) {
				if phrase[i] != ' ' && !wordByte(phrase[i]) {
					t.Errorf("%q has %q, which is in no word", w, phrase[i])
				}
			}
		}
	}
}

type nothing struct{}

func (nothing) FirstSentence(int) bool  { return false }
func (nothing) Parameter(string) bool   { return false }
func (nothing) OtherTool([]byte) string { return "" }

// TestEndlessWord checks that the work for a text is at most linear in its length.
func TestEndlessWord(t *testing.T) {
	for _, unit := range []string{"send", "conceal", "a_", "\n", "keep ", "not tell ", ". ", "`"} {
		effort.Linear(t, strconv.Quote(unit), 1<<17, func(size int) func() {
			text := []byte(strings.Repeat(unit, size/len(unit)))
			return func() {
				for range Sentences(Text{Folded: text, Definition: nothing{}}) {
				}
			}
		})
	}
}
