package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/lockfile"
	"github.com/mcpscan/mcpscan/internal/policy"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/replay"
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

	declared *policy.Lists // servers of mcpscan.yaml, with the environment that they may have; nil for none
	known    lockedServers // to compare servers with
	separate bool          // a server that only shares its own name with another gets a distinct one
	compare  bool          // each server is listed under two client names
	block    bool          // a server whose file was replaced is not started
	named    []string      // variables that the command line passes to the server

	listed func()          // if set, called once a server is listed; it is then watched for changes of its tools
	until  <-chan struct{} // ends that when closed
}

// plan is the work of a scan.
type plan struct {
	inputs   []report.Input
	events   []*scanner.Event            // from inputs read directly
	targets  []liveTarget                // servers to list
	locked   map[string]*lockfile.Server // whose definitions replace servers that --no-run skips; nil without a lockfile
	mayLeave bool                        // --no-run may skip servers, as there is no lockfile
	left     int                         // servers skipped by --no-run
	disk     *disk
}

// Run inspects the targets and reports.
func (c *scanCmd) Run(ctx context.Context, std streams) error {
	checks, err := c.checksOf(c.tree())
	if err != nil {
		return err
	}
	c.compare = c.CompareClients
	c.declared = checks.triage.Settings.Policy
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
	c.known, c.block = serversOf(locked.file), checks.triage.Settings.BlocksBinaries()
	p, err := c.plan(ctx, std, locked)
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
	src := c.start(ctx, std, p, rec, c.MaxMessage, c.Quiet)
	res, err := locked.over(checks.engine).Run(running, src, checks.into(log.beside(collector)))
	lost := errors.Join(rec.close(), log.close())
	if err != nil {
		return readError(errors.Join(err, lost))
	}
	r := collector.Report(p.inputs, version(), res)
	checks.complete(std, r, c.Quiet)
	return withLost(c.finish(std, r, checks.rules), lost)
}

// recording is the file that --record writes. After the first error, the scan goes on without it:
// a full disk must not hide a server.
type recording struct {
	to   *replay.Recorder // nil if there is nothing (more) to write
	file *os.File
	err  error
}

// openRecording creates the --record file, accessible only to its owner because servers send more
// than a report repeats.
func openRecording(name string) (*recording, error) {
	if name == "" {
		return &recording{}, nil
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, usage("creating the recording: %w", err)
	}
	return &recording{to: replay.NewRecorder(f, name), file: f}, nil
}

// record writes an event, and sets its location in the recording if it has one.
func (r *recording) record(e *scanner.Event) {
	if r.to == nil {
		return
	}
	before := *e
	if err := r.to.Record(e); err != nil {
		*e, r.to = before, nil
		r.err = fmt.Errorf("%w; the recording is incomplete", err)
	}
}

// close closes the recording and returns its first error.
func (r *recording) close() error {
	if r.file == nil {
		return nil
	}
	if err := r.file.Close(); err != nil && r.err == nil {
		r.err = fmt.Errorf("recording: %w; the recording is incomplete", err)
	}
	return r.err
}

// plan divides the targets into files and servers.
func (c *scanCmd) plan(ctx context.Context, std streams, locked *approved) (*plan, error) {
	if c.RunServers && c.NoRun {
		return nil, usage("--run-servers and --no-run cannot be combined")
	}
	if c.Command != nil && (len(c.Command) == 0 || c.Command[0] == "") {
		return nil, usage("no command after --; expected the command of a server, as in: mcpscan scan -- npx -y some-mcp-server")
	}
	p := &plan{disk: newDisk(ctx)}
	if c.NoRun {
		p.locked, p.mayLeave = locked.known(), locked.file == nil
	}
	if len(c.Command) > 0 {
		if err := p.command(c.Command, c.known); err != nil {
			return nil, err
		}
	}
	for _, t := range c.Targets {
		if err := c.target(ctx, std, p, t); err != nil && !(errors.Is(err, errNoConfig) && locked.file != nil) {
			if _, missing := os.Stat(t); missing != nil || len(c.Targets)+len(c.Command) == 1 {
				return nil, err
			}
			p.inputs = append(p.inputs, report.Input{Kind: "file", Name: t})
			p.skip(scanner.Origin{File: t, Line: 1, Column: 1}, "input not read: %v", err)
		}
	}
	if len(c.Targets) == 0 && len(c.Command) == 0 {
		if err := c.discover(p, "."); err != nil && !(errors.Is(err, errNoConfig) && locked.file != nil) {
			return nil, err
		}
	}
	p.unique()
	c.consent(ctx, std, p)
	p.events = append(locked.events(p), p.events...)
	return p, nil
}

