package score

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

// Drift holds the evaluation results for the rules about changed definitions.
type Drift struct {
	Labelled []Change // labelled cases
	Versions []Change // pairs of versions of single definitions
	Upgrades []Change // pairs of versions of whole servers
}

// Change is the result for a pair of documents.
type Change struct {
	Name     string
	Label    string // malicious, benign or undeclared; empty for published definitions
	Differs  bool   // the two documents differ
	Findings []Reported
}

// Reported is one finding about a change.
type Reported struct {
	Rule, Tool, Pointer, Message string
	Severity                     scanner.Severity
}

// Worst returns the highest severity of the findings, and whether there are any.
func (c *Change) Worst() (worst scanner.Severity, any bool) {
	for _, f := range c.Findings {
		worst = max(worst, f.Severity)
	}
	return worst, len(c.Findings) > 0
}

// RunDrift judges the changes in a corpus and those between releases of published servers:
//
//	CORPUS/drift/*.json    {malicious, benign, undeclared}: cases by name, {baseline, twin}, one tool each
//	CORPUS/versions.jsonl  {id, old, new}, one tool each
//	SERVERS/upgrades.json  [{package, from, to}], of the dumps in SERVERS/dumps
//
// Missing files are skipped; an empty directory name means no input.
func RunDrift(corpus, servers string) (*Drift, error) {
	engine, err := scanner.New(rules.All(), scanner.Options{})
	if err != nil {
		return nil, err
	}
	d, res := &differ{engine}, &Drift{}
	if corpus != "" {
		if res.Labelled, err = d.labelled(filepath.Join(corpus, "drift")); err != nil {
			return nil, err
		}
		if res.Versions, err = d.versions(filepath.Join(corpus, "versions.jsonl")); err != nil {
			return nil, err
		}
	}
	if servers != "" {
		if res.Upgrades, err = d.upgrades(servers); err != nil {
			return nil, err
		}
	}
	return res, nil
}

// differ compares two documents of definitions as mcpscan diff does.
type differ struct{ engine *scanner.Engine }

func (d *differ) compare(name string, old, newer []byte) (Change, error) {
	before, err := d.snapshot(old)
	if err != nil {
		return Change{}, fmt.Errorf("%s: %w", name, err)
	}
	return d.against(name, before, newer)
}

func (d *differ) snapshot(document []byte) (*scanner.Snapshot, error) {
	s := scanner.NewSnapshot()
	return s, d.run(d.engine.Keeping(), document, s)
}

func (d *differ) against(name string, before *scanner.Snapshot, newer []byte) (Change, error) {
	c := Change{Name: name}
	now := shown{map[mcp.DefinitionKey]mcp.Digest{}, func(f *scanner.Finding) {
		if !before.Knows(f) {
			c.Findings = append(c.Findings, Reported{f.Rule.ID, f.Name, f.Pointer, f.Message, f.Severity})
		}
	}}
	err := d.run(d.engine.Since(before, true), newer, now)
	c.Differs = !maps.Equal(digests(before), now.digests)
	return c, err
}

// shown is a sink for the definitions and findings from one run.
type shown struct {
	digests map[mcp.DefinitionKey]mcp.Digest
	collect
}

func (s shown) Event(_ *scanner.Event, out *scanner.Outcome) error {
	for i := range out.Messages {
		for _, d := range out.Messages[i].Message.Definitions {
			key := mcp.DefinitionKey{Kind: d.Kind, Name: d.Name}
			if _, twice := s.digests[key]; !twice { // like a snapshot, keep the first
				s.digests[key] = d.Digest
			}
		}
	}
	return nil
}

func (d *differ) run(engine *scanner.Engine, document []byte, sink scanner.Sink) error {
	events, err := replay.Definitions("definitions.json", document)
	if err != nil {
		return err
	}
	res, err := engine.Run(context.Background(), replay.Events(events), sink)
	if err != nil {
		return err
	}
	for _, s := range res.Coverage.Skipped {
		return fmt.Errorf("%d events: %s", s.Count, s.Reason)
	}
	return nil
}

// digests returns the digests of all definitions in a snapshot.
func digests(s *scanner.Snapshot) map[mcp.DefinitionKey]mcp.Digest {
	all := map[mcp.DefinitionKey]mcp.Digest{}
	for _, o := range s.Servers {
		for key, d := range o.Definitions {
			all[key] = d.Digest
		}
	}
	return all
}

// document returns a document that lists one tool.
func document(tool json.RawMessage) []byte {
	return slices.Concat([]byte(`{"tools":[`), tool, []byte(`]}`))
}

func (d *differ) labelled(dir string) (all []Change, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var labels map[string]json.RawMessage
		if err := json.Unmarshal(data, &labels); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, label := range []string{"malicious", "benign", "undeclared"} {
			cases, err := d.cases(labels[label], label)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			all = append(all, cases...)
		}
	}
	return all, nil
}

func (d *differ) cases(data json.RawMessage, label string) (all []Change, err error) {
	if data == nil {
		return nil, nil
	}
	var cases map[string]json.RawMessage
	if err := json.Unmarshal(data, &cases); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		if strings.HasPrefix(name, "_") { // a comment
			continue
		}
		var pair struct{ Baseline, Twin json.RawMessage }
		if err := json.Unmarshal(cases[name], &pair); err != nil || pair.Baseline == nil || pair.Twin == nil {
			return nil, fmt.Errorf("%s: expected {baseline, twin}: %v", name, err)
		}
		c, err := d.compare(name, document(pair.Baseline), document(pair.Twin))
		if err != nil {
			return nil, err
		}
		c.Label = label
		all = append(all, c)
	}
	return all, nil
}

func (d *differ) versions(path string) (all []Change, err error) {
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		var row struct {
			ID       string
			ToolName string `json:"tool_name"`
			Old, New json.RawMessage
		}
		if err := json.Unmarshal(line, &row); err != nil || row.ID == "" || row.Old == nil || row.New == nil {
			return nil, fmt.Errorf("%s:%d: expected {id, old, new}: %v", path, n, err)
		}
		c, err := d.compare(row.ID+" "+row.ToolName, document(row.Old), document(row.New))
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

func (d *differ) upgrades(dir string) (all []Change, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "upgrades.json"))
	if os.IsNotExist(err) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	var pairs []struct{ Package, From, To string }
	if err := json.Unmarshal(data, &pairs); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	files, err := everyDump(filepath.Join(dir, "dumps"))
	if err != nil {
		return nil, err
	}
	dumps := map[[2]string]*dump{}
	for _, d := range files {
		dumps[[2]string{d.Package, d.Version}] = d
	}
	for _, p := range pairs {
		old, now := dumps[[2]string{p.Package, p.From}], dumps[[2]string{p.Package, p.To}]
		if old == nil || now == nil {
			return nil, fmt.Errorf("%s: no dump of %s %s and %s", dir, p.Package, p.From, p.To)
		}
		c, err := d.compare(p.Package+" "+p.From+" → "+p.To, old.data, now.data)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}
