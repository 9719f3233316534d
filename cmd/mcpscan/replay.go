package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/report"
)

// replayCmd is mcpscan replay.
type replayCmd struct {
	Shard string   `help:"Inspect only shard I of N of the sessions, and write a partial report for mcpscan merge." placeholder:"I/N"`
	Files []string `arg:"" help:"Recordings, in the order in which they were made; - reads standard input. gzip and zstd are decompressed." placeholder:"FILE"`
	lockFlags
	outputFlags
	baselineFlags
	eventsFlags
	engineFlags
}

// Run replays the files and reports.
func (c *replayCmd) Run(ctx context.Context, std streams) error {
	shard, err := c.split()
	if err != nil {
		return err
	}
	c.Files = withParts(c.Files)
	checks, err := c.checksOf(c.tree())
	if err != nil {
		return err
	}
	if err := checks.compare(c.baselineFlags); err != nil {
		return err
	}
	collector, err := c.collector()
	if err != nil {
		return err
	}
	if c.Shard != "" {
		collector.KeepForMerge()
	}
	checks.triage.Unapproved = c.Approvals == "ignore"
	locked, err := c.against(ctx, checks.engine)
	if err != nil {
		return err
	}
	if err := c.keepInputs(slices.Concat(c.Files, checks.files, locked.files), c.Events); err != nil {
		return err
	}
	bar := newProgress(std, "reading", bytesOf(c.Files), bytesRead, c.Quiet)
	defer bar.end()
	src, closeAll, err := recordings(ctx, c.Files, std.in, replay.Options{MaxMessage: c.MaxMessage, Servers: locked.tools(checks.servers())}, bar.counting)
	if err != nil {
		return err
	}
	defer closeAll()
	src = replay.Join(replay.Events(checks.events()), src)
	log, err := c.open(c.written()...)
	if err != nil {
		return err
	}
	res, err := locked.over(checks.engine).Over(shard).Run(context.WithoutCancel(ctx), src, checks.into(log.beside(collector))) // an interrupt ends the source
	bar.end()
	lost := log.close()
	if err != nil {
		return readError(errors.Join(err, lost))
	}
	var inputs []report.Input
	for _, f := range c.Files {
		inputs = append(inputs, report.Input{Kind: "recording", Name: f})
	}
	if c.Shard != "" {
		return c.partial(std, shard, collector, inputs, res, checks, locked)
	}
	r := collector.Report(inputs, version(), res)
	checks.complete(std, r, c.Quiet)
	return withLost(c.finish(std, r, checks.rules), lost)
}

// readError returns the error for a run that ended early.
func readError(err error) error {
	return &exitError{exitIncomplete, fmt.Errorf("%w; no report was written", err)}
}
