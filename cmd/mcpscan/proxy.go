package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/proxy"
	"github.com/mcpscan/mcpscan/internal/servers"
	"github.com/mcpscan/mcpscan/internal/sessionlog"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/scanner"
)

type proxyCmd struct {
	Command []string `kong:"-"`

	Name            string        `help:"Name of the server in reports, policies and the lockfile; default: the name of the locked server with this command, or else of the command's package or program." placeholder:"NAME"`
	Mode            string        `help:"enforce blocks the messages that mcpscan.yaml and policies refuse; observe only reports them." default:"enforce" enum:"enforce,observe"`
	Env             []string      `help:"Environment variable to pass to the server, in addition to the standard ones and those in env_allow in mcpscan.yaml. Repeatable." placeholder:"NAME" sep:"none"`
	InheritEnv      bool          `help:"Pass the whole environment to the server."`
	AskTimeout      time.Duration `help:"How long to wait for approval of a message for which the policy prompts; 0 refuses it at once." default:"30s"`
	Record          string        `help:"Write all messages to this file, for mcpscan replay." placeholder:"FILE"`
	Format          []string      `help:"Write a report in FORMAT to FILE when the connection ends. Formats: ${formats}. Repeatable." placeholder:"FORMAT=FILE" sep:"none"`
	AllowIncomplete bool          `help:"Exit with the exit code of the server even if something could not be inspected."`
	Quiet           bool          `short:"q" help:"Write only errors to standard error."`
	Wrapped         string        `hidden:"" help:"Written by mcpscan wrap; tells mcpscan unwrap how to restore the entry." default:"" enum:",args,no-args,null-args,command"`

	recordFlags
	alertFlags
	sessionFlags
	listenFlags
	lockFlags
	eventsFlags
	engineFlags
}

// Run starts the server, or listens on a port, and relays messages.
func (c *proxyCmd) Run(ctx context.Context, std streams) error {
	surviveClosedStreams()
	if err := c.check(); err != nil {
		return err
	}
	output, err := c.reports()
	if err != nil {
		return err
	}
	checks, err := c.checks(c.Base)
	if err != nil {
		return err
	}
	if err := checks.Against(ctx, c.Lockfile); err != nil {
		return err
	}
	collector, err := output.collector()
	if err != nil {
		return err
	}
	if err := output.keepInputs(append(checks.Files, c.Servers), c.Record, c.Events); err != nil {
		return err
	}
	if err := output.keepInputs(c.commandFiles(), c.Record); err != nil { // --events appends, and a server may read the events
		return err
	}
	r := &proxyRun{proxyCmd: c, std: std, checks: checks, stderr: errorLog{to: std.err}}
	if r.record, err = app.OpenTraffic(c.Record, c.RecordSize, c.RecordKeep, r.problem); err != nil {
		return err
	}
	if r.log, err = app.AppendAuditLog(c.Events, r.problem); err != nil {
		return err
	}
	target, err := c.target(checks.Known())
	if err != nil {
		return err
	}
	if c.Wrapped != "" {
		target.Written = asWritten(target.Written, checks.Known()[target.Name].Last(), c.Env)
	}
	r.alerts = c.startAlerts(checks.Triage.Settings.AlertThreshold, r.stderr.printf)
	r.findings.least = r.alerts.least
	r.target, r.sink, r.live = target, checks.Into(app.Tee{app.Tee{r.log.Beside(collector), r.alerts}, &r.findings}), checks.Engine().Live()
	r.known = checks.Servers()
	connect := r.connect
	if c.overHTTP() {
		connect = r.listen
	}
	code, failed := connect(ctx)
	lost := errors.Join(r.record.Close(), r.log.Close(), r.lost)
	input := report.Input{Kind: "server", Name: target.Name}
	if c.Servers != "" && !c.LLM {
		input.Kind = "config"
	}
	rep := collector.Report([]report.Input{input}, version(), r.live.Result())
	checks.Complete(rep)
	output.warn(std, checks.Idle, rep)
	if err := output.write(std, rep, checks.Rules); err != nil {
		lost = errors.Join(lost, err)
	}
	r.alerts.close() // last, because it may wait for receivers, and clients soon kill a proxy that does not exit
	r.stderr.close()
	switch {
	case failed != nil && ctx.Err() == nil:
		return withLost(&exitError{exitIncomplete, failed}, lost)
	case code != 0:
		return withLost(&exitError{code: code}, lost)
	case len(rep.Coverage.Skipped) > 0: // findings were already acted on, but skipped input was not
		return withLost((&outputFlags{FailOn: "never", AllowIncomplete: c.AllowIncomplete, Quiet: c.Quiet}).verdict(std, rep), lost)
	}
	return withLost(nil, lost)
}

