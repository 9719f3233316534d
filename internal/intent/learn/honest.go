package learn

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// LoadServers reads what real servers list: a row for each tool, once for all versions in
// which it is the same.
func LoadServers(dir string) ([]*Row, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	var rows []*Row
	seen := map[string]bool{}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var dump struct {
			Package string
			Tools   []json.RawMessage
		}
		if err := json.Unmarshal(data, &dump); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for i, tool := range dump.Tools {
			if seen[dump.Package+string(tool)] {
				continue
			}
			seen[dump.Package+string(tool)] = true
			rows = append(rows, &Row{ID: fmt.Sprintf("%s-%d", filepath.Base(name), i), Type: "definition", Label: "benign", Lang: "en",
				Set: dump.Package, Real: true, Tool: tool})
		}
	}
	return rows, nil
}

// LoadResults reads honest results that tools returned, half of those of a corpus as package
// score describes it. They are no part of the training.
func LoadResults(name string) ([]*Row, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var rows []*Row
	for line := range bytes.Lines(data) {
		var of struct{ ID, Label, Source, Text string }
		if err := json.Unmarshal(line, &of); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if of.Label == "benign" && hash(of.ID)>>7&1 == 0 {
			rows = append(rows, &Row{ID: of.ID, Type: "result", Label: "benign", Lang: "en", Set: of.Source, Real: true, Held: true, Text: of.Text})
		}
	}
	return rows, nil
}
