package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/proxy"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// decided adds an event's outcome to the reports, and prints lines that end up in the client's log.
func (r *proxyRun) decided(e *scanner.Event, out *scanner.Outcome, do scanner.Action) {
	r.findings.all = r.findings.all[:0]
	err := r.sink.Event(e, out)
	for i := range out.Findings {
		err = errors.Join(err, r.sink.Finding(&out.Findings[i]))
	}
	if r.lost == nil {
		r.lost = err
	}
	r.log.Flush()
	r.alerts.decided(e, out, do, r.asks(out))
	if r.Quiet {
		return
	}
	for i := range r.findings.all {
		r.found(&r.findings.all[i], e, out, do)
	}
	if e.Kind == scanner.SkippedEvent {
		if do == scanner.Refuse {
			r.stderr.once("not inspected, and not forwarded: %s", e.Reason)
		} else {
			r.stderr.once("not inspected: %s", e.Reason)
		}
		return
	}
	blocked, withheld := "blocked", "withheld"
	if r.asks(out) {
		blocked = "" // the answer is reported separately
	}
	if r.Mode == "observe" {
		blocked, withheld = "would block", "would withhold"
	}
	if (out.Action() == scanner.Refuse || do == scanner.Refuse) && blocked != "" {
		r.stderr.once("%s %s: %s", blocked, describeMessage(e, out), proxy.Reason(&out.Decision))
	}
	for i := range out.Withheld {
		w := &out.Withheld[i]
		what := fmt.Sprintf("%s %q from the list", w.Kind, text.Visible(w.Name, 120))
		if w.Kind == mcp.ServerSubject {
			what = "the instructions of the server"
		}
		r.stderr.once("%s %s: %s", withheld, what, text.Visible(w.Decision.Reason, 300))
	}
	r.unapproved(e.Server, out)
}

// found prints a finding and what happened to its message or definition.
func (r *proxyRun) found(f *scanner.Finding, e *scanner.Event, out *scanner.Outcome, do scanner.Action) {
	about := f.Subject.String()
	if f.Name != "" {
		about += " " + text.QuoteName(f.Name)
	}
	if f.Server != "" && f.Subject != mcp.ServerSubject {
		about += " of server"
	}
	if f.Server != "" {
		about += " " + text.QuoteName(f.Server)
	}
	disposition := r.disposition(f, e, out, do)
	if !r.stderr.finding("%s %s%s: %s: %s", strings.ToUpper(f.Severity.String()), f.Rule.ID, disposition, about, text.Visible(f.Message, 200)) || disposition != forwarded {
		return
	}
	if setting := r.checks.Triage.Settings.BlockedBy(f); setting != "" {
		r.stderr.hint("findings like this one block nothing; to block, set " + setting + " in mcpscan.yaml")
	}
}

// forwarded is the disposition of a message or definition that reaches its receiver.
const forwarded = " (forwarded)"

// disposition returns what happened to a finding's message or definition.
func (r *proxyRun) disposition(f *scanner.Finding, e *scanner.Event, out *scanner.Outcome, do scanner.Action) string {
	switch {
	case e.Kind != scanner.FrameEvent && !inRequest(out): // such as the start of a server
		return ""
	case r.asks(out):
		return " (held)"
	case do == scanner.Refuse, out.Action() == scanner.Refuse && r.Mode != "observe":
		return " (blocked)"
	}
	for i := range out.Withheld {
		if w := &out.Withheld[i]; r.Mode != "observe" && w.Kind == f.Subject && text.Visible(w.Name, 120) == f.Name {
			return " (withheld)"
		}
	}
	return forwarded
}

// openFindings is a sink that keeps the current event's findings that are alerts.
type openFindings struct {
	least scanner.Severity
	all   []scanner.Finding
}

// Event does nothing: an event's findings follow it.
func (*openFindings) Event(*scanner.Event, *scanner.Outcome) error { return nil }

// Finding keeps a finding.
func (o *openFindings) Finding(f *scanner.Finding) error {
	if f.Status == scanner.Open && f.Severity >= o.least {
		o.all = append(o.all, *f)
	}
	return nil
}

// inRequest reports whether an event is about definitions in an agent's request to a model.
func inRequest(out *scanner.Outcome) bool {
	return len(out.Messages) == 1 && out.Messages[0].Kind == mcp.Document
}