// check rejects invalid flags, such as those that name no server or several.
func (c *proxyCmd) check() error {
	if err := c.recordFlags.check(c.Record); err != nil {
		return err
	}
	if err := c.alertFlags.check(); err != nil {
		return err
	}
	if c.AskTimeout < 0 {
		return usage("--ask-timeout must not be negative")
	}
	switch command := len(c.Command) > 0 && c.Command[0] != ""; {
	case c.LLM:
		if err := c.checkLLM(); err != nil {
			return err
		}
		return c.listenFlags.check()
	case c.overHTTP():
		if command {
			return usage("--upstream and --servers name the servers; remove the command")
		}
		if c.Upstream != "" && (c.InheritEnv || len(c.Env) > 0) {
			return usage("--upstream names a server that the proxy does not start; remove --env and --inherit-env")
		}
		if c.Session != "" && c.Session != noSession {
			return usage("--session applies only over stdio; on a port, the proxy distinguishes clients by address and headers")
		}
		return c.listenFlags.check()
	case !command:
		return usage("no server to run; expected the command of a server, as in: mcpscan proxy -- npx -y some-mcp-server, or a URL, as in: mcpscan proxy --listen 127.0.0.1:3100 --upstream https://example.com/mcp")
	case c.Listen != "" || c.TokenEnv != "" || c.TLSFingerprint != "" || len(c.AllowHost) > 0:
		return usage("--listen, --allow-host, --token-env and --tls-fingerprint apply only with --upstream, --servers or --llm; add one of these")
	}
	return nil
}

// overHTTP reports whether the proxy listens on a port.
func (c *proxyCmd) overHTTP() bool { return c.Upstream != "" || c.Servers != "" || c.LLM }

// reports returns the formats and files of the requested reports. Standard output is reserved for
// the protocol.
func (c *proxyCmd) reports() (*outputFlags, error) {
	for _, spec := range c.Format {
		if _, file, named := strings.Cut(spec, "="); !named || file == "-" {
			return nil, usage("--format %s: standard output carries the server's messages; write the report to a file, as in --format %s=FILE", spec, strings.TrimSuffix(spec, "=-"))
		}
	}
	return &outputFlags{Format: c.Format, Quiet: c.Quiet}, nil
}

// target returns the server that the command line names.
func (c *proxyCmd) target(known servers.Known) (*servers.Target, error) {
	t := &servers.Target{Name: c.Name, Command: c.Command, URL: c.Upstream}
	if c.LLM {
		t.Name = llmName
		return t, nil
	}
	if c.Servers != "" {
		t.Name = c.Servers // name of the input; the servers have their own names
		return t, nil
	}
	if t.Written = (config.Server{Transport: "http", URL: c.Upstream, CommandLine: true}); c.Upstream == "" {
		t.Written = config.Server{Transport: "stdio", Command: c.Command[0], Args: c.Command[1:], CommandLine: true}
	}
	if t.Name == "" {
		var err error
		if t.Name, err = known.NameUnasked(&t.Written); err != nil {
			return nil, err
		}
	}
	t.Origin = servers.Endpoint(t.Name)
	return t, nil
}

