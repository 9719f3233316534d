package score

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/scanner"
)

// Servers contains the rules' results for published servers' definitions.
type Servers struct {
	Packages, Tools int
	Hits            []Hit // findings at medium or above
}

// Hit is a rule's most severe finding in a tool of a published server.
type Hit struct {
	Package, Tool, Rule string
	Severity            scanner.Severity
}

// dump is the file of one server: its package and the tools that it listed.
type dump struct {
	Package string            `json:"package"`
	Version string            `json:"version"`
	Tools   []json.RawMessage `json:"tools"`
	path    string
	data    []byte
}

// judgeServers judges the dumps in a directory (each is {package, version, tools, …}), using the
// newest version of each package.
func judgeServers(engine *scanner.Engine, dir string) (*Servers, error) {
	dumps, err := newest(dir)
	if err != nil {
		return nil, err
	}
	s := &Servers{Packages: len(dumps)}
	for _, d := range dumps {
		s.Tools += len(d.Tools)
		if err := s.judge(engine, d); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// newest returns the newest dump of each package, sorted by name.
func newest(dir string) ([]*dump, error) {
	dumps, err := everyDump(dir)
	return newestOf(dumps), err
}

func newestOf(dumps []*dump) []*dump {
	best := map[string]*dump{}
	for _, d := range dumps {
		if b := best[d.Package]; b == nil || compareVersions(d.Version, b.Version) > 0 {
			best[d.Package] = d
		}
	}
	return slices.SortedFunc(maps.Values(best), func(a, b *dump) int { return strings.Compare(a.Package, b.Package) })
}

// everyDump returns the dumps of all versions of all packages, sorted by path.
func everyDump(dir string) ([]*dump, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(paths) == 0 {
		return nil, fmt.Errorf("%s has no dumps: expected .json files", dir)
	}
	var dumps []*dump
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		d := &dump{path: path, data: data}
		if err := json.Unmarshal(data, d); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		dumps = append(dumps, d)
	}
	return dumps, nil
}

// compareVersions compares versions numerically. A pre-release sorts before its release,
// as 1.0.0-rc.1 before 1.0.0.
func compareVersions(a, b string) int {
	a, aCandidate, _ := strings.Cut(a, "-")
	b, bCandidate, _ := strings.Cut(b, "-")
	if c := slices.Compare(numbers(a), numbers(b)); c != 0 {
		return c
	}
	switch {
	case aCandidate == bCandidate:
		return 0
	case aCandidate == "":
		return 1
	case bCandidate == "":
		return -1
	}
	return slices.Compare(numbers(aCandidate), numbers(bCandidate))
}

func numbers(version string) []int {
	var ns []int
	for part := range strings.SplitSeq(strings.TrimPrefix(version, "v"), ".") {
		n, _ := strconv.Atoi(part) // text counts as 0
		ns = append(ns, n)
	}
	return ns
}

// judge runs the rules over one server's definitions.
func (s *Servers) judge(engine *scanner.Engine, d *dump) error {
	events, err := replay.Definitions(d.path, d.data)
	if err != nil {
		return err
	}
	found := map[Hit]scanner.Severity{}
	err = run(engine, events, func(f *scanner.Finding) {
		h := Hit{Package: d.Package, Tool: f.Name, Rule: f.Rule.ID}
		if f.Severity >= scanner.Medium {
			found[h] = max(found[h], f.Severity)
		}
	})
	for _, h := range slices.SortedFunc(maps.Keys(found), func(a, b Hit) int {
		return cmp.Or(strings.Compare(a.Tool, b.Tool), strings.Compare(a.Rule, b.Rule))
	}) {
		severity := found[h]
		h.Severity = severity
		s.Hits = append(s.Hits, h)
	}
	return err
}

// at counts the tools that have a finding of at least this severity. If a rule reports something
// outside the tools, such as in a server's instructions, the number of flagged tools increases by one
// for that server, but the number of tools stays the same.
func (s *Servers) at(least scanner.Severity) count {
	flagged := map[[2]string]bool{}
	for _, h := range s.Hits {
		if h.Severity >= least {
			flagged[[2]string{h.Package, h.Tool}] = true
		}
	}
	return count{len(flagged), s.Tools}
}
