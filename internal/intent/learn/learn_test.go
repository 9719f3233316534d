package learn

import (
	"crypto/sha256"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/mcpscan/mcpscan/internal/intent"
)

// sample is the digest of a model trained on three small sets, the same on every machine.
const sample = "83e5b926c1475fbb3f9482513a2dec3385180007e3d7c7e9e582e576c10dfc1b"

// netSample is the digest of a net trained in one pass over two of these sets.
const netSample = "d8818ced3b3d6c16ee5c4dcf52c10b400aed47e8e359e816efbfe0380bb62ad1"

// TestTraining checks that the same rows give the same model, byte for byte, and that a model
// distinguishes most attacks from their benign twins in a set that it was not trained on.
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
	m := Train(training, nil, o)
	if digest := fmt.Sprintf("%x", sha256.Sum256(m.Bytes())); digest != sample {
		t.Errorf("training on a sample gives the digest %s, want %s: where features or training were changed on purpose, write it here and train the embedded model again", digest, sample)
	}
	vectors, err := LoadVectors(filepath.Join("..", "..", "..", "corpus", "vectors.bin"))
	if err != nil {
		t.Fatal(err)
	}
	var scored []Scored
	for _, r := range training {
		scored = append(scored, NewScored(m, r))
	}
	of := DefaultNet
	of.Passes = 1
	none := func(*Scored) bool { return false }
	n := trainNet(scored, none, passes(scored, of.Share), vectors, of, 1)
	if digest := fmt.Sprintf("%x", sha256.Sum256(n.Bytes())); digest != netSample {
		t.Errorf("training a net on a sample gives the digest %s, want %s: where the net or its training was changed on purpose, write it here and train the embedded net again", digest, netSample)
	}
	right := 0
	for _, p := range pairs {
		if score(m, p[0]) > score(m, p[1]) {
			right++
		}
	}
	if 100*right < 65*len(pairs) {
		t.Errorf("of %d attacks %d score above their twins: expected 65 %%", len(pairs), right)
	}
}

// score computes a row's score from its words and the rules' verdicts.
func score(m intent.Model, r *Row) intent.Score {
	s := NewScored(m, r)
	_, worst := s.worst(m.Support)
	return worst
}

// TestSupports checks that a rule that finds only attacks gains support, one that finds benign
// texts loses support, and one without findings keeps its initial support.
func TestSupports(t *testing.T) {
	const good, bad = 1, 2
	var all []Scored
	for i := range 200 {
		row := func(label string, verdicts ...uint32) Scored {
			r := &Row{Type: "definition", Label: label, Pair: "x", Texts: []Text{{Sentences: []Sentence{{Verdicts: verdicts}}}}}
			return Scored{Row: r, words: []intent.Score{intent.Score(i%5-2) * intent.Unit / 4}}
		}
		all = append(all, row("attack", good), row("benign", bad), row("attack"), row("benign"))
	}
	weights := Supports(all, Default)
	if weights[good] <= Default.Support || weights[bad] >= Default.Support || weights[bad] < 0 {
		t.Errorf("got %v", weights)
	}
	if m := intent.Encode(Default.parameters(0), weights); m.Support([]uint32{good}) != units(weights[good]) || m.Support([]uint32{77}) != units(Default.Support) {
		t.Errorf("got %d and %d", m.Support([]uint32{good}), m.Support([]uint32{77}))
	}
}

// TestThreshold checks that a threshold keeps within its budget of benign texts.
func TestThreshold(t *testing.T) {
	var all []Scored
	for i := range 100 {
		all = append(all, Scored{Row: &Row{Type: "definition", Label: "benign", Pair: "x"}, Score: intent.Score(i)},
			Scored{Row: &Row{Type: "definition", Label: "benign", Real: true}, Score: intent.Score(2 * i)},
			Scored{Row: &Row{Type: "result", Label: "benign", Pair: "x"}, Score: intent.Score(1000)},
			Scored{Row: &Row{Type: "definition", Label: "attack", Pair: "x"}, Score: intent.Score(1000)})
	}
	for _, c := range []struct {
		of   Budget
		want intent.Score
	}{{Budget{Twins: 0.04, Real: 1}, 95}, {Budget{Twins: 1, Real: 0.1}, 178}, {Budget{Twins: 0, Real: 1}, 99}} {
		if got := Threshold(all, intent.Definitions, c.of); got != c.want {
			t.Errorf("%+v: %d, want %d", c.of, got, c.want)
		}
	}
}

// TestSigmoid compares sigmoid with the standard library.
func TestSigmoid(t *testing.T) {
	for x := -35.0; x < 35; x += 0.37 {
		if got, want := sigmoid(x), 1/(1+math.Exp(-x)); math.Abs(got-want) > 1e-9 {
			t.Errorf("sigmoid(%g) = %g, want %g", x, got, want)
		}
	}
}

// TestCorpus checks that each attack in the corpus has a twin, and that its span is
// within a text that the engine inspects.
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
				t.Errorf("%s: %s: an attack has a span, and a benign text has none", file, r.ID)
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
