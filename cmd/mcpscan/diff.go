package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/servers"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/scanner"
)

type diffCmd struct {
	Old     string   `arg:"" help:"Old side: a lockfile, a definition file, a recording, or a URL." placeholder:"OLD"`
	New     string   `arg:"" optional:"" help:"New side: the same as for OLD, or a client configuration. After --, the command of one server." placeholder:"NEW"`
	Command []string `kong:"-"`
	Server  string   `help:"The server in OLD to compare NEW with; default: the one with the same package, URL or name." placeholder:"NAME"`

	only func(*scanner.Finding) bool // nil for all

	liveFlags
	outputFlags
	baselineFlags
	engineFlags
}

// Run compares and reports.
func (c *diffCmd) Run(ctx context.Context, std streams) error {
	if (c.New == "") == (len(c.Command) == 0) {
		return usage("expected two arguments: mcpscan diff OLD NEW, or mcpscan diff OLD -- COMMAND")
	}
	checks, err := c.checks("")
	if err != nil {
		return err
	}
	l := c.listing(checks)
	inputs, before, missed, err := c.snapshot(ctx, std, l, checks.Engine())
	if err != nil {
		return err
	}
	before, pair, err := c.pick(ctx, std, l, checks.Engine(), before)
	if err != nil {
		return err
	}
	if err := checks.Compare(c.Baseline, c.Now); err != nil {
		return err
	}
	checks.Triage.Partial = true
	collector, err := c.collector()
	if err != nil {
		return err
	}
	l.Known = servers.KnownFrom(before)
	now, err := c.side(ctx, std, l, c.New, false, c.Command, c.Quiet)
	if err != nil {
		return err
	}
	defer now.Close()
	if err := c.keepInputs(slices.Concat(checks.Files, now.Files, []string{c.Old, c.New})); err != nil {
		return err
	}
	met, entries := seenServers{}, newEntries{old: before, pair: pair, now: map[entryKey]*baseline.Identity{}}
	fresh := func(f *scanner.Finding) bool { // a diff reports only changes
		return !before.Knows(f) && entries.changed(f) && (c.only == nil || c.only(f))
	}
	seen := sink{event: func(e *scanner.Event, out *scanner.Outcome) { met.see(e, out); entries.see(e) }}
	into := app.Tee{seen, filtered{checks.Into(collector), fresh}}
	res, err := checks.Engine().Since(before, pair).Run(context.WithoutCancel(ctx), now.Source, into)
	if err != nil {
		return readError(err)
	}
	if !pair && !met.any(before) {
		return c.nothingCompared(before, slices.Sorted(maps.Keys(met)))
	}
	removed, err := c.removed(ctx, checks.Engine().Since(before, pair), before, pair, now.Inputs, met, &entries, into)
	if err != nil {
		return err
	}
	res.Add(removed)
	res.Coverage.Skipped = append(res.Coverage.Skipped, missed...)
	return c.end(std, checks, collector.Report(append(inputs, now.Inputs...), version(), res), nil)
}

// snapshot reads the whole old side and returns what its servers offer. missed lists what was not
// read.
func (c *diffCmd) snapshot(ctx context.Context, std streams, l *servers.Listing, engine *scanner.Engine) (inputs []report.Input, offers *scanner.Snapshot, missed []scanner.Skipped, err error) {
	s, err := c.side(ctx, std, l, c.Old, true, nil, c.Quiet)
	if err != nil {
		return nil, nil, nil, err
	}
	if err := c.keepInputs(s.Files); err != nil {
		s.Close()
		return nil, nil, nil, err
	}
	offers, missed, err = offered(ctx, s, engine)
	if err == nil && len(offers.Servers) == 0 {
		err = &exitError{exitIncomplete, fmt.Errorf("%s contains no server with definitions, so there is nothing to compare", c.Old)}
	}
	return s.Inputs, offers, missed, err
}

// offered reads a side to its end and returns what its servers offer, and what was not read.
func offered(ctx context.Context, s *app.Side, engine *scanner.Engine) (*scanner.Snapshot, []scanner.Skipped, error) {
	defer s.Close()
	offers := scanner.NewSnapshot()
	res, err := engine.Keeping().Run(context.WithoutCancel(ctx), s.Source, offers)
	if err != nil {
		return nil, nil, readError(err)
	}
	return offers, res.Coverage.Skipped, nil
}
