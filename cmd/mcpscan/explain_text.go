package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/text"
)

// labelWidth is the width of a label with its indent.
const labelWidth = 13

// explainedLines writes explanations, one fact per line.
type explainedLines struct{ b bytes.Buffer }

// writeExplained writes explained events as text.
func writeExplained(w io.Writer, events []*explained) error {
	var p explainedLines
	for i, e := range events {
		if i > 0 {
			p.b.WriteByte('\n')
		}
		p.event(e)
	}
	return put(text.Guard(w), p.b.Bytes())
}

// line writes a label and its text; continuation lines have an empty label.
func (p *explainedLines) line(indent int, label, format string, args ...any) {
	for i, a := range args { // any string argument may be untrusted
		if s, ok := a.(string); ok {
			args[i] = text.Visible(text.Mask(s), 1000)
		}
	}
	fmt.Fprintf(&p.b, "%*s%-*s  %s\n", indent, "", labelWidth-indent, label, strings.TrimSpace(fmt.Sprintf(format, args...)))
}

func (p *explainedLines) event(e *explained) {
	p.line(0, "event", "%s:%d, %s", e.File, e.Line, instant(&e.Time))
	p.line(0, "session", "%s", e.Session)
	from := ""
	if e.Direction != "unknown" {
		from = ", " + strings.ReplaceAll(e.Direction, "_", " ")
	}
	p.line(0, "server", "%s%s", e.Server, from)
	for i := range e.Messages {
		p.message(&e.Messages[i])
	}
	if len(e.Findings) == 0 {
		p.line(0, "findings", "none")
	}
	for i := range e.Findings {
		p.b.WriteByte('\n')
		p.finding(&e.Findings[i])
	}
	for i, c := range e.Cited {
		if i == 0 {
			p.b.WriteByte('\n')
		}
		p.line(0, "cited", "by %s %s at %s:%d", c.Severity.String(), c.Rule, c.File, c.Line)
	}
}

// instant formats a time with nanosecond precision.
func instant(t *time.Time) string {
	if t == nil || t.IsZero() {
		return "without a time"
	}
	return t.UTC().Format(time.RFC3339Nano)
}

func (p *explainedLines) message(m *explainedMessage) {
	what := m.Kind
	for _, s := range [...]string{m.Method, m.Tool} {
		if s != "" {
			what += " " + s
		}
	}
	if m.Answers != "" {
		what += ", in answer to " + m.Answers
	}
	if m.ID != "" {
		what += ", id " + m.ID
	}
	p.line(0, "message", "%s", what)
	p.decision(m)
	for i, f := range m.Definition {
		label := ""
		if i == 0 {
			label = "definition"
		}
		p.line(0, label, "%s %s at %s:%d: %s", strings.ToUpper(f.Severity.String()), f.Rule, f.File, f.Line, f.Message)
	}
	if m.Windows != nil {
		p.windows(m.Windows)
	}
}

// decision writes the decision about a message and the decision of each check.
func (p *explainedLines) decision(m *explainedMessage) {
	if len(m.Checks) == 0 {
		if m.Kind == "request" {
			p.line(0, "decision", "allow: no check applied")
		}
		return
	}
	by := ""
	if m.Decision.Check != "" {
		by = " by the " + m.Decision.Check + " check"
	}
	p.line(0, "decision", "%s", m.Decision.Verdict+by+m.Decision.why())
	for i, c := range m.Checks {
		label := ""
		if i == 0 {
			label = "checks"
		}
		if c.Verdict == "" {
			p.line(0, label, "%s: nothing", c.Check)
			continue
		}
		p.line(0, label, "%s: %s", c.Check, c.Verdict+c.why())
	}
}

// why describes the rule and reason of a check's decision.
func (c *explainedCheck) why() string {
	out := ""
	if c.Rule != "" {
		out += ", " + c.Rule
	}
	if c.File != "" {
		out += fmt.Sprintf(" (%s:%d)", c.File, c.Line)
	}
	if c.Reason != "" {
		out += ": " + c.Reason
	}
	return out
}

// windows writes the windows used to judge a call.
func (p *explainedLines) windows(w *windows) {
	turn := 0
	for _, r := range w.Reads {
		if r.Turn {
			turn++
		}
	}
	p.line(0, "windows", "reads on other servers in the %s before this call: %d (%d in the same turn)", w.Within, len(w.Reads), turn)
	for i := range w.Reads {
		p.past(&w.Reads[i])
	}
	p.line(0, "", "calls to the server within %s, including this one: %d%s; a burst is more than %d", w.BurstWindow, min(w.Calls, math.MaxInt32), more(w.Calls > w.BurstLimit), w.BurstLimit)
	if w.RateLimits {
		p.line(0, "", "tokens left in its rate limit: %s of %d; refilled at %d per minute", fmt.Sprint(w.Tokens), w.Bucket, w.PerMinute)
	} else {
		p.line(0, "", "no rate limit: rate_limits.enabled in mcpscan.yaml is not true")
	}
}

// more returns the suffix of a number: " or more" if the number may be only a minimum.
func more(may bool) string {
	if may {
		return " or more"
	}
	return ""
}

// past writes an earlier event that affected how this one was judged.
func (p *explainedLines) past(e *past) {
	out := fmt.Sprintf("%s:%d", e.File, e.Line)
	if e.Time != nil {
		out = instant(e.Time) + ", " + out
	}
	if e.Event != "" {
		out += ", " + e.Event
	}
	if e.Server != "" {
		out += " of " + e.Server
	}
	if e.Turn {
		out += ", in the same turn"
	}
	if e.Message != "" {
		out += ": " + e.Message
	}
	p.line(2, "", "%s", out)
}

func (p *explainedLines) finding(f *explainedFinding) {
	p.line(0, "finding", "%s %s: %s", strings.ToUpper(f.Severity.String()), f.Rule, f.Message)
	for _, m := range [...]struct{ label, text string }{
		{"why", f.Why}, {"subject", strings.TrimSpace(f.Subject + " " + f.Tool)}, {"field", f.Field}, {"evidence", f.Evidence.Context},
		{"signals", strings.Join(f.Signals, ", ")}, {"confidence", f.Confidence}, {"action", f.Action}, {"fingerprint", f.Fingerprint},
	} {
		if m.text != "" {
			p.line(2, m.label, "%s", m.text)
		}
	}
	if f.Evidence.Decoded != nil {
		p.line(2, "decoded", "%s", *f.Evidence.Decoded)
	}
	if f.Status != "open" {
		p.line(2, "status", "%s", strings.TrimSuffix(f.Status+": "+f.Reason, ": "))
	}
	if len(f.RestsOn) > 0 {
		p.line(2, "based on", "earlier events, in chronological order: %d", len(f.RestsOn))
	}
	for i := range f.RestsOn {
		p.past(&f.RestsOn[i])
	}
}
