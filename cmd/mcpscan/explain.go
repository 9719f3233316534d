package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/scanner"
)

type explainCmd struct {
	Recording string `arg:"" help:"Recording with the event." placeholder:"RECORDING"`
	Event     string `arg:"" help:"Line number, FILE:LINE as in a report, id:ID of a JSON-RPC request, or the fingerprint f1:… of a finding." placeholder:"EVENT"`
	Session   string `help:"For id:ID, the session of the request."`
	Server    string `help:"For id:ID, the server of the request."`
	JSON      bool   `help:"Write JSON instead of text."`
	engineFlags
}

// explained is the explanation of one event.
type explained struct {
	Seq       int64              `json:"seq"`
	Time      time.Time          `json:"timestamp,omitzero"`
	File      string             `json:"file"`
	Line      int                `json:"line"`
	Session   string             `json:"session"`
	Server    string             `json:"server"`
	Transport string             `json:"transport"`
	Direction string             `json:"direction"`
	Type      string             `json:"type"`
	Messages  []explainedMessage `json:"messages"`
	Findings  []explainedFinding `json:"findings"`
	Cited     []citation         `json:"cited"` // other events' findings that are based on this event
	collector *report.Collector  // collects the findings

	called map[string]*report.Collector // findings about the definitions of the called tools, by shown name
}

// explainedMessage is one message in an event.
type explainedMessage struct {
	Kind     string           `json:"kind"`
	Method   string           `json:"method"`
	Answers  string           `json:"answers,omitempty"` // the method of the request that a response answers
	ID       string           `json:"id"`
	Tool     string           `json:"tool"`
	Decision explainedCheck   `json:"decision"`
	Checks   []explainedCheck `json:"checks"` // in the order of the chain; empty if no check decided
	Windows  *windows         `json:"windows,omitempty"`

	Definition []definitionFinding `json:"definition,omitempty"` // of a call: findings about the tool
	call       bool
}

// explainedCheck is the decision of one check.
type explainedCheck struct {
	Check   string `json:"check"`
	Verdict string `json:"verdict"` // empty if it did not decide
	Rule    string `json:"rule,omitempty"`
	Reason  string `json:"reason,omitempty"`
	File    string `json:"file,omitempty"` // file of the policy rule
	Line    int    `json:"line,omitempty"`
}

// explainedFinding is a finding with its reasons.
type explainedFinding struct {
	report.Finding
	Why     string `json:"why"`
	RestsOn []past `json:"rests_on"` // in chronological order
}

// past is an earlier event that affected how a later one was judged.
type past struct {
	Time    *time.Time `json:"timestamp"` // null if the event has none or is not in the recording
	File    string     `json:"file"`
	Line    int        `json:"line"`
	Session string     `json:"session"`
	Server  string     `json:"server"`
	Event   string     `json:"event"`   // in words
	Message string     `json:"message"` // message of the finding
	Turn    bool       `json:"same_turn,omitempty"`
	column  int
}

// citation is another event's finding that is based on this event.
type citation struct {
	Rule     string           `json:"rule"`
	Severity scanner.Severity `json:"severity"`
	File     string           `json:"file"`
	Line     int              `json:"line"`
}

// windows is what the engine knew about earlier calls when it judged a call: the reads and the
// number of calls, each within its window, and the tokens left in the rate limit.
type windows struct {
	Reads       []past  `json:"reads"`
	Within      string  `json:"reads_within"`
	Calls       int     `json:"burst_calls"`
	BurstWindow string  `json:"burst_window"`
	BurstLimit  int     `json:"burst_limit"`
	RateLimits  bool    `json:"rate_limits"` // whether calls are limited
	Tokens      float64 `json:"tokens"`
	PerMinute   int     `json:"calls_per_minute"`
	Bucket      int     `json:"burst"`
}

// Limits on the lists.
const (
	maxOnLine     = 20 // events of one line
	maxCandidates = 20
	maxCitations  = 20
)

// Run explains the event.
func (c *explainCmd) Run(ctx context.Context, std streams) error {
	if c.Recording == "-" {
		return usage("explain cannot read standard input, because it reads the recording more than once; expected mcpscan explain RECORDING EVENT")
	}
	want, err := c.parse()
	if err != nil {
		return err
	}
	checks, err := c.checks("")
	if err != nil {
		return err
	}
	x := &explainer{cmd: c, std: std, checks: checks}
	at := want.place
	if at.line == 0 || at.column > 0 {
		if at, err = x.resolve(ctx, want); err != nil {
			return err
		}
	}
	events, err := x.explain(ctx, at)
	if err != nil {
		return err
	}
	if c.JSON {
		return writeJSON(std.out, events)
	}
	return writeExplained(std.out, events)
}

// explainer replays a recording several times: to find the event, to explain it, and to describe
// the earlier events that its findings are based on.
type explainer struct {
	cmd    *explainCmd
	std    streams
	checks *app.Checks
}

// pass replays the recording into a sink.
func (x *explainer) pass(ctx context.Context, engine *scanner.Engine, s scanner.Sink) (scanner.Result, error) {
	return replayed{[]string{x.cmd.Recording}, x.cmd.MaxMessage, "nothing was explained"}.into(ctx, x.std, engine, x.checks.Into(s))
}

