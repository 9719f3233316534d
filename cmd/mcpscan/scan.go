package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/scanner"
)

// scanCmd is mcpscan scan.
type scanCmd struct {
	Targets []string `arg:"" optional:"" help:"URLs, client configurations, definition files (tools/list results, dumps, MCPB manifests and bundles, server.json) or directories; - reads standard input; default: the configurations of this project and user. After --, the command of one server." placeholder:"TARGET"`
	Command []string `kong:"-"`

	Record string `help:"Record the traffic to this file, for mcpscan replay." placeholder:"FILE"`

	CompareClients bool `help:"List each server twice, as --client-name and as claude-code (as mcpscan with --client-name), and report differences."`

	liveFlags
	lockFlags
	outputFlags
	baselineFlags
	eventsFlags
	engineFlags
	advisoryFlags
}

// liveFlags controls which servers may be started, and their time limits.
type liveFlags struct {
	RunServers bool `help:"Start the servers of configurations, and connect to their URLs, without asking."`
	NoRun      bool `help:"Start no servers and connect to none; inspect only files."`

	InheritEnv bool `help:"Pass the whole environment to servers. By default, they get the standard variables, those in their configuration, and those in env_allow in mcpscan.yaml."`

	Header        map[string]string `help:"Header for target URLs, as NAME=VALUE." placeholder:"NAME=VALUE" mapsep:"none"`
	StartTimeout  time.Duration     `help:"Time limit for the first response of a server." default:"60s"`
	StepTimeout   time.Duration     `help:"Time limit for each later response of a server." default:"30s"`
	ServerTimeout time.Duration     `help:"Time limit for one server, from its start to its last list." default:"5m"`
	ClientName    string            `help:"Client name sent to servers; some servers list different tools to different clients." default:"mcpscan" placeholder:"NAME"`
}

// listing returns how the flags list servers.
func (c *liveFlags) listing(checks *checks) *listing {
	l := checks.listing()
	l.inheritEnv, l.clientName, l.version = c.InheritEnv, c.ClientName, version()
	l.startTimeout, l.stepTimeout, l.timeout = c.StartTimeout, c.StepTimeout, c.ServerTimeout
	return l
}

// Run inspects the targets and reports.
func (c *scanCmd) Run(ctx context.Context, std streams) error {
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
	checks.triage.Unapproved = c.Approvals == "ignore"
	locked, err := c.against(ctx, checks.engine)
	if err != nil {
		return err
	}
	l := c.listing(checks)
	l.known, l.compare = serversOf(locked.file), c.CompareClients
	p, err := c.plan(ctx, std, l, locked)
	if err != nil {
		return err
	}
	p.events = append(checks.events(), p.events...)
	if err := c.advise(std, checks, p.events, c.Quiet); err != nil {
		return err
	}
	files := append(checks.files, locked.files...)
	for _, in := range p.inputs {
		files = append(files, in.Name)
	}
	if err := c.keepInputs(files, c.Record, c.Events); err != nil {
		return err
	}
	rec, err := openRecording(c.Record)
	if err != nil {
		return err
	}
	log, err := c.open(append(c.written(), c.Record)...)
	if err != nil {
		return err
	}
	running := context.WithoutCancel(ctx) // an interrupt ends the listing of servers, not its report
	p.tellLeft(std, c.Quiet)
	src := c.list(ctx, std, p, l, rec.record, c.Quiet)
	res, err := locked.over(checks.engine).Run(running, src, checks.into(log.beside(collector)))
	lost := errors.Join(rec.close(), log.close())
	if err != nil {
		return readError(errors.Join(err, lost))
	}
	r := collector.Report(p.inputs, version(), res)
	checks.complete(std, r, c.Quiet)
	return withLost(c.finish(std, r, checks.rules), lost)
}

// plan divides the targets into files and servers.
func (c *scanCmd) plan(ctx context.Context, std streams, l *listing, locked *approved) (*plan, error) {
	if c.RunServers && c.NoRun {
		return nil, usage("--run-servers and --no-run cannot be combined")
	}
	if c.Command != nil && (len(c.Command) == 0 || c.Command[0] == "") {
		return nil, usage("no command after --; expected the command of a server, as in: mcpscan scan -- npx -y some-mcp-server")
	}
	p := newPlan(ctx, l.known, c.MaxMessage)
	p.headers = c.Header
	if c.NoRun {
		p.locked, p.mayLeave = locked.known(), locked.file == nil
	}
	if len(c.Command) > 0 {
		if err := p.command(c.Command); err != nil {
			return nil, err
		}
	}
	for _, t := range c.Targets {
		if err := p.target(ctx, t, std.in); err != nil && !(errors.Is(err, errNoConfig) && locked.file != nil) {
			if _, missing := os.Stat(t); missing != nil || len(c.Targets)+len(c.Command) == 1 {
				return nil, err
			}
			p.inputs = append(p.inputs, report.Input{Kind: "file", Name: t})
			p.skip(scanner.Origin{File: t, Line: 1, Column: 1}, "input not read: %v", err)
		}
	}
	if len(c.Targets) == 0 && len(c.Command) == 0 {
		if err := p.discover(".", true); err != nil && !(errors.Is(err, errNoConfig) && locked.file != nil) {
			return nil, err
		}
	}
	p.unique()
	c.consent(ctx, std, p, l)
	p.events = append(locked.events(p), p.events...)
	return p, nil
}

// tellLeft explains how to inspect the servers skipped by --no-run.
func (p *plan) tellLeft(std streams, quiet bool) {
	if p.left > 0 && !quiet {
		fmt.Fprintf(std.err, "mcpscan: not started (--no-run): %s. Tools were not inspected; to inspect them without starting servers, commit a lockfile: mcpscan lock --run-servers\n", count(p.left, "server"))
	}
}
