package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/report"
)

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
	c.Files = app.WithParts(c.Files)
	checks, collector, err := c.inspection(ctx, &c.lockFlags, &c.baselineFlags, &c.outputFlags)
	if err != nil {
		return err
	}
	if c.Shard != "" {
		collector.KeepForMerge()
	}
	if err := c.keepInputs(slices.Concat(c.Files, checks.Files), c.Events); err != nil {
		return err
	}
	bar := newProgress(std, "reading", bytesOf(c.Files), bytesRead, c.Quiet)
	defer bar.end()
	src, closeAll, err := app.Recordings(ctx, c.Files, std.in, replay.Options{MaxMessage: c.MaxMessage, Servers: checks.Servers()}, bar.counting)
	if err != nil {
		return err
	}
	defer closeAll()
	src = replay.Join(replay.Events(checks.Events()), src)
	log, err := app.OpenAuditLog(c.Events)
	if err != nil {
		return err
	}
	res, err := checks.Engine().Over(shard).Run(context.WithoutCancel(ctx), src, checks.Into(log.Beside(collector))) // an interrupt ends the source
	bar.end()
	lost := log.Close()
	if err != nil {
		return readError(errors.Join(err, lost))
	}
	var inputs []report.Input
	for _, f := range c.Files {
		inputs = append(inputs, report.Input{Kind: "recording", Name: f})
	}
	if c.Shard != "" {
		return c.partial(std, shard, collector, inputs, res, checks)
	}
	return c.end(std, checks, collector.Report(inputs, version(), res), lost)
}

// readError returns the error for a run that ended early.
func readError(err error) error {
	return &exitError{exitIncomplete, fmt.Errorf("%w; no report was written", err)}
}
