package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/scanner"
)

// split parses --shard, and rejects flags that a run over one shard cannot honour.
func (c *replayCmd) split() (s scanner.Shard, err error) {
	if c.Shard == "" {
		return s, nil
	}
	index, of, found := strings.Cut(c.Shard, "/")
	i, err := strconv.Atoi(index)
	n, err2 := strconv.Atoi(of)
	switch {
	case !found || err != nil || err2 != nil || n < 1 || n > report.MaxShards || i < 1 || i > n:
		return s, usage("--shard %q: expected I/N, such as 3/8, with I from 1 to N and N up to %d", c.Shard, report.MaxShards)
	case c.Events != "":
		return s, usage("--shard %s: --events needs the events of all sessions in order; remove one of the two flags", c.Shard)
	case !slices.Equal(c.Format, []string{"text"}):
		return s, usage("--shard %s writes a partial report; choose the format with mcpscan merge", c.Shard)
	}
	return scanner.Shard{Index: i, Of: n}, nil
}

// partial writes the report of one shard. Its findings do not affect the exit code, which merge
// determines from all shards' findings.
func (c *replayCmd) partial(std streams, shard scanner.Shard, collector *report.Collector, inputs []report.Input, res scanner.Result, checks *app.Checks) (err error) {
	if n := collector.Sessions(); n < shard.Of && n < 2 && !c.Quiet {
		fmt.Fprintf(std.err, "mcpscan: the input contains %s and cannot be split: one shard reports on all of it\n", report.Count(n, "session"))
	}
	p := collector.Partial(inputs, version(), res)
	var r report.Report
	checks.Complete(&r)
	p.Config, p.Baseline, p.Ignores = r.Config, r.Baseline, r.UnusedIgnores
	p.Shard, p.Of = shard.Index, shard.Of
	p.SetRules(checks.Rules)
	if p.Settings, err = c.settingsDigest(checks.Files); err != nil {
		return err
	}
	return writeTo(std, "the partial report", c.Output, p.Write)
}

// settingsDigest returns a digest of all flags and files that affect findings, so that merge can
// tell whether all shards used the same ones.
func (c *replayCmd) settingsDigest(files []string) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%q\n", []any{c.Enable, c.Disable, fmt.Sprint(c.MaxMessage), c.MinSeverity, c.Approvals, c.Now})
	for _, name := range files {
		if name == "" {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return "", usage("reading %s once more: %w", name, err)
		}
		fmt.Fprintf(h, "%q %x\n", name, sha256.Sum256(data))
	}
	return fmt.Sprintf("sha256:%x", h.Sum(nil)), nil
}

type mergeCmd struct {
	Files []string `arg:"" help:"The partial reports of all shards, in any order." placeholder:"FILE"`
	outputFlags
}

// Run merges the partial reports into the report that a single run over all sessions would write.
func (c *mergeCmd) Run(ctx context.Context, std streams) error {
	if c.MinSeverity != "" {
		return usage("--min-severity: replay --shard selects the findings to list; use the flag there")
	}
	if _, err := c.collector(); err != nil {
		return err
	}
	if err := c.keepInputs(c.Files); err != nil {
		return err
	}
	var parts []*report.Partial
	for _, name := range c.Files {
		p, err := app.Within(ctx, func() (*report.Partial, error) { return readSaved("the partial report", name, nil, report.ReadPartial) })
		if err != nil {
			return err
		}
		parts = append(parts, p)
	}
	if wrote := parts[0].Tool.Version; wrote != version() {
		return usage("%s: written by mcpscan %s, but this is %s; merge with the version that replayed the shards", c.Files[0], text.Visible(wrote, 80), version())
	}
	r, bounds, err := report.Merge(parts)
	if wrong, ok := errors.AsType[*report.MergeError](err); ok && wrong.At >= 0 {
		return usage("%s: %w", c.Files[wrong.At], err)
	}
	if err != nil {
		return usage("%w", err)
	}
	if !c.Quiet {
		for _, b := range bounds {
			fmt.Fprintf(std.err, "mcpscan: a single run over all sessions may reach a limit that the shards did not, and its report would then differ: %s\n", b)
		}
	}
	c.warn(std, nil, r)
	return c.finish(std, r, parts[0].RuleTexts())
}
