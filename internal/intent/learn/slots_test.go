package learn

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

// verdict keeps the highest severity of what is found.
type verdict struct{ severity scanner.Severity }

func (v *verdict) Event(*scanner.Event, *scanner.Outcome) error { return nil }

func (v *verdict) Finding(f *scanner.Finding) error {
	v.severity = max(v.severity, f.Severity)
	return nil
}

// TestSlots: a definition is judged alike, whatever word stands in one place of it: of ten words
// that occur in no labelled text, nine get the same verdict at the default alert threshold, in
// five of six slots. The file has a text with a gap and its ten words in each line.
func TestSlots(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "slots.txt"))
	if err != nil {
		t.Fatal(err)
	}
	known := corpusWords(t)
	engine, err := scanner.New(rules.All(), scanner.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	slots, flagged, alike, mixed := 0, 0, 0, 0
	for line := range strings.Lines(string(data)) {
		text, fillers, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || len(strings.Fields(fillers)) != 10 {
			t.Fatalf("%q: expected a text, a tab, and ten words", line)
		}
		high := 0
		for _, word := range strings.Fields(fillers) {
			if known[word] {
				t.Errorf("%q: %q is in the labelled texts: choose another word", text, word)
			}
			tool, _ := json.Marshal(map[string]any{"name": "run_task", "description": "Runs a task of the project. " + strings.Replace(text, "{}", word, 1), "inputSchema": map[string]any{"type": "object"}})
			var v verdict
			if _, err := engine.Run(context.Background(), &events{rows: []*Row{{ID: "slot", Type: "definition", Tool: tool}}}, &v); err != nil {
				t.Fatal(err)
			}
			if v.severity >= scanner.High {
				high++
			}
		}
		if slots++; high > 5 {
			flagged++
		}
		if alike += max(high, 10-high); high > 1 && high < 9 {
			t.Logf("%q: %d of 10 words make it a finding at high", text, high)
			mixed++
		}
	}
	t.Logf("%d slots, %d of them found; %d of %d words are judged like most of their slot; %d slots with fewer than nine", slots, flagged, alike, 10*slots, mixed)
	if 10*alike < 9*10*slots || 6*mixed > slots {
		t.Errorf("%d of %d words are judged like most of their slot, and %d slots have fewer than nine of ten: expected nine of ten words, in five of six slots", alike, 10*slots, mixed)
	}
	if slots < 20 || flagged == 0 || flagged == slots {
		t.Errorf("%d slots, %d of them of attacks that are found: expected 20, attacks and honest texts among them", slots, flagged)
	}
}

// corpusWords returns the words of all labelled texts.
func corpusWords(t *testing.T) map[string]bool {
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "corpus", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no sets: %v", err)
	}
	known := map[string]bool{}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range regexp.MustCompile("[a-z]+").FindAllString(strings.ToLower(string(data)), -1) {
			known[w] = true
		}
	}
	return known
}
