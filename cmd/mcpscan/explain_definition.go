package main

import (
	"cmp"
	"slices"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/scanner"
)

// definitionFinding is an open finding about the definition of a called tool, in an earlier event of the
// session.
type definitionFinding struct {
	Rule        string           `json:"rule"`
	Severity    scanner.Severity `json:"severity"`
	Message     string           `json:"message"`
	Fingerprint string           `json:"fingerprint"`
	File        string           `json:"file"`
	Line        int              `json:"line"`
}

// maxDefinitionFindings is the maximum number of findings listed for a definition, the most severe
// first.
const maxDefinitionFindings = 20

// definitionCollector collects the findings about the definitions of the tools that the explained events
// call.
type definitionCollector struct {
	events []*explained // events that the replay has not reached yet
}

// definitionCollector returns a collector for the tools that the view's events call.
func (v *view) definitionCollector() *definitionCollector {
	d := &definitionCollector{}
	for _, e := range v.events {
		for i := range e.Messages {
			if m := &e.Messages[i]; m.call && m.Tool != "" {
				if e.called == nil {
					e.called = map[string]*report.Collector{}
					d.events = append(d.events, e)
				}
				e.called[text.ShownName(m.Tool)] = report.NewCollector(scanner.Low)
			}
		}
	}
	return d
}

// reach stops collecting for an explained event once the replay reaches it: later findings say nothing
// about what was known at the call.
func (d *definitionCollector) reach(e *scanner.Event) {
	d.events = slices.DeleteFunc(d.events, func(x *explained) bool { return x.Seq == e.Seq })
}

// finding adds a finding about a definition to the later calls of that tool.
func (d *definitionCollector) finding(f *scanner.Finding) {
	if f.Subject != mcp.ToolSubject {
		return
	}
	for _, e := range d.events {
		if c := e.called[f.Name]; c != nil && f.Session == text.ShownName(e.Session) && f.Server == text.ShownName(e.Server) {
			_ = c.Finding(f)
		}
	}
}

// addDefinitions adds to each call the findings about the definition of its tool, the most severe first.
func (e *explained) addDefinitions() {
	of := map[string][]definitionFinding{}
	for name, c := range e.called {
		for _, f := range c.Report(nil, "", scanner.Result{}).Findings {
			if f.Status == scanner.Open.String() {
				of[name] = append(of[name], definitionFinding{f.Rule, f.Severity, f.Message, f.Fingerprint, f.Location.File, f.Location.Line})
			}
		}
		slices.SortStableFunc(of[name], func(a, b definitionFinding) int { return cmp.Compare(b.Severity, a.Severity) })
		of[name] = of[name][:min(len(of[name]), maxDefinitionFindings)]
	}
	for i := range e.Messages {
		if m := &e.Messages[i]; m.call {
			m.Definition = of[text.ShownName(m.Tool)]
		}
	}
}