// command adds the server that a command starts.
func (p *plan) command(command []string, known lockedServers) error {
	entry := config.Server{Transport: "stdio", Command: command[0], Args: command[1:]}
	t := liveTarget{command: command, written: entry}
	return p.server(t, known, t.shown())
}

// url adds the server at a URL.
func (p *plan) url(u string, headers map[string]string, known lockedServers) error {
	entry := config.Server{Transport: "http", URL: u, Headers: headers}
	return p.server(liveTarget{url: u, headers: headers, written: entry}, known, bare(u))
}

// server adds a server that no configuration names.
func (p *plan) server(t liveTarget, known lockedServers, shown string) error {
	name, err := known.call(&t.written)
	if err != nil {
		return err
	}
	if t.name = name; name == "" {
		t.name, t.unnamed = fallbackID(t.written.Command, t.written.Args, t.written.URL), true
	} else if t.url == "" {
		shown = name
	}
	t.origin = endpoint(t.name)
	p.inputs = append(p.inputs, report.Input{Kind: "server", Name: shown})
	p.targets = append(p.targets, t)
	return nil
}

// config adds the servers of a client configuration to the plan.
func (p *plan) config(f *config.File) {
	p.inputs = append(p.inputs, report.Input{Kind: "config", Name: f.Path})
	at := func(pos config.Position) scanner.Origin {
		return scanner.Origin{File: f.Path, Line: max(pos.Line, 1), Column: max(pos.Column, 1)}
	}
	for _, problem := range f.Problems {
		p.skip(at(problem.Pos), "the configuration: %s", problem.Msg)
	}
	for _, e := range f.Elsewhere {
		if !f.User {
			p.ignore(at(e.Pos), "not in the project: "+e.Msg)
		}
	}
	for i := range f.Entries {
		e, why := &f.Entries[i], ""
		if e.Found, why = thisMachine(p.disk).find(e); why != "" {
			p.skip(at(e.Pos), "server %s: %s", e.Name, why)
		}
	}
	if len(f.Entries)+len(f.Settings) > 0 { // an empty one does not count as inspected
		p.events = append(p.events, &scanner.Event{Kind: scanner.ConfigEvent, Config: &f.ClientConfig, Origin: at(configfile.Position{})})
	}
	p.envFiles(f)
	for _, s := range f.Entries {
		for _, problem := range s.Problems {
			p.skip(at(s.Pos), "server %s: %s", s.Name, problem)
		}
		if s.Disabled {
			p.events = append(p.events, &scanner.Event{Kind: scanner.IgnoredEvent, Reason: "a server that is disabled in its configuration", Origin: at(s.Pos)})
			continue
		}
		if locked := p.locked[s.Name]; locked != nil && len(locked.Entries) > 0 {
			p.standIn(locked, baseline.IdentityOf(&s), at(s.Pos))
			continue
		}
		if t, err := configTarget(s, at(s.Pos)); err != nil {
			p.skip(at(s.Pos), "server %s not started: %v", s.Name, err)
		} else {
			p.targets = append(p.targets, t)
		}
	}
}

