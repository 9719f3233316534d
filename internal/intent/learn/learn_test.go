package learn

import (
	"fmt"
	"maps"
	"path/filepath"
	"testing"
)

// TestTraining: the same rows give the same weights, and weights that were learned from
// some sets tell most attacks of another set from their twins.
func TestTraining(t *testing.T) {
	rows, err := Load(filepath.Join("..", "..", "..", "corpus", "a.jsonl"), filepath.Join("..", "..", "..", "corpus", "j.jsonl"), filepath.Join("..", "..", "..", "corpus", "p.jsonl"))
	if err == nil {
		err = Read(rows)
	}
	if err != nil {
		t.Fatal(err)
	}
	var training []*Row
	pairs := map[string][2]*Row{}
	for _, r := range rows {
		switch {
		case r.Set != "p":
			training = append(training, r)
		case r.Pair != "" && r.Type == "definition":
			p := pairs[r.Pair]
			if r.Attack() {
				p[0] = r
			} else {
				p[1] = r
			}
			pairs[r.Pair] = p
		}
	}
	o := Default
	o.Passes = 4
	m, again := Train(training, o), Train(training, o)
	if m.Bias != again.Bias || !maps.Equal(m.Weights, again.Weights) {
		t.Error("a second training on the same rows gives other weights")
	}
	right := 0
	for _, p := range pairs {
		if m.Score(p[0]) > m.Score(p[1]) {
			right++
		}
	}
	if 100*right < 65*len(pairs) {
		t.Errorf("of %d attacks %d score above their twins: expected 65 %%", len(pairs), right)
	}
}

// TestCorpus: each set of the corpus is whole: an attack has its twin, and its span is a
// part of a text that the engine inspects.
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "corpus", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no sets: %v", err)
	}
	for _, file := range files {
		rows, err := Load(file)
		if err != nil {
			t.Fatal(err)
		}
		ids, labels := map[string]bool{}, map[string]string{}
		for _, r := range rows {
			if ids[r.ID] {
				t.Errorf("%s: %s appears twice", file, r.ID)
			}
			ids[r.ID] = true
			if r.Pair != "" {
				labels[r.Pair] += r.Type + " " + r.Label + "\n"
			}
			if r.Attack() == (r.Span == "") {
				t.Errorf("%s: %s: an attack has a span, and an honest text has none", file, r.ID)
			}
		}
		for pair, of := range labels {
			kind := "definition"
			if of[0] == 'r' {
				kind = "result"
			}
			if one, other := fmt.Sprintf("%s attack\n", kind), fmt.Sprintf("%s benign\n", kind); of != one+other && of != other+one {
				t.Errorf("%s: %s has %q: expected an attack and its honest twin", file, pair, of)
			}
		}
	}
}
