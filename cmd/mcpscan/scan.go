package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mcpscan/mcpscan/internal/lockfile"
	"github.com/mcpscan/mcpscan/report"
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
	checks, collector, err := c.inspection(ctx, &c.lockFlags, &c.baselineFlags, &c.outputFlags)
	if err != nil {
		return err
	}
	l := c.listing(checks)
	l.known, l.compare = serversOf(checks.locked), c.CompareClients
	p, err := c.plan(ctx, std, l, checks.locked)
	if err != nil {
		return err
	}
	p.events = append(checks.events(), p.events...)
	if err := checks.advise(c.Advisories, p.events, c.tellAdvisories(std)); err != nil {
		return err
	}
	files := checks.files
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
	log, err := openAuditLog(c.Events, append(c.written(), c.Record)...)
	if err != nil {
		return err
	}
	if p.left > 0 && !c.Quiet {
		fmt.Fprintf(std.err, "mcpscan: not started (--no-run): %s. Tools were not inspected; to inspect them without starting servers, commit a lockfile: mcpscan lock --run-servers\n", report.Count(p.left, "server"))
	}
	src := c.list(ctx, std, p, l, rec.record, c.Quiet)
	// An interrupt ends the listing of servers, not its report.
	res, err := checks.comparing().Run(context.WithoutCancel(ctx), src, checks.into(log.beside(collector)))
	lost := errors.Join(rec.close(), log.close())
	if err != nil {
		return readError(errors.Join(err, lost))
	}
	return c.end(std, checks, collector.Report(p.inputs, version(), res), lost)
}

// plan divides the targets into files and servers, and asks which servers to start.
func (c *scanCmd) plan(ctx context.Context, std streams, l *listing, locked *lockfile.File) (*plan, error) {
	if c.RunServers && c.NoRun {
		return nil, usage("--run-servers and --no-run cannot be combined")
	}
	if c.Command != nil && (len(c.Command) == 0 || c.Command[0] == "") {
		return nil, usage("no command after --; expected the command of a server, as in: mcpscan scan -- npx -y some-mcp-server")
	}
	p := newPlan(ctx, l.known, c.MaxMessage)
	p.headers = c.Header
	if c.NoRun {
		p.standInFor(locked)
	}
	if err := p.add(ctx, c.Targets, c.Command, locked != nil, std.in); err != nil {
		return nil, err
	}
	c.consent(ctx, std, p, l)
	p.lockedEvents(locked)
	return p, nil
}
