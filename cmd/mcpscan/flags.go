package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/servers"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/report"
)

// configFlags selects the configuration.
type configFlags struct {
	Config   string `help:"Configuration file; default: mcpscan.yaml in the working directory, if it exists." placeholder:"FILE"`
	NoConfig bool   `help:"Use the default settings; ignore mcpscan.yaml in the working directory."`
}

// engineFlags selects the checks and their parameters.
type engineFlags struct {
	configFlags
	Enable     []string `help:"Run only these rules, by ID or category." placeholder:"RULE"`
	Disable    []string `help:"Disable these rules, by ID or category." placeholder:"RULE"`
	Policy     []string `help:"Additional policy for requests: TOML, or YAML as in mcpscan.yaml. Repeatable; the strictest decision applies." placeholder:"FILE" sep:"none"`
	Jobs       int      `short:"j" help:"Number of parallel workers; 0 uses one per core." default:"0"`
	MaxMessage int64    `help:"Maximum message size in bytes; longer messages count as not inspected." default:"33554432"`

	MaxTime time.Duration `help:"Time limit for the run, such as 10m; input not reached by then counts as not inspected. 0 means no limit." default:"0" placeholder:"TIME"`
	late    func() bool   // reports whether the time is up; nil without a limit
}

// baselineFlags selects the baseline, and the date that decides which ignores have expired.
type baselineFlags struct {
	Baseline string `help:"A saved JSON report. Findings in it are counted but do not fail the run, unless they are more severe now." placeholder:"REPORT"`
	Now      string `help:"Date against which to check the expiry of ignores if events have no time, as in definition files and lockfiles; the value today means the current date in UTC." placeholder:"DATE"`
}

// lockFlags selects the approved definitions.
type lockFlags struct {
	Lockfile  string `help:"Lockfile with the approved definitions; default: mcpscan.lock in the working directory or, for scan, the nearest one above each configuration, if it exists." placeholder:"FILE"`
	Base      string `help:"The lockfile before the change under review, or a directory with the files of the commit before it. Reports changes to the lockfile; if PATH is a directory, mcpscan uses its versions of the configuration, policies and baseline." placeholder:"PATH"`
	Approvals string `help:"How to treat approvals that the change under review adds to the lockfile: accept, ignore." default:"accept" enum:"accept,ignore"`
}

// options returns the options that select the configuration.
func (f *configFlags) options() app.Options {
	return app.Options{Config: f.Config, NoConfig: f.NoConfig}
}

// checks returns the checks that the flags select. If base is a directory, its versions of the
// configuration and the policies apply.
func (f *engineFlags) checks(base string) (*app.Checks, error) {
	if f.Jobs < 0 || f.MaxMessage < 1 || f.MaxTime < 0 {
		return nil, usage("--jobs and --max-time must not be negative, and --max-message must be at least 1")
	}
	o := f.options()
	o.Base, o.Enable, o.Disable, o.Policies = base, f.Enable, f.Disable, f.Policy
	o.Workers, o.MaxMessage, o.Late = f.Jobs, f.MaxMessage, f.late
	c, err := app.Load(o)
	if unknown, ok := errors.AsType[*app.UnknownRuleError](err); ok {
		return nil, noRule(unknown.Name, unknown.Rules)
	}
	return c, err
}

// inspection returns the checks and the report's collector for a run with a baseline and a lockfile,
// which may be beside the targets.
func (f *engineFlags) inspection(ctx context.Context, lock *lockFlags, base *baselineFlags, output *outputFlags, targets ...string) (*app.Checks, *report.Collector, error) {
	checks, err := f.checks(lock.Base)
	if err != nil {
		return nil, nil, err
	}
	if err := checks.Compare(base.Baseline, base.Now); err != nil {
		return nil, nil, err
	}
	collector, err := output.collector()
	if err != nil {
		return nil, nil, err
	}
	checks.Triage.Unapproved = lock.Approvals == "ignore"
	return checks, collector, checks.Against(ctx, cmp.Or(lock.Lockfile, checks.LockfileBeside(targets)))
}

// end completes and writes a report, and returns the exit error. lost is the error from writing a
// recording or audit log, if any.
func (f *outputFlags) end(std streams, checks *app.Checks, r *report.Report, lost error) error {
	checks.Complete(r)
	f.warn(std, checks.Idle, r)
	return withLost(f.finish(std, r, checks.Rules), lost)
}

// warn lists ignores that suppressed nothing, and settings that should protect the user but have no
// effect.
func (f *outputFlags) warn(std streams, idle []string, r *report.Report) {
	if f.Quiet {
		return
	}
	for _, line := range idle {
		fmt.Fprintf(std.err, "mcpscan: %s\n", text.Visible(line, 1000))
	}
	for _, u := range r.UnusedIgnores {
		at := u.Location
		fmt.Fprintf(std.err, "mcpscan: %s: this ignore suppresses nothing: %s\n", text.Visible(fmt.Sprintf("%s:%d:%d", at.File, at.Line, at.Column), 400), text.Visible(u.Why, 400))
	}
}

// liveFlags controls which servers may be started, and their time limits.
type liveFlags struct {
	RunServers bool `help:"Start the configured servers, and connect to configured URLs, without asking."`
	NoRun      bool `help:"Do not start or connect to any servers; inspect files only."`

	InheritEnv bool `help:"Pass the whole environment to servers. By default, they get the standard variables, those in their configuration, and those in env_allow in mcpscan.yaml."`

	Header        map[string]string `help:"Header for target URLs, as NAME=VALUE." placeholder:"NAME=VALUE" mapsep:"none"`
	StartTimeout  time.Duration     `help:"Time limit for the first response from a server." default:"60s"`
	StepTimeout   time.Duration     `help:"Time limit for each later response from a server." default:"30s"`
	ServerTimeout time.Duration     `help:"Time limit for starting one server and listing its definitions." default:"5m"`
	ClientName    string            `help:"Client name sent to servers; some servers list different tools to different clients." default:"mcpscan" placeholder:"NAME"`
}

// listing returns the settings for listing servers, as set by the flags.
func (c *liveFlags) listing(checks *app.Checks) *servers.Listing {
	l := checks.Listing()
	l.InheritEnv, l.ClientName, l.Version = c.InheritEnv, c.ClientName, version()
	l.StartTimeout, l.StepTimeout, l.Timeout = c.StartTimeout, c.StepTimeout, c.ServerTimeout
	return l
}

// recordFlags limits the size of the --record files.
type recordFlags struct {
	RecordSize int64 `help:"Start a new part of the recording (FILE.part2 and so on) when a part reaches this size; 0 means no limit." placeholder:"BYTES"`
	RecordKeep int   `help:"Delete the oldest parts of the recording so that at most this many remain; 0 keeps all." placeholder:"N"`
}

// check rejects invalid flags.
func (f *recordFlags) check(record string) error {
	switch {
	case f.RecordSize < 0 || f.RecordKeep < 0:
		return usage("--record-size and --record-keep must not be negative")
	case record == "" && (f.RecordSize > 0 || f.RecordKeep > 0):
		return usage("--record-size and --record-keep apply only to a recording; add --record FILE")
	case f.RecordKeep > 0 && f.RecordSize == 0:
		return usage("--record-keep %d: the recording has only one part; add --record-size BYTES", f.RecordKeep)
	}
	return nil
}

// eventsFlags selects the file for audit events.
type eventsFlags struct {
	Events string `help:"Write audit events to this file, one JSON object per line." placeholder:"FILE"`
}
