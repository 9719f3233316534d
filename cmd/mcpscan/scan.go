package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/osv"
	"github.com/mcpscan/mcpscan/internal/servers"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/scanner"
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
	parts, err := c.parts(ctx, std, checks)
	if err != nil {
		return err
	}
	parts[0].plan.Events = append(checks.Events(), parts[0].plan.Events...)
	all := combined(parts)
	if err := checks.Advise(c.Advisories, all.events, c.tellAdvisories(std)); err != nil {
		return err
	}
	if err := c.keepInputs(append(all.files, checks.Files...), c.Record, c.Events); err != nil {
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
	if parts[0].plan.Empty { // a project without servers passes
		c.AllowIncomplete = true
	}
	if all.notStarted > 0 && !c.Quiet {
		fmt.Fprintf(std.err, "mcpscan: not started (--no-run): %s. Tools were not inspected; to inspect them without starting servers, commit a lockfile: mcpscan lock --run-servers\n", report.Count(all.notStarted, "server"))
	}
	var result scanner.Result
	for _, part := range parts {
		src := c.list(ctx, std, part.plan, part.listing, rec.Record, c.Quiet)
		// An interrupt ends the listing of servers, but the report is still written.
		res, err := part.checks.Engine().Run(context.WithoutCancel(ctx), src, checks.Into(part.plan.PrefixSessions(log.Beside(collector))))
		if err != nil {
			return readError(errors.Join(err, rec.Close(), log.Close()))
		}
		result.Add(res)
	}
	return c.end(std, checks, collector.Report(all.inputs, version(), result), errors.Join(rec.Close(), log.Close()))
}

// scanPart is what a scan compares with one lockfile.
type scanPart struct {
	checks  *app.Checks
	plan    *app.Plan
	listing *servers.Listing
}

// parts divides the targets into files and servers by their lockfile, and asks the user which servers
// to start. The first part has the lockfile of the run.
func (c *scanCmd) parts(ctx context.Context, std streams, checks *app.Checks) ([]scanPart, error) {
	if c.RunServers && c.NoRun {
		return nil, usage("--run-servers and --no-run cannot be combined")
	}
	if c.Command != nil && (len(c.Command) == 0 || c.Command[0] == "") {
		return nil, usage("no command after --; expected the command of a server, as in: mcpscan scan -- npx -y some-mcp-server")
	}
	first := c.part(ctx, checks)
	if c.Lockfile == "" {
		first.plan.Divide(checks)
	}
	if err := first.plan.Add(ctx, c.Targets, c.Command, checks.Locked, std.in); err != nil {
		return nil, err
	}
	if c.Lockfile == "" {
		first.plan.SkipLockfiles(checks, c.Targets)
	}
	parts := []scanPart{first}
	for _, name := range first.plan.Projects() {
		other, err := checks.With(ctx, name)
		if err != nil {
			return nil, err
		}
		part := c.part(ctx, other)
		part.plan.AddProject(first.plan, name, other.Locked)
		parts = append(parts, part)
	}
	if len(parts) > 1 && c.Record != "" {
		return nil, usage("--record: a recording can be compared with only one lockfile, but the projects in the targets have several; scan one project, or choose a lockfile with --lockfile")
	}
	ask := consent(ctx, std, first.listing, c.RunServers)
	for _, part := range parts {
		part.plan.Allow(ctx, ask)
		part.checks.Enabled = part.plan.Enabled()
	}
	return parts, nil
}

func (c *scanCmd) part(ctx context.Context, checks *app.Checks) scanPart {
	l := c.listing(checks)
	l.Known, l.Compare = servers.KnownIn(checks.Locked), c.CompareClients
	p := app.NewPlan(ctx, l.Known, c.MaxMessage)
	p.Headers, p.NoRun, p.Change = c.Header, c.NoRun, c.Base != ""
	p.Since(checks)
	return scanPart{checks, p, l}
}

// whole combines the parts of a scan.
type whole struct {
	events     []*scanner.Event
	files      []string
	inputs     []report.Input
	notStarted int
}

func combined(parts []scanPart) (all whole) {
	for _, part := range parts {
		all.events = append(all.events, part.plan.Events...)
		all.files = slices.Concat(all.files, part.checks.Files, part.plan.Files())
		all.inputs = append(all.inputs, part.plan.Inputs...)
		all.notStarted += part.plan.NotStarted
	}
	return all
}

// advisoryFlags lists files of advisories to use in addition to the built-in ones.
type advisoryFlags struct {
	Advisories []string `help:"Also check packages against these advisories: OSV JSON, or an ecosystem's zip export from osv.dev. Repeatable." placeholder:"FILE" sep:"none"`
}

// tellAdvisories returns a function that reports what a file of advisories contains.
func (f *outputFlags) tellAdvisories(std streams) func(string, osv.Stats) {
	return func(name string, s osv.Stats) {
		if !f.Quiet {
			fmt.Fprintf(std.err, "mcpscan: %s: advisories: %d read, %d about packages in this scan, %d for other ecosystems, %d withdrawn\n",
				text.Visible(name, 400), s.Read, s.Kept, s.Other, s.Withdrawn)
		}
	}
}