// probe returns an engine with an additional last rule, which passes each tool call and its windows to
// the function see.
func (x *explainer) probe(see func(*scanner.Judged, *scanner.Windows, *scanner.Limits)) (*scanner.Engine, error) {
	return scanner.New(append(slices.Clone(x.checks.Engine().Rules()), observer(func(p *scanner.JudgePass) {
		if w, ok := p.Windows(); ok {
			see(p.Message, &w, p.Limits)
		}
	})), x.checks.Options)
}

// explain returns the explanations of the events at a place. If no event begins on the
// requested line, but an event has a finding there, explain uses the line on which the first such event
// begins: in a document, the text of an event can be far below its beginning.
func (x *explainer) explain(ctx context.Context, at place) ([]*explained, error) {
	limited := slices.ContainsFunc(x.checks.Engine().Rules(), func(r scanner.Rule) bool { return r.ID == "rate-limit" })
	v := &view{place: at, before: -1, after: -1, windows: map[*scanner.Judged]*windows{}, limited: limited}
	engine, err := x.probe(v.window)
	if err != nil {
		return nil, err
	}
	res, err := x.pass(ctx, engine, v)
	if err != nil {
		return nil, err
	}
	if len(v.events) == 0 && v.firstFindingLine > 0 {
		return x.explain(ctx, place{line: v.firstFindingLine})
	}
	tellSkipped(x.std, res)
	if len(v.events) == 0 {
		return nil, v.missing(x.cmd.Recording)
	}
	if v.more > 0 {
		fmt.Fprintf(x.std.err, "mcpscan: not explained: %s on this line\n", report.Count(v.more, "more event"))
	}
	places := map[place]past{}
	for _, e := range v.events {
		e.findings(x.checks.Rules)
		for i := range e.Findings {
			for _, r := range e.Findings[i].Related {
				if r.Location.File == x.cmd.Recording {
					places[place{r.Location.Line, r.Location.Column}] = past{}
				}
			}
		}
	}
	called := v.definitionCollector()
	if len(places) > 0 || len(called.events) > 0 {
		if _, err := x.pass(ctx, x.checks.Engine(), sink{event: func(e *scanner.Event, out *scanner.Outcome) {
			called.reach(e)
			for at, p := range places { // the last event that begins at or before the place
				if col := e.Origin.Column; e.Origin.Line == at.line && (p.Event == "" || col <= at.column && (col > p.column || p.column > at.column)) {
					places[at] = pastOf(e, out)
				}
			}
		}, finding: called.finding}); err != nil {
			return nil, err
		}
	}
	for _, e := range v.events {
		e.addPast(x.cmd.Recording, places)
		e.addDefinitions()
	}
	return v.events, nil
}

// pastOf describes an event on which findings in later events are based.
func pastOf(e *scanner.Event, out *scanner.Outcome) past {
	p := past{File: e.Origin.File, Line: e.Origin.Line, column: e.Origin.Column, Session: e.Session, Server: e.Server, Event: e.Type}
	if at := e.Recorded(); !at.IsZero() {
		p.Time = new(at)
	}
	if len(out.Messages) > 0 {
		p.Event = inWords(&out.Messages[0])
	}
	return p
}

// inWords describes a message.
func inWords(m *scanner.Judged) string {
	out := m.Kind.String()
	if m.Answers != "" {
		out += " to " + m.Answers
	}
	for _, s := range [...]string{m.Method, m.Target} {
		if s != "" {
			out += " " + s
		}
	}
	return out
}

// findings fills in an event's findings, with their rules' reasons.
func (e *explained) findings(rules []scanner.Rule) {
	e.Findings = []explainedFinding{}
	for _, f := range e.collector.Report(nil, "", scanner.Result{}).Findings {
		out := explainedFinding{Finding: f}
		if i := slices.IndexFunc(rules, func(r scanner.Rule) bool { return r.ID == f.Rule }); i >= 0 {
			out.Why = rules[i].Why
		}
		e.Findings = append(e.Findings, out)
	}
}

// addPast adds to each finding of an event the earlier events that it is based on.
func (e *explained) addPast(recording string, places map[place]past) {
	for i := range e.Findings {
		f := &e.Findings[i]
		f.RestsOn = []past{}
		for _, r := range f.Related {
			p := past{File: r.Location.File, Line: r.Location.Line}
			if there, ok := places[place{r.Location.Line, r.Location.Column}]; ok && r.Location.File == recording && there.Event != "" {
				p = there
			}
			p.Message = r.Message
			f.RestsOn = append(f.RestsOn, p)
		}
		slices.SortStableFunc(f.RestsOn, comparePast)
	}
}

// comparePast orders by time, then by location; events without a time come first.
func comparePast(a, b past) int {
	var at, bt time.Time
	if a.Time != nil {
		at = *a.Time
	}
	if b.Time != nil {
		bt = *b.Time
	}
	return cmp.Or(at.Compare(bt), strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
}

// sameFile reports whether a file named in the EVENT argument is the recording.
func (c *explainCmd) sameFile(name string) bool {
	return filepath.Clean(name) == filepath.Clean(c.Recording) || name == filepath.Base(c.Recording)
}

// observer returns a rule that reports nothing, but calls the function see for every message that rules
// judge.
func observer(see func(*scanner.JudgePass)) scanner.Rule {
	return scanner.Rule{ID: "observer", Category: "engine", Title: "What is seen", Why: "Nothing is reported.", Fix: "None.",
		Basis: "It reports nothing.", Refs: []string{"CWE-778"}, Judge: see}
}