// standIn records that a server's locked definitions are inspected instead of the server, and
// whether they may be those of another one.
func (p *plan) standIn(locked *lockfile.Server, now *baseline.Identity, at scanner.Origin) {
	last := locked.Identity.Last()
	switch {
	case last == nil:
		p.skip(at, "server %s not started (--no-run): the lockfile lacks its identity, so its locked definitions may belong to another server", locked.Name)
	case len(locked.Identity.Stale(now)) > 0:
		p.ignore(at, "not started (--no-run); checked its locked definitions, which belong to the previous server, not the configured one")
	case now.Digest != "" && last.Digest == "":
		p.skip(at, "server %s not started (--no-run): the lockfile lacks the digest of its executable, so its locked definitions may belong to another executable", locked.Name)
	default:
		p.ignore(at, "not started (--no-run); checked its locked definitions")
	}
}

func (p *plan) ignore(at scanner.Origin, reason string) {
	p.events = append(p.events, &scanner.Event{Kind: scanner.IgnoredEvent, Reason: reason, Origin: at})
}

// leave records a server that --no-run does not start. That is intended, but not if a lockfile
// covers other servers and not this one.
func (p *plan) leave(t liveTarget) {
	switch {
	case p.mayLeave:
		p.left++
		p.ignore(t.origin, "not started (--no-run); tools not checked")
	case p.locked[t.name] != nil:
		p.skip(t.origin, "server %s not started (--no-run), and the lockfile has no definitions for it: %s", t.name, t.conceal(t.shown()))
	case p.locked != nil:
		p.skip(t.origin, "server %s not started (--no-run), and not in the lockfile: %s", t.name, t.conceal(t.shown()))
	default:
		p.skip(t.origin, "server %s not started (--no-run): %s", t.name, t.conceal(t.shown()))
	}
}

// tellLeft explains how to inspect the servers skipped by --no-run.
func (p *plan) tellLeft(std streams, quiet bool) {
	if p.left > 0 && !quiet {
		fmt.Fprintf(std.err, "mcpscan: not started (--no-run): %s. Tools were not inspected; to inspect them without starting servers, commit a lockfile: mcpscan lock --run-servers\n", count(p.left, "server"))
	}
}

func (p *plan) skip(at scanner.Origin, format string, args ...any) {
	p.events = append(p.events, &scanner.Event{Kind: scanner.SkippedEvent, Reason: text.Mask(fmt.Sprintf(format, args...)), Origin: at})
}

// discover adds the configurations at their usual paths, in a directory and below it. Those
// without servers are only counted.
func (c *scanCmd) discover(p *plan, dir string) error {
	found := 0
	locations, missed := config.DiscoverBelow(discoverDirs(dir, len(c.Targets) == 0))
	for _, m := range missed {
		p.skip(scanner.Origin{File: m.Path, Line: 1, Column: 1}, "%s", m.Why)
	}
	for _, loc := range locations {
		data, err := readTarget(loc.Path, c.MaxMessage)
		if err != nil {
			p.skip(scanner.Origin{File: loc.Path, Line: 1, Column: 1}, "configuration not read: %v", err)
			continue
		}
		file, err := parseConfig(loc.Path, data)
		if errors.Is(err, config.ErrNotConfig) {
			p.ignore(scanner.Origin{File: loc.Path, Line: 1, Column: 1}, "a client configuration without servers")
			continue
		}
		found++
		if err != nil {
			p.skip(scanner.Origin{File: loc.Path, Line: 1, Column: 1}, "configuration not read: %v", err)
			continue
		}
		file.User, file.Project = loc.Scope != "project", loc.Project
		p.config(file)
	}
	if found == 0 {
		return usage("%w in %s; name a target, or give the command of a server after --", errNoConfig, dir)
	}
	return nil
}

// errNoConfig is the error for a directory without client configurations.
var errNoConfig = errors.New("no client configuration found")