// commandFiles returns the files that the command lines of the servers name.
func (c *proxyCmd) commandFiles() (files []string) {
	if len(c.Command) > 0 {
		return servers.CommandFiles(c.Command[0], c.Command[1:], "")
	}
	if c.Servers == "" {
		return nil
	}
	file, err := app.ReadConfig(c.Servers, c.MaxMessage)
	if err != nil { // reported when the servers are started
		return nil
	}
	for _, e := range file.Entries {
		files = append(files, servers.CommandFiles(e.Command, e.Args, servers.Directory(app.StartDir(file), e.Cwd))...)
	}
	return files
}

// proxyRun is one run of the proxy.
type proxyRun struct {
	*proxyCmd
	std    streams
	checks *app.Checks
	target *servers.Target
	record *app.Traffic
	log    *app.AuditLog
	alerts *alerts
	known  map[string][]string // servers, with their approved tools
	sink   scanner.Sink
	live   *scanner.Live
	lost   error           // the first error of a sink
	looked time.Time       // when files were last checked for changes
	shared *sessionlog.Log // nil if the session is not shared

	findings openFindings // of the current event
	stderr   errorLog
}

// connect starts the server and relays messages until one side is done.
func (r *proxyRun) connect(ctx context.Context) (code int, err error) {
	s := r.starting(r.target)
	if lacks := s.in.Lacks(); !r.Quiet && lacks != "" {
		r.stderr.printf("started without %s from your environment; if the server needs one, pass --env NAME or list it under env_allow in mcpscan.yaml", lacks)
	}
	stderr, ok := r.std.err.(*os.File)
	if !ok {
		stderr = os.Stderr
	}
	server, started, err := s.start(ctx, stderr)
	if err != nil {
		return 0, err
	}
	defer context.AfterFunc(ctx, func() {
		if by, ok := errors.AsType[*signalled](context.Cause(ctx)); ok {
			server.Signal(by.signal)
		}
	})()
	o := r.options(ctx)
	session, alone := r.share()
	if r.shared != nil {
		o.Session = r.shared
		defer r.shared.Close()
	}
	at := proxy.Connection{Session: session, Alone: alone, Server: r.target.Name, Origin: r.target.Origin, Given: r.target.Given()}
	started.Session = at.Session
	r.note(started)
	return proxy.Stdio(ctx, o, at, proxy.Client{In: r.std.in, Out: r.std.out, Gone: func() bool { return unread(r.std.out) }}, server, server.Stdin, server.Stdout)
}

// options returns the proxy's options.
func (r *proxyRun) options(ctx context.Context) proxy.Options {
	policy := r.checks.Triage.Settings.Policy
	return proxy.Options{
		Engine: r.live, Now: time.Now, MaxMessage: r.MaxMessage, FailClosed: policy != nil && policy.Enforced && policy.FailClosed, Observe: r.Mode == "observe",
		Approvals: func() (*scanner.Engine, error) { return r.approvals(ctx) }, Record: r.record.Record, Decided: r.decided, Asking: r.asking(), OnDuration: r.alerts.decisionTimer(),
	}
}

// lookEvery is how often, at most, the proxy looks for changes to files that it does not read again.
const lookEvery = 500 * time.Millisecond

// approvals returns an engine with the approvals in the lockfile if they changed, otherwise nil. It
// also reports changes to files that the proxy reads only when it starts.
func (r *proxyRun) approvals(ctx context.Context) (*scanner.Engine, error) {
	if now := time.Now(); now.Sub(r.looked) >= lookEvery {
		r.looked = now
		for _, name := range r.checks.Outdated() {
			r.problem("%s changed: the change applies once you restart the %s", text.Visible(name, 400), r.restarted())
		}
	}
	renewed, err := r.checks.Renew(ctx)
	if !renewed {
		return nil, err
	}
	r.problem("%s changed: its approvals apply from now on", r.lockfileName())
	return r.checks.Engine(), nil
}

// restarted returns the program whose restart restarts the proxy.
func (r *proxyRun) restarted() string {
	if r.overHTTP() {
		return "proxy"
	}
	return "client"
}
