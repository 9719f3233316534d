package learn

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// LoadServers reads the tools that real servers list, one row per tool. A tool that is identical in
// several versions of a package is read once.
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

// LoadPublic reads half of the definitions and results of a corpus in the format that package score
// describes. The other half is held out.
func LoadPublic(dir string) ([]*Row, error) {
	var rows []*Row
	for _, kind := range []string{"tooldefs", "outputs"} {
		name := filepath.Join(dir, kind+".jsonl")
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for line := range bytes.Lines(data) {
			var of struct {
				ID, Label, Source, Text string
				Tool                    json.RawMessage
			}
			if err := json.Unmarshal(line, &of); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if hash(of.ID)>>7&1 == 0 {
				continue
			}
			r := &Row{ID: of.ID, Type: "result", Label: of.Label, Lang: "en", Set: of.Source, Public: true, Text: of.Text}
			if of.Tool != nil {
				r.Type, r.Tool = "definition", of.Tool
			}
			rows = append(rows, r)
		}
	}
	return rows, nil
}
