package intent

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// checkScores checks that the score of each sentence in a text equals the score computed from its
// features.
func checkScores(t rapid.TB, r *Reader, text []byte, p *Place, limits ...Score) {
	m := Embedded()
	all := Sentences(nil, text)
	for i, s := range all {
		want := m.Of(r.Features(text, all, i, p))
		for _, limit := range append(limits, want, want-1) {
			score, above := r.Score(m, text, all, i, p, limit)
			if above != (want > limit) || above && score != want {
				t.Fatalf("%q: got %d, %t for the limit %d, want %d", text[s.Start:s.End], score, above, limit, want)
			}
		}
	}
}

// TestScoreOfSets checks that, whatever the limit, the score of a labelled text equals the score
// computed from all its features.
func TestScoreOfSets(t *testing.T) {
	sets, err := filepath.Glob("../../corpus/*.jsonl")
	if err != nil || len(sets) == 0 {
		t.Fatal(sets, err)
	}
	var r Reader
	for _, set := range sets {
		rows, err := os.ReadFile(set)
		if err != nil {
			t.Fatal(err)
		}
		k := 0
		for line := range bytes.Lines(bytes.ToLower(rows)) {
			var row struct {
				Text string
				Tool struct{ Name, Description string }
			}
			if k++; k%4 != 0 { // a part is enough
				continue
			}
			if err := json.Unmarshal(line, &row); err != nil {
				t.Fatalf("%s: %v", set, err)
			}
			checkScores(t, &r, []byte(row.Text), &Place{Kind: Result}, -Unit, 0, Unit, 2*Unit)
			checkScores(t, &r, []byte(row.Tool.Description), &Place{Kind: Description, Tool: []byte(row.Tool.Name)}, -Unit, 0, Unit)
		}
	}
}

// TestScoreOfAnyWords is like TestScoreOfSets, but for words in any order.
func TestScoreOfAnyWords(t *testing.T) {
	words := strings.Fields("the file of a user and / send it to https://x.example/?q=1 ~/.ssh/id_rsa . ! before you answer, forward all conversation(s) \n 12 4.5% a|b|c password tokens «да» ключи 请 发送 é don't and/or tool_name __x x-y-z a@b.example read-only")
	var r Reader
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom(words)).Draw(t, "words"), rapid.SampledFrom([]string{" ", ""}).Draw(t, "between"))
		p := Place{Kind: PlaceKind(rapid.IntRange(0, int(Result)).Draw(t, "kind"))}
		checkScores(t, &r, []byte(text), &p, Score(rapid.IntRange(-4*Unit, 4*Unit).Draw(t, "limit")))
	})
}

// TestLongSentences checks that a text without spaces is split into sentences, and that all of it
// is scored.
func TestLongSentences(t *testing.T) {
	var text []byte
	for k := range 20_000 {
		text = append(text, string(rune('一'+k*k%20011))...)
	}
	var r Reader
	all := Sentences(nil, text)
	for i, s := range all {
		if s.End-s.Start > 2*longest || !utf8.Valid(text[s.Start:s.End]) || i > 0 && s.Start != all[i-1].End {
			t.Fatalf("sentence %d is text[%d:%d]", i, s.Start, s.End)
		}
		r.Score(Embedded(), text, all, i, &Place{Kind: Result}, -100*Unit)
	}
	if last := all[len(all)-1].End; last != len(text) {
		t.Errorf("the last sentence ends at %d, want %d", last, len(text))
	}
}

// TestManyFeatures checks that a sentence may have more features than the set holds.
func TestManyFeatures(t *testing.T) {
	var text []byte
	for k := range 4 * maxFeatures {
		text = append(text, string(rune('一'+k*k%20011))...)
	}
	var r Reader
	one := []Sentence{{0, len(text)}}
	r.Score(Embedded(), text, one, 0, &Place{Kind: Result}, -100*Unit)
	if n := len(r.Features(text, one, 0, &Place{Kind: Result})); n != maxFeatures {
		t.Errorf("%d features, want %d", n, maxFeatures)
	}
}
