package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/osv"
	"github.com/mcpscan/mcpscan/internal/servers"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/report"
)

type scanCmd struct {
	Targets []string `arg:"" optional:"" help:"URLs, client configurations, definition files (tools/list results, dumps, MCPB manifests and bundles, server.json) or directories; - reads standard input; default: the configurations of this project and user. After --, the command of one server." placeholder:"TARGET"`
	Command []string `kong:"-"`

	Record string `help:"Record the traffic to this file, for mcpscan replay." placeholder:"FILE"`

	CompareClients bool `help:"List each server twice, under two client names, and report differences. The second name is claude-code, or mcpscan if --client-name is given."`

	liveFlags
	lockFlags
	outputFlags
	baselineFlags
	eventsFlags
	engineFlags
	advisoryFlags
}

// Run inspects the targets and writes the report.
func (c *scanCmd) Run(ctx context.Context, std streams) error {
	checks, collector, err := c.inspection(ctx, &c.lockFlags, &c.baselineFlags, &c.outputFlags, c.Targets...)
	if err != nil {
		return err
	}
	l := c.listing(checks)
	l.Known, l.Compare = servers.KnownIn(checks.Locked), c.CompareClients
	p, err := c.plan(ctx, std, l, checks)
	if err != nil {
		return err
	}
	checks.Enabled = p.Enabled()
	p.Events = append(checks.Events(), p.Events...)
	if err := checks.Advise(c.Advisories, p.Events, c.tellAdvisories(std)); err != nil {
		return err
	}
	if err := c.keepInputs(append(checks.Files, p.Files()...), c.Record, c.Events); err != nil {
		return err
	}
	rec, err := app.OpenRecording(c.Record)
	if err != nil {
		return err
	}
	log, err := app.OpenAuditLog(c.Events)
	if err != nil {
		return err
	}
	if p.Empty { // a project without servers passes
		c.AllowIncomplete = true
	}
	if p.NotStarted > 0 && !c.Quiet {
		fmt.Fprintf(std.err, "mcpscan: not started (--no-run): %s. Tools were not inspected; to inspect them without starting servers, commit a lockfile: mcpscan lock --run-servers\n", report.Count(p.NotStarted, "server"))
	}
	src := c.list(ctx, std, p, l, rec.Record, c.Quiet)
	// An interrupt ends the listing of servers, but the report is still written.
	res, err := checks.Engine().Run(context.WithoutCancel(ctx), src, checks.Into(log.Beside(collector)))
	lost := errors.Join(rec.Close(), log.Close())
	if err != nil {
		return readError(errors.Join(err, lost))
	}
	return c.end(std, checks, collector.Report(p.Inputs, version(), res), lost)
}

// plan divides the targets into files and servers, and asks the user which servers to start.
func (c *scanCmd) plan(ctx context.Context, std streams, l *servers.Listing, checks *app.Checks) (*app.Plan, error) {
	if c.RunServers && c.NoRun {
		return nil, usage("--run-servers and --no-run cannot be combined")
	}
	if c.Command != nil && (len(c.Command) == 0 || c.Command[0] == "") {
		return nil, usage("no command after --; expected the command of a server, as in: mcpscan scan -- npx -y some-mcp-server")
	}
	p := app.NewPlan(ctx, l.Known, c.MaxMessage)
	p.Headers, p.NoRun, p.Change = c.Header, c.NoRun, c.Base != ""
	p.Since(checks)
	if err := p.Add(ctx, c.Targets, c.Command, checks.Locked, std.in); err != nil {
		return nil, err
	}
	if c.Lockfile == "" {
		p.SkipLockfiles(checks, c.Targets)
	}
	c.consent(ctx, std, p, l)
	return p, nil
}

// advisoryFlags lists files of advisories to use in addition to the built-in ones.
type advisoryFlags struct {
	Advisories []string `help:"Also check packages against these advisories: OSV JSON, or an ecosystem's zip export from osv.dev. Repeatable." placeholder:"FILE" sep:"none"`
}

// tellAdvisories returns a function that reports what a file of advisories contains.
func (f *outputFlags) tellAdvisories(std streams) func(string, osv.Stats) {
	return func(name string, s osv.Stats) {
		if !f.Quiet {
			fmt.Fprintf(std.err, "mcpscan: %s: %d advisories; %d about packages in this scan, %d for other ecosystems, %d withdrawn\n",
				text.Visible(name, 400), s.Read, s.Kept, s.Other, s.Withdrawn)
		}
	}
}
