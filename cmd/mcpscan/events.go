package main

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/scanner"
)

type eventsCmd struct {
	queryFlags
	Type     string `help:"Only events of this type: mcp_message, an audit event type, a JSON-RPC method, request, notification or response."`
	Severity string `help:"Show only events with findings of this severity or higher, and the rules that found them." default:"" enum:",note,low,medium,high,critical"`
}

// eventRow is one row of the output of mcpscan events.
type eventRow struct {
	Seq       int64     `json:"seq"`
	Time      time.Time `json:"timestamp,omitzero"`
	Session   string    `json:"session"`
	Server    string    `json:"server"`
	Direction string    `json:"direction"`
	Type      string    `json:"type"`
	Kind      string    `json:"kind"`
	Method    string    `json:"method"`
	ID        string    `json:"id"`
	Tool      string    `json:"tool"`
	Bytes     int       `json:"bytes"`
	File      string    `json:"file"`
	Line      int       `json:"line"`

	Patterns []string `json:"patterns,omitempty"` // rules with findings, only with --severity
	Severity string   `json:"severity,omitempty"` // the highest severity of these findings
	worst    scanner.Severity
}

// found adds a finding to the event.
func (r *eventRow) found(f *scanner.Finding) {
	r.worst = max(r.worst, f.Severity)
	if r.Severity = r.worst.String(); !slices.Contains(r.Patterns, f.Rule.ID) {
		r.Patterns = append(r.Patterns, f.Rule.ID)
	}
}

func (r eventRow) when() time.Time { return r.Time }

// Run lists the events.
func (c *eventsCmd) Run(ctx context.Context, std streams) error {
	var rows []eventRow
	last := 0 // index of the current event's first row; findings follow their event
	kind := &c.names.kind
	*kind = newNameFilter("--type", c.Type)
	err := c.run(ctx, std, sink{event: func(e *scanner.Event, out *scanner.Outcome) {
		last = len(rows)
		for _, m := range out.Messages {
			r := eventRow{Seq: e.Seq, Time: e.Recorded(), Session: e.Session, Server: e.Server, Direction: e.Direction.String(), Type: e.Type,
				Kind: m.Kind.String(), Method: m.Method, ID: m.ID, Tool: m.Target, Bytes: len(e.Frame), File: e.Origin.File, Line: e.Origin.Line}
			if !c.has(r.Session, r.Server, r.Tool) {
				continue
			}
			passes := false
			for _, name := range [...]string{r.Type, r.Method, r.Kind} {
				passes = kind.recordSuggestion(name) || passes
			}
			if passes {
				rows = append(rows, r)
			}
		}
	}, finding: func(f *scanner.Finding) {
		for i := last; c.Severity != "" && f.Severity >= severity(c.Severity) && i < len(rows); i++ {
			rows[i].found(f)
		}
	}})
	if err != nil {
		return err
	}
	if c.Severity != "" {
		rows = slices.DeleteFunc(rows, func(r eventRow) bool { return len(r.Patterns) == 0 })
	}
	return show(&c.queryFlags, std, rows, func(rows []eventRow) *table {
		head := []string{"time", "session", "server", "from", "message", "id", "bytes", "line"}
		if c.Severity != "" {
			head = append(head, "pattern", "severity")
		}
		t := newTable(head...)
		for _, r := range rows {
			from := strings.SplitN(r.Direction, "_", 2)[0]
			cells := []string{stamp(r.Time), r.Session, r.Server, from, strings.TrimSpace(r.Kind + " " + r.Method + " " + r.Tool), r.ID, strconv.Itoa(r.Bytes), strconv.Itoa(r.Line)}
			if c.Severity != "" {
				cells = append(cells, strings.Join(r.Patterns, ", "), r.Severity)
			}
			t.add(cells...)
		}
		return t
	})
}
