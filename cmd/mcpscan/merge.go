package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/report"
)

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
