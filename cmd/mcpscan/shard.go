package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpscan/mcpscan/internal/app"
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
	if p.Settings, err = c.settingsDigest(checks); err != nil {
		return err
	}
	return writeTo(std, "the partial report", c.Output, p.Write)
}

// settingsDigest returns a digest of all flags and files that affect findings, so that merge can
// tell whether all shards used the same ones.
func (c *replayCmd) settingsDigest(checks *app.Checks) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%q\n", []any{c.Enable, c.Disable, fmt.Sprint(c.MaxMessage), c.MinSeverity, c.Approvals, checks.Triage.Now.String()})
	for _, name := range checks.Files {
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
