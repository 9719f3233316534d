package score

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

// Result contains the rules' results for a corpus and, if given, for the definitions of published
// servers.
type Result struct {
	Sets    []Set
	Servers *Servers
}

// Set holds the judged rows of one file.
type Set struct {
	Name string
	rows []judged
}

type judged struct {
	*row
	found worst
}

// worst maps the IDs of rules to the highest severity that each of them reported.
type worst map[string]scanner.Severity

// at reports whether there is a finding of at least this severity.
func (w worst) at(least scanner.Severity) bool {
	for _, s := range w {
		if s >= least {
			return true
		}
	}
	return false
}

// Run judges a corpus with all rules and, unless servers is empty, the published servers'
// definitions in that directory.
func Run(corpus, servers string) (*Result, error) {
	engine, err := scanner.New(rules.All(), scanner.Options{})
	if err != nil {
		return nil, err
	}
	res := &Result{}
	if res.Sets, err = judgeCorpus(engine, corpus); err != nil || servers == "" {
		return res, err
	}
	res.Servers, err = judgeServers(engine, servers)
	return res, err
}

// judgeCorpus judges the rows in a directory.
func judgeCorpus(engine *scanner.Engine, dir string) ([]Set, error) {
	var sets []Set
	for _, f := range []struct {
		name, file string
		events     func(*row) []*scanner.Event
	}{
		{"tool definitions", "tooldefs.jsonl", definitionEvents},
		{"tool results", "outputs.jsonl", resultEvents},
	} {
		all, err := rows(filepath.Join(dir, f.file))
		if err != nil {
			return nil, err
		}
		if len(all) == 0 {
			continue
		}
		set, err := judge(engine, all, f.events)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.file, err)
		}
		sets = append(sets, Set{f.name, set})
	}
	if len(sets) == 0 {
		return nil, fmt.Errorf("%s has no rows: expected tooldefs.jsonl or outputs.jsonl", dir)
	}
	return sets, nil
}

// judge runs the rules over the sessions of all rows together.
func judge(engine *scanner.Engine, all []*row, session func(*row) []*scanner.Event) ([]judged, error) {
	var events []*scanner.Event
	found := map[string]worst{}
	for _, r := range all {
		if found[r.ID] != nil {
			return nil, fmt.Errorf("two rows have the id %s", r.ID)
		}
		events, found[r.ID] = append(events, session(r)...), worst{}
	}
	err := run(engine, events, func(f *scanner.Finding) {
		w := found[f.Session]
		w[f.Rule.ID] = max(w[f.Rule.ID], f.Severity)
	})
	var set []judged
	for _, r := range all {
		set = append(set, judged{r, found[r.ID]})
	}
	return set, err
}

// run judges the events, and passes every finding to sink. A skipped event is an error, because
// figures that omit texts would be wrong. A text with more layers of encoding than mcpscan decodes
// (a published corpus contains a decoder's test file) does not count as an error, because it was
// inspected.
func run(engine *scanner.Engine, events []*scanner.Event, sink collect) error {
	return runSource(engine, replay.Events(events), sink)
}

// runSource is like run, but reads the events from a source.
func runSource(engine *scanner.Engine, src scanner.Source, sink collect) error {
	res, err := engine.Run(context.Background(), src, sink)
	if err != nil {
		return err
	}
	for _, s := range res.Coverage.Skipped {
		if strings.Contains(s.Reason, "layers of encoding") {
			continue
		}
		return fmt.Errorf("%d events: %s", s.Count, s.Reason)
	}
	return nil
}

// collect is a sink for findings.
type collect func(*scanner.Finding)

// Event does nothing.
func (collect) Event(*scanner.Event, *scanner.Outcome) error { return nil }

// Finding calls c.
func (c collect) Finding(f *scanner.Finding) error {
	c(f)
	return nil
}

// count is the number of flagged rows and the number of all rows.
type count struct{ flagged, rows int }

func (c *count) add(flagged bool) {
	c.rows++
	if flagged {
		c.flagged++
	}
}

func (c count) rate() float64 { return float64(c.flagged) / float64(c.rows) }

// total counts the rows of a class and those with a finding of at least this severity. macro is the
// average, over the sources and attack kinds, of the share with such a finding.
func (s *Set) total(of class, least scanner.Severity) (all count, macro float64) {
	cells := map[string]*count{}
	for _, r := range s.rows {
		if r.class() != of {
			continue
		}
		c := cells[r.cell()]
		if c == nil {
			c = &count{}
			cells[r.cell()] = c
		}
		c.add(r.found.at(least))
		all.add(r.found.at(least))
	}
	for _, c := range cells {
		macro += c.rate() / float64(len(cells))
	}
	return all, macro
}
