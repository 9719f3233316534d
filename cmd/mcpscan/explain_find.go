package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/scanner"
)

// wanted selects the event to explain, by one of these fields.
type wanted struct {
	place
	id          string
	fingerprint string
}

// place is a position in the recording. column is 0 if all events on the line are meant.
type place struct{ line, column int }

// holds reports whether the event that begins at p contains the position o. end is where the next
// event on the line begins, or the zero value if there is none.
func (p place) holds(o, end place) bool {
	return p.line == o.line && p.column <= o.column && (end.column == 0 || o.column < end.column)
}

var inFile = lazyregexp.New(`^(.+?):([0-9]+)(?::([0-9]+))?$`)

// parse parses the EVENT argument.
func (c *explainCmd) parse() (wanted, error) {
	if line, err := strconv.Atoi(c.Event); err == nil && line > 0 {
		return wanted{place: place{line: line}}, nil
	}
	if id, ok := strings.CutPrefix(c.Event, "id:"); ok && id != "" {
		return wanted{id: id}, nil
	}
	if scanner.FingerprintForm.MatchString(c.Event) {
		return wanted{fingerprint: c.Event}, nil
	}
	if m := inFile.FindStringSubmatch(c.Event); m != nil {
		if !c.sameFile(m[1]) {
			return wanted{}, usage("%s: the event is not in %s; give the file that contains it as RECORDING", c.Event, c.Recording)
		}
		if line, err := strconv.Atoi(m[2]); err == nil && line > 0 {
			column, _ := strconv.Atoi(m[3])
			return wanted{place: place{line, column}}, nil
		}
	}
	return wanted{}, usage("%q is not an event: expected a line number, FILE:LINE, id:ID of a request, or the fingerprint of a finding, such as f1:%s", c.Event, strings.Repeat("0", 32))
}

// candidates are the messages with the wanted ID.
type candidates struct {
	n     int
	first place
	list  string // a line about each, up to maxCandidates
}

// resolve finds the place of an event selected by ID, by fingerprint, or by line and column.
func (x *explainer) resolve(ctx context.Context, want wanted) (place, error) {
	if want.fingerprint != "" || want.line > 0 {
		return x.byFinding(ctx, want)
	}
	var requests, responses candidates
	_, err := x.pass(ctx, x.checks.Engine(), sink{event: func(e *scanner.Event, out *scanner.Outcome) {
		for i := range out.Messages {
			m := &out.Messages[i]
			if m.ID != want.id && m.ID != strconv.Quote(want.id) || x.cmd.Session != "" && !sameName(x.cmd.Session, e.Session) || x.cmd.Server != "" && !sameName(x.cmd.Server, e.Server) {
				continue
			}
			found := &requests
			if m.Kind == mcp.Response {
				found = &responses
			}
			if found.n++; found.n == 1 {
				found.first = place{e.Origin.Line, e.Origin.Column}
			}
			if found.n <= maxCandidates {
				found.list += fmt.Sprintf("\n  line %d: %s of server %s in session %s", e.Origin.Line, shownText(inWords(m)), shownText(e.Server), shownText(e.Session))
			}
		}
	}})
	if err != nil {
		return place{}, err
	}
	found := requests
	if found.n == 0 { // a response has the same id as its request
		found = responses
	}
	switch found.n {
	case 0:
		return place{}, usage("no message in %s has the ID %s; to list all messages: mcpscan events", x.cmd.Recording, shownText(want.id))
	case 1:
		return found.first, nil
	}
	if more := found.n - maxCandidates; more > 0 {
		found.list += fmt.Sprintf("\n  and %d more", more)
	}
	return place{}, usage("%d messages have the ID %s: give the line of one, or choose with --session and --server%s", found.n, shownText(want.id), found.list)
}

// byFinding returns the place of the first event that begins at the wanted location, or has a
// finding with the wanted location or fingerprint. If there is none, a location selects all events
// on its line.
func (x *explainer) byFinding(ctx context.Context, want wanted) (place, error) {
	var at, found place
	_, err := x.pass(ctx, x.checks.Engine(), sink{event: func(e *scanner.Event, _ *scanner.Outcome) {
		if at = (place{e.Origin.Line, e.Origin.Column}); at == want.place && found.line == 0 {
			found = at
		}
	}, finding: func(f *scanner.Finding) {
		if found.line == 0 && (f.Fingerprint() == want.fingerprint || want.place == place{f.Location.Line, f.Location.Column}) {
			found = at
		}
	}})
	switch {
	case err != nil || found.line > 0:
		return found, err
	case want.line > 0:
		return place{line: want.line}, nil
	}
	return found, usage("no finding in %s has the fingerprint %s; to list the findings: mcpscan detections --json --severity note", x.cmd.Recording, want.fingerprint)
}

// view is a sink that collects the events at one place.
type view struct {
	place
	next             place  // where the next event on the line begins, or the zero value if there is none
	before, after    int    // the nearest lines with events, -1 for none
	firstFindingLine int    // the line on which the first event with a finding on the requested line begins
	reason           string // why the line is not an event
	more             int    // number of events on the line that are not listed
	events           []*explained
	at               scanner.Origin
	now              *explained // nil if the current event is not listed
	windows          map[*scanner.Judged]*windows
	limited          bool // calls have a rate limit
}

