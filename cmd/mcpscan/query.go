package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/scanner"
)

// queryFlags select the part of a recording to show.
type queryFlags struct {
	Files   []string `arg:"" help:"Recordings; - reads standard input." placeholder:"FILE"`
	Session string   `help:"Only this session."`
	Server  string   `help:"Only this server."`
	Tool    string   `help:"Only this tool."`
	Since   string   `help:"Only rows since this time (RFC 3339), or within this duration (such as 1h) before the latest row."`
	JSON    bool     `help:"Write JSON instead of a table."`
	engineFlags
	names nameFilters
}

// sink adapts two functions to scanner.Sink; either may be nil.
type sink struct {
	event   func(*scanner.Event, *scanner.Outcome)
	finding func(*scanner.Finding)
}

func (s sink) Event(e *scanner.Event, out *scanner.Outcome) error {
	if s.event != nil {
		s.event(e, out)
	}
	return nil
}

func (s sink) Finding(f *scanner.Finding) error {
	if s.finding != nil {
		s.finding(f)
	}
	return nil
}

// filtered is a sink that passes on only the findings for which keep returns true.
type filtered struct {
	scanner.Sink
	keep func(*scanner.Finding) bool
}

func (s filtered) Finding(f *scanner.Finding) error {
	if !s.keep(f) {
		return nil
	}
	return s.Sink.Finding(f)
}

// run replays the recordings into a sink. It reports a name filter that no name in the recordings
// passes.
func (f *queryFlags) run(ctx context.Context, std streams, to sink) error {
	n := &f.names
	n.session, n.server, n.tool = newNameFilter("--session", f.Session), newNameFilter("--server", f.Server), newNameFilter("--tool", f.Tool)
	s := sink{event: func(e *scanner.Event, out *scanner.Outcome) {
		n.event(e, out)
		_ = to.Event(e, out)
	}, finding: func(found *scanner.Finding) {
		n.finding(found)
		_ = to.Finding(found)
	}}
	checks, err := f.checks("")
	if err != nil {
		return err
	}
	res, err := replayed{f.Files, f.MaxMessage, "nothing was listed"}.into(ctx, std, checks.Engine(), checks.Into(s))
	if err != nil {
		return err
	}
	tellSkipped(std, res)
	n.tellUnmatched(std)
	return nil
}

// replayed is a set of recordings, all of which a command must read to the end.
type replayed struct {
	files       []string
	maxMessage  int64
	interrupted string // consequence of an interrupt, as stated in the error
}

// into replays the recordings into s.
func (r replayed) into(ctx context.Context, std streams, engine *scanner.Engine, s scanner.Sink) (scanner.Result, error) {
	src, closeAll, err := app.Recordings(ctx, app.WithParts(r.files), std.in, replay.Options{MaxMessage: r.maxMessage, Servers: app.LockedTools()}, nil)
	if err != nil {
		return scanner.Result{}, err
	}
	defer closeAll()
	res, err := engine.Run(context.WithoutCancel(ctx), src, s) // an interrupt ends the source
	if err == nil && ctx.Err() != nil {
		err = fmt.Errorf("%w: %s", context.Cause(ctx), r.interrupted)
	}
	if err != nil {
		return res, &exitError{exitIncomplete, err}
	}
	return res, nil
}

// tellSkipped reports the parts of a recording that were not inspected.
func tellSkipped(std streams, res scanner.Result) {
	for _, skipped := range res.Coverage.Skipped {
		fmt.Fprintf(std.err, "mcpscan: not inspected: %s (%s, first at %s:%d)\n", text.Visible(skipped.Reason, 1000), report.Count(skipped.Count, "time"), text.Visible(text.Mask(skipped.First.File), 400), skipped.First.Line)
	}
}

// has reports whether a row passes the filters that all query commands share.
func (f *queryFlags) has(session, server, tool string) bool {
	return f.names.session.passes(session) && f.names.server.passes(server) && f.names.tool.passes(tool)
}

// timed is a row with a time.
type timed interface{ when() time.Time }

// since returns the rows in the requested period. A duration counts back from the latest row, not
// from now, because a recording can be of any age.
func since[T timed](rows []T, spec string) ([]T, error) {
	if spec == "" {
		return rows, nil
	}
	from, err := time.Parse(time.RFC3339Nano, spec)
	if err != nil {
		d, derr := time.ParseDuration(spec)
		if derr != nil {
			return nil, usage("--since %q: expected a time such as 2026-01-06T10:30:00Z, or a duration such as 1h", spec)
		}
		for _, r := range rows {
			if r.when().After(from) {
				from = r.when()
			}
		}
		from = from.Add(-d)
	}
	return slices.DeleteFunc(rows, func(r T) bool { return r.when().IsZero() || r.when().Before(from) }), nil
}

// tellUndated reports how many rows --since leaves out because the recording has no time for them.
func tellUndated[T timed](std streams, rows []T) {
	undated := 0
	for _, r := range rows {
		if r.when().IsZero() {
			undated++
		}
	}
	if undated > 0 {
		fmt.Fprintf(std.err, "mcpscan: --since leaves out %s without a recorded time; run the command without --since to list them\n", report.Count(undated, "row"))
	}
}

// show writes the rows in the requested period as JSON, or as the table returned by toTable.
func show[T timed](f *queryFlags, std streams, rows []T, toTable func([]T) *table) error {
	if f.Since != "" {
		tellUndated(std, rows)
	}
	matched := len(rows) > 0
	rows, err := since(rows, f.Since)
	if err != nil {
		return err
	}
	if matched && len(rows) == 0 {
		fmt.Fprintf(std.err, "mcpscan: nothing in the recording is as recent as --since %s\n", f.Since)
	}
	if f.JSON {
		return writeJSON(std.out, rows)
	}
	return toTable(rows).write(std.out)
}

// stamp formats a time for a table; events without one get a dash.
func stamp(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04:05.000")
}