// describeMessage describes an event's message for the log.
func describeMessage(e *scanner.Event, out *scanner.Outcome) string {
	if inRequest(out) {
		return "a request to the model with tools of server " + text.QuoteName(text.Visible(e.Server, 120))
	}
	what := "a message"
	for i := range out.Messages {
		m := &out.Messages[i]
		if m.Decision.Verdict < scanner.Prompt && len(out.Messages) > 1 {
			continue
		}
		switch {
		case m.Kind == mcp.Response && m.Answers != "":
			what = "the response to " + m.Answers
		case m.Method != "":
			what = m.Method
		}
		if m.Target != "" {
			what += fmt.Sprintf(" %q", m.Target)
		}
		break
	}
	if e.Direction == mcp.ServerToClient {
		return text.Visible(what, 300) + " from the server"
	}
	return text.Visible(what, 300)
}

// problem prints a line that is not about a finding or an event's outcome.
func (r *proxyRun) problem(format string, args ...any) {
	if !r.Quiet {
		r.stderr.printf(format, args...)
	}
}

// failed returns a function that prints why a server or provider sent no valid response. It prints
// a repeated line only once, because clients retry, and the limit on lines must leave room for
// blocked messages.
func (r *proxyRun) failed(who string) func(reason string) {
	return func(reason string) {
		if !r.Quiet {
			r.stderr.once("%s sent no valid response: %s", who, reason)
		}
	}
}

// Limits on the lines that a run prints, because clients store them. Findings have a limit of their
// own, so that a server that causes many of them does not hide what is blocked or held.
const (
	maxLines    = 200
	maxFindings = 50
)

// errorLog writes lines to standard error. It is safe for concurrent use.
type errorLog struct {
	mu       sync.Mutex
	to       io.Writer
	printed  int         // lines, including those beyond the limit
	findings int         // findings, including those beyond the limit
	lines    []*repeated // lines printed by once and finding
	hints    []string    // hints that were printed
}

// repeated is a printed line with the number of times that it occurred again.
type repeated struct {
	line string
	more int
}

// write writes a line, without a limit.
func (l *errorLog) write(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(l.to, line)
}

// printf writes a line, up to the limit.
func (l *errorLog) printf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.print(fmt.Sprintf(format, args...))
}

// once is like printf, but counts a line that was already printed instead of printing it again.
func (l *errorLog) once(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if line := fmt.Sprintf(format, args...); !l.again(line) && l.print(line) {
		l.lines = append(l.lines, &repeated{line: line})
	}
}

// finding is like once, with the limit for findings. It reports whether it wrote the line.
func (l *errorLog) finding(format string, args ...any) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := fmt.Sprintf(format, args...)
	if l.again(line) {
		return false
	}
	if l.findings++; l.findings > maxFindings {
		return false
	}
	fmt.Fprintln(l.to, "mcpscan: "+line)
	l.lines = append(l.lines, &repeated{line: line})
	return true
}

// hint writes a line unless it was already written.
func (l *errorLog) hint(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.hints, line) {
		fmt.Fprintln(l.to, "mcpscan: "+line)
		l.hints = append(l.hints, line)
	}
}

// again reports whether a line was already printed, and counts the repetition.
func (l *errorLog) again(line string) bool {
	for _, r := range l.lines { // at most maxLines+maxFindings
		if r.line == line {
			r.more++
			return true
		}
	}
	return false
}

// print writes a line and reports whether it did. At the limit on the number of lines, it writes a notice
// instead.
func (l *errorLog) print(line string) bool {
	l.printed++
	switch {
	case l.printed < maxLines:
		fmt.Fprintln(l.to, "mcpscan: "+line)
	case l.printed == maxLines:
		fmt.Fprintln(l.to, "mcpscan: further decisions are not listed here; to record all of them, use --events FILE")
	}
	return l.printed < maxLines
}

// close writes how often lines were repeated, and how many were not printed.
func (l *errorLog) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.lines {
		if r.more > 0 {
			fmt.Fprintf(l.to, "mcpscan: %d more like this: %s\n", r.more, r.line)
		}
	}
	if more := l.findings - maxFindings; more > 0 {
		fmt.Fprintf(l.to, "mcpscan: %d further findings are not listed here; to record all of them, use --events FILE\n", more)
	}
	if more := l.printed - maxLines + 1; more > 0 {
		fmt.Fprintf(l.to, "mcpscan: %d further decisions are not listed here\n", more)
	}
}