// window records the windows of a call that is being judged.
func (v *view) window(m *scanner.Judged, w *scanner.Windows, l *scanner.Limits) {
	out := &windows{Reads: []past{}, Within: max(l.ReadThenSend, l.Flow).String(), Calls: w.Calls, BurstWindow: l.BurstWindow.String(), BurstLimit: l.BurstCalls,
		RateLimits: v.limited, Tokens: float64(w.Tokens) / 100, PerMinute: w.Rate.CallsPerMinute, Bucket: w.Rate.Burst}
	for _, r := range w.Reads {
		read := past{File: r.Location.File, Line: r.Location.Line, Server: r.Server, Event: "request tools/call " + r.Tool, Turn: r.SameTurn}
		if !r.Undated {
			read.Time = new(r.Time)
		}
		out.Reads = append(out.Reads, read)
	}
	slices.SortStableFunc(out.Reads, comparePast)
	v.windows[m] = out
}

// Event processes an event.
func (v *view) Event(e *scanner.Event, out *scanner.Outcome) error {
	v.at, v.now = e.Origin, nil
	defer clear(v.windows)
	switch {
	case e.Origin.Line < v.line:
		v.before = max(v.before, e.Origin.Line)
	case e.Origin.Line > v.line && (v.after < 0 || e.Origin.Line < v.after):
		v.after = e.Origin.Line
	}
	if e.Origin.Line != v.line {
		return nil
	}
	if v.column > 0 && e.Origin.Column != v.column {
		if e.Origin.Column > v.column && (v.next.column == 0 || e.Origin.Column < v.next.column) {
			v.next = place{v.line, e.Origin.Column}
		}
		return nil
	}
	if e.Kind == scanner.SkippedEvent || e.Kind == scanner.IgnoredEvent {
		v.reason = e.Reason
		return nil
	}
	if len(v.events) == maxOnLine {
		v.more++
		return nil
	}
	v.now = &explained{Seq: e.Seq, Time: e.Recorded(), File: e.Origin.File, Line: e.Origin.Line, Session: strings.Clone(e.Session), Server: strings.Clone(e.Server),
		Transport: e.Transport, Direction: e.Direction.String(), Type: e.Type, Messages: []explainedMessage{}, Cited: []citation{}, collector: report.NewCollector(scanner.Note)}
	for i := range out.Messages {
		m := &out.Messages[i]
		if w := v.windows[m]; w != nil {
			for k := range w.Reads {
				w.Reads[k].Session = v.now.Session
			}
		}
		v.now.Messages = append(v.now.Messages, explainedMessage{Kind: m.Kind.String(), Method: m.Method, Answers: m.Answers, ID: m.ID, Tool: m.Target,
			Decision: checked(m.Decision), Checks: chain(m), Windows: v.windows[m], call: isCall(e, m)})
	}
	v.events = append(v.events, v.now)
	return nil
}

// checked converts a decision for output.
func checked(d scanner.Decision) explainedCheck {
	return explainedCheck{Check: d.Check.String(), Verdict: d.Verdict.String(), Rule: d.Rule, Reason: d.Reason, File: d.Location.File, Line: d.Location.Line}
}

// chain returns the decision of each check, in order, or nothing if none decided.
func chain(m *scanner.Judged) []explainedCheck {
	out := []explainedCheck{}
	if !m.Decision.Made() {
		return out
	}
	said := append([]scanner.Decision{m.Decision}, m.Overruled...)
	for c := scanner.NoCheck; c <= scanner.OutputCheck; c++ {
		silent := c != scanner.NoCheck && c != scanner.OutputCheck && m.Kind != mcp.Response
		for _, d := range said {
			if d.Check == c && d.Made() && !repeats(d, said) {
				out, silent = append(out, checked(d)), false
			}
		}
		if silent {
			out = append(out, explainedCheck{Check: c.String()})
		}
	}
	return out
}

// repeats reports whether a rule only repeated a policy's decision.
func repeats(d scanner.Decision, said []scanner.Decision) bool {
	return d.Location == scanner.Location{} && slices.ContainsFunc(said, func(o scanner.Decision) bool {
		return o.Location != scanner.Location{} && o.Check == d.Check && o.Verdict == d.Verdict && o.Reason == d.Reason
	})
}

// Finding records findings in the selected line's events, and later findings that are based
// on those events.
func (v *view) Finding(f *scanner.Finding) error {
	if v.now != nil {
		return v.now.collector.Finding(f)
	}
	if v.firstFindingLine == 0 && f.Location.Line == v.line && f.Location.File == v.at.File {
		v.firstFindingLine = v.at.Line
	}
	for _, r := range f.Related {
		if v.holds(place{r.Location.Line, r.Location.Column}, v.next) && r.Location.File == v.at.File && len(v.events) > 0 {
			for _, e := range v.events {
				if len(e.Cited) < maxCitations {
					e.Cited = append(e.Cited, citation{f.Rule.ID, f.Severity, f.Location.File, f.Location.Line})
				}
			}
			break
		}
	}
	return nil
}

// missing returns an error explaining why there is nothing to explain.
func (v *view) missing(recording string) error {
	switch {
	case v.reason != "":
		return usage("%s:%d is not an event: %s", recording, v.line, text.Visible(v.reason, 400))
	case v.before > 0 && v.after > 0:
		return usage("no event begins at %s:%d: the nearest begin on lines %d and %d", recording, v.line, v.before, v.after)
	case v.before > 0:
		return usage("no event begins at %s:%d: the last one begins on line %d", recording, v.line, v.before)
	case v.after > 0:
		return usage("no event begins at %s:%d: the first one begins on line %d", recording, v.line, v.after)
	}
	return usage("%s has no events", recording)
}

// shownText makes untrusted text safe for a message.
func shownText(s string) string {
	return text.Visible(text.Mask(s[:min(len(s), math.MaxInt16)]), 120)
}
