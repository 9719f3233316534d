package learn

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mcpscan/mcpscan/internal/mcp"
)

// LoadServers reads the definitions and instructions of real servers, one row for each. A
// definition that is identical in several versions of a package is read once.
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
			Package, Instructions                        string
			Tools, Prompts, Resources, ResourceTemplates []json.RawMessage
		}
		if err := json.Unmarshal(data, &dump); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		n := 0
		add := func(r *Row, text string) {
			if n++; text == "" || seen[dump.Package+text] {
				return
			}
			seen[dump.Package+text] = true
			r.ID, r.Type, r.Label, r.Lang = fmt.Sprintf("%s-%d", filepath.Base(name), n-1), "definition", "benign", "en"
			r.Set, r.Real = dump.Package, true
			rows = append(rows, r)
		}
		for _, list := range [...]struct {
			kind        mcp.SubjectKind
			definitions []json.RawMessage
		}{{mcp.ToolSubject, dump.Tools}, {mcp.PromptSubject, dump.Prompts}, {mcp.ResourceSubject, dump.Resources}, {mcp.TemplateSubject, dump.ResourceTemplates}} {
			for _, d := range list.definitions {
				add(&Row{Defines: list.kind, Tool: d}, string(d))
			}
		}
		add(&Row{Defines: mcp.ServerSubject, Text: dump.Instructions}, dump.Instructions)
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
