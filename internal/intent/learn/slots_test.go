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

// verdict keeps the highest severity of the findings.
type verdict struct{ severity scanner.Severity }

func (v *verdict) Event(*scanner.Event, *scanner.Outcome) error { return nil }

func (v *verdict) Finding(f *scanner.Finding) error {
	v.severity = max(v.severity, f.Severity)
	return nil
}

// TestSlots fills the gap of each definition with ten words that occur in no labelled text. In at
// least 90 % of the slots, and in at least 20 of them, nine of the ten words must get the same
// verdict at the default alert threshold. Each line of the file has a text with a gap and its ten
// words.
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
	if slots-mixed < 20 || 10*mixed > slots {
		t.Errorf("%d slots, %d of them with fewer than nine of ten words judged alike: expected at least 20 with nine, and nine in ten", slots, mixed)
	}
	if flagged == 0 || flagged == slots {
		t.Errorf("%d slots, %d of them of attacks that are found: expected attacks and benign texts", slots, flagged)
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
