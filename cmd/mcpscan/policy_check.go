package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/policy"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

type policyCmd struct {
	Test     policyTestCmd     `cmd:"" help:"Test a policy on requests in files."`
	Check    policyCheckCmd    `cmd:"" help:"Report unreachable rules and patterns that match nothing."`
	Generate policyGenerateCmd `cmd:"" help:"Generate a policy that allows exactly what recordings contain."`
}

type policyCheckCmd struct {
	Policy     string   `arg:"" help:"The policy: a TOML file, or a YAML file with the keys of mcpscan.yaml." placeholder:"POLICY"`
	Recordings []string `arg:"" optional:"" help:"Recordings in which each of the policy's patterns should match something; - reads standard input." placeholder:"RECORDING"`
	JSON       bool     `help:"Write JSON instead of text."`
	MaxMessage int64    `help:"Maximum message size in bytes." default:"33554432"`
}

// checkRow is one row of the output of mcpscan policy check.
type checkRow struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

// Run checks the policy.
func (c *policyCheckCmd) Run(ctx context.Context, std streams) error {
	loaded, _, err := app.LoadPolicy(c.Policy)
	if err != nil {
		return err
	}
	problems := loaded.Check()
	var incomplete error
	if len(c.Recordings) > 0 {
		unused, err := c.watch(ctx, std, loaded.Watch())
		if incomplete = err; unused == nil && err != nil {
			return err
		}
		problems = append(problems, unused...)
	}
	slices.SortStableFunc(problems, func(a, b policy.Problem) int { return a.At.Compare(b.At) })
	var rows []checkRow
	var lines strings.Builder
	for _, found := range problems {
		rows = append(rows, checkRow{c.Policy, found.At.Line, found.At.Column, found.Says})
		fmt.Fprintf(&lines, "%s\n", text.Visible(text.Mask(fmt.Sprintf("%s:%s: %s", c.Policy, found.At, found.Says)), 1000))
	}
	if c.JSON {
		err = writeJSON(std.out, rows)
	} else {
		err = put(text.Guard(std.out), []byte(lines.String()))
	}
	if err == nil && len(rows) > 0 {
		err = &exitError{code: exitFindings}
	}
	return cmp.Or(err, incomplete)
}

// watch returns the patterns that match nothing in the recordings. It returns an error if something
// was not read.
func (c *policyCheckCmd) watch(ctx context.Context, std streams, w *policy.Watch) ([]policy.Problem, error) {
	engine, err := scanner.New(nil, scanner.Options{Policy: w})
	if err != nil {
		return nil, err
	}
	res, err := replayed{c.Recordings, c.MaxMessage, "nothing was compared"}.into(ctx, std, engine, sink{event: func(e *scanner.Event, out *scanner.Outcome) {
		for _, m := range out.Messages {
			for _, d := range m.Definitions {
				if d.Kind == mcp.ToolSubject {
					w.Tool(e.Server, d.Name)
				}
			}
			if m.Kind == mcp.Audit && m.Target != "" {
				w.Tool(e.Server, m.Target)
			}
		}
	}})
	switch {
	case err != nil:
		return nil, err
	case res.Coverage.Events == 0:
		return nil, &exitError{exitIncomplete, errors.New("the recordings are empty")}
	}
	unused := append([]policy.Problem{}, w.Unused()...)
	if tellSkipped(std, res); len(res.Coverage.Skipped) > 0 {
		err = &exitError{code: exitIncomplete}
	}
	return unused, err
}
