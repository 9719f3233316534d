package gitleaks

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
)

// TestCases runs the cases with which gitleaks validates its rules in its rule generator
// (cmd/generate/config, v8.30.1): for each rule, up to eight texts that it must find, and texts
// that it must not find. The file is compressed so that no scanner mistakes it for a leak.
func TestCases(t *testing.T) {
	f, err := os.Open("testdata/cases.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	byID := map[string]*Rule{}
	all := rules()
	for i := range all {
		byID[all[i].ID] = &all[i]
	}
	found, silent := 0, 0
	for in := json.NewDecoder(unpacked); ; {
		var c struct {
			Rule        string
			Has, HasNot []string
		}
		if err := in.Decode(&c); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		r := byID[c.Rule]
		if r == nil {
			t.Errorf("no rule %s", c.Rule)
			continue
		}
		for _, text := range c.Has {
			if found++; !r.finds(text, strings.ToLower(text), &all[0]) {
				t.Errorf("%s does not find %q", c.Rule, text)
			}
		}
		for _, text := range c.HasNot {
			if silent++; r.finds(text, strings.ToLower(text), &all[0]) {
				t.Errorf("%s finds %q", c.Rule, text)
			}
		}
	}
	if found < 1000 || silent < 200 {
		t.Errorf("only %d and %d cases", found, silent)
	}
}
