package learn

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
)

// The halves of the packages of real servers: one is learned from, the other measured with.
const (
	learned  = "servers to learn from"
	measured = "servers to measure with"
)

func half(name string) string {
	h := fnv.New32a()
	h.Write([]byte(name))
	if h.Sum32()>>7&1 == 0 {
		return learned
	}
	return measured
}

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
			rows = append(rows, &Row{ID: fmt.Sprintf("%s-%d", filepath.Base(name), i), Type: "definition", Label: "benign", Lang: "en", Kind: dump.Package,
				Set: half(dump.Package), Tool: tool})
		}
	}
	return rows, nil
}
