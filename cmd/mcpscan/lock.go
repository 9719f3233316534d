package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/user"
	"slices"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/lockfile"
	"github.com/mcpscan/mcpscan/internal/servers"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/scanner"
)

type lockCmd struct {
	Targets  []string `arg:"" optional:"" help:"What to lock: client configurations, definition files, recordings, URLs; default: the configurations in this directory. After --, the command of one server." placeholder:"TARGET"`
	Command  []string `kong:"-"`
	Lockfile string   `help:"The file to write; default: mcpscan.lock in the working directory, or the one beside the targets if only that one exists." placeholder:"FILE"`
	Check    bool     `help:"Write nothing; report entries that were edited or wait for approval."`
	Prune    bool     `help:"Remove definitions that their server no longer lists and, if every configured server is locked, servers that are in no configuration any more."`
	Now      string   `help:"Time of new approvals, and for checking the expiry of ignores; default: now." placeholder:"TIME"`

	liveFlags
	outputFlags
	engineFlags
}

// Run writes or checks the lockfile.
func (c *lockCmd) Run(ctx context.Context, std streams) error {
	at, err := approvalTime(c.Now)
	if err != nil {
		return err
	}
	checks, err := c.checks("")
	if err != nil {
		return err
	}
	checks.Triage.Now = at
	if c.Check {
		return c.check(ctx, std, checks)
	}
	targets, missed, err := c.targets()
	if err != nil {
		return err
	}
	if err := c.chooseLockfile(checks, targets); err != nil {
		return err
	}
	l := c.listing(checks)
	// A server that reports another server's name is renamed; a replaced executable is recorded, not
	// blocked.
	l.Separate, l.Block = true, false
	before, err := lockfile.Load(c.Lockfile)
	if err == nil { // an error is reported when the lockfile is written
		l.Known = servers.KnownIn(before)
	}
	offers, err := c.offers(ctx, std, l, checks, before, targets, missed)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return &exitError{exitIncomplete, fmt.Errorf("%w; the lockfile is unchanged", context.Cause(ctx))}
	}
	beside := c.beside(ctx)
	beside.keepHosts(before, offers.now)
	approval := &checks.Triage.Settings.Approval
	policy := lockfile.Policy{Hold: approval.Holds(), Auto: approval.Passes, Refuse: func(server string) bool { return offers.critical[server] }}
	done := lockResult{file: c.Lockfile, servers: len(offers.now.Servers), notes: offers.notes}
	done.changed, err = lockfile.Edit(ctx, c.Lockfile, true, func(f *lockfile.File) error {
		if before != nil {
			if err := f.Unchanged(before); err != nil { // a server that was started could have added approvals
				return err
			}
		}
		if err := f.Intact(); err != nil {
			return err
		}
		done.unlisted, done.forgotten = f.Update(offers.now, policy, at)
		if done.unnamed = beside.unnamed(f, offers); c.Prune {
			done.prune(f, beside.covered(f, offers))
		}
		done.count(f)
		return nil
	})
	if err != nil {
		return err
	}
	if !c.Quiet {
		done.tell(std.err)
	}
	return c.report(std, checks, offers)
}

// offers holds all definitions from the targets, and the findings.
type offers struct {
	now        *scanner.Snapshot
	inputs     []report.Input
	result     scanner.Result
	collector  *report.Collector
	configured map[string]bool // servers that the targets' configurations name
	critical   map[string]bool // servers with open critical findings in definitions
	notes      []string        // messages for the user, from the plans of the targets
}

// offers lists all targets, and collects their definitions and findings. missed is what could not be
// searched for targets.
func (c *lockCmd) offers(ctx context.Context, std streams, l *servers.Listing, checks *app.Checks, before *lockfile.File, targets []string, missed []scanner.Skipped) (*offers, error) {
	collector, err := c.collector()
	if err != nil {
		return nil, err
	}
	if err := c.keepInputs(append(targets, checks.Files...), c.Lockfile); err != nil {
		return nil, err
	}
	o := &offers{now: scanner.NewSnapshot(), collector: collector, configured: map[string]bool{}, critical: map[string]bool{}}
	o.result.Coverage.Skipped = missed
	for _, t := range targets {
		if err := c.rejectAmbiguous(t); err != nil {
			return nil, err
		}
		if err := c.read(ctx, std, l, checks, o, t, nil); err != nil {
			return nil, err
		}
	}
	if len(c.Command) > 0 {
		if err := c.read(ctx, std, l, checks, o, "", c.Command); err != nil {
			return nil, err
		}
	}
	for name, offer := range o.now.Servers {
		if len(offer.Definitions) == 0 && offer.Info.Name == "" { // it was configured but did not answer
			delete(o.now.Servers, name)
		}
	}
	o.result.Coverage.Skipped = append(o.result.Coverage.Skipped, before.DropUnlockable(o.now)...)
	if lost := o.now.Lost(); lost > 0 {
		o.result.Coverage.Skipped = append(o.result.Coverage.Skipped, scanner.Skipped{Reason: "more definitions than a lockfile can hold", Count: lost})
	}
	if len(o.now.Servers) == 0 {
		return nil, nothingOffered(o.result.Coverage.Skipped)
	}
	return o, nil
}

// targets returns the files and URLs to list: a directory stands for the configurations in it and
// its subdirectories, and without a target or command, the working directory is used. missed lists
// the parts of directories that were not searched.
func (c *lockCmd) targets() (all []string, missed []scanner.Skipped, err error) {
	given := c.Targets
	if len(given)+len(c.Command) == 0 {
		given = []string{"."}
	}
	for _, t := range given {
		info, err := os.Stat(t)
		if servers.IsURL(t) || err != nil || !info.IsDir() { // a missing file is reported when it is read
			all = append(all, t)
			continue
		}
		locations, left := config.DiscoverBelow(app.Dirs(t, false))
		left = slices.DeleteFunc(left, func(m config.Missed) bool { return m.Separate })
		found := len(left)
		for _, l := range left {
			missed = append(missed, scanner.Skipped{Reason: l.Why, Count: 1, First: scanner.Location{File: l.Path, Line: 1, Column: 1}})
		}
		for _, loc := range locations {
			file, err := app.ReadConfig(loc.Path, c.MaxMessage)
			if err != nil || len(file.Entries) > 0 || slices.ContainsFunc(file.References, func(r config.Reference) bool {
				return r.Key != "hooks" && !slices.Contains(all, r.Path)
			}) {
				all = append(all, loc.Path)
				found++
			}
		}
		if found == 0 {
			return nil, nil, usage("%w in %s; name a target, or add the command of a server after --", app.ErrNoConfig, t)
		}
	}
	return all, missed, nil
}

// read lists one target, or the server that a command starts.
func (c *lockCmd) read(ctx context.Context, std streams, l *servers.Listing, checks *app.Checks, o *offers, target string, command []string) error {
	s, err := c.side(ctx, std, l, target, false, command, c.Quiet)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := c.keepInputs(s.Files); err != nil {
		return err
	}
	server := "" // of the current event
	about := filtered{o.collector, func(f *scanner.Finding) bool { return f.Subject.Definition() }}
	into := app.Tee{o.now, checks.Into(app.Tee{about, sink{
		event: func(e *scanner.Event, _ *scanner.Outcome) {
			server = e.Server
			o.configures(e)
		},
		finding: func(f *scanner.Finding) {
			if f.Subject.Definition() && f.Severity == scanner.Critical && f.Status == scanner.Open {
				o.critical[server] = true // not to be trusted on first use
			}
		}}})}
	res, err := checks.Engine().Keeping().Run(context.WithoutCancel(ctx), s.Source, into)
	if err != nil {
		return &exitError{exitIncomplete, fmt.Errorf("%w; the lockfile is unchanged", err)}
	}
	o.inputs, o.notes = append(o.inputs, s.Inputs...), append(o.notes, s.Notes...)
	o.result.Add(res)
	return nil
}

// configures records the servers that a configuration names.
func (o *offers) configures(e *scanner.Event) {
	if e.Kind != scanner.ConfigEvent {
		return
	}
	for i := range e.Config.Entries {
		o.configured[e.Config.Entries[i].Name] = true
	}
}

// report writes the findings about locked definitions, and returns the exit error.
func (c *lockCmd) report(std streams, checks *app.Checks, o *offers) error {
	r := o.collector.Report(o.inputs, version(), o.result)
	if len(r.Findings) == 0 && r.Coverage.Complete() && len(c.written()) == 1 && c.Output == "" && c.Format[0] == "text" { // standard error already reports the result
		return c.verdict(std, r)
	}
	return c.end(std, checks, r, nil)
}

// rejectAmbiguous rejects a configuration that clients may interpret in different ways, such as one
// that defines a server twice: it is unclear which entry to lock.
func (c *lockCmd) rejectAmbiguous(target string) error {
	file, err := app.ReadConfig(target, c.MaxMessage)
	if err == nil && len(file.Problems) > 0 { // an error is reported when the target is read
		return usage("%s:%s: %s; the lockfile is unchanged", target, file.Problems[0].Pos, file.Problems[0].Msg)
	}
	return nil
}

// nothingOffered returns an error with the reasons why there is nothing to write.
func nothingOffered(missed []scanner.Skipped) error {
	why, separator := "", " "
	if len(missed) == 0 {
		why = " no server has definitions"
	} else if len(missed) > 1 {
		separator = "\n  "
	}
	for i, m := range missed {
		if i == maxWaiting {
			why += fmt.Sprintf("%sand %d more", separator, len(missed)-i)
			break
		}
		if why += separator + text.VisibleEnds(m.Reason, 800); m.First.File != "" {
			why += fmt.Sprintf(", at %s:%d", shownText(m.First.File), m.First.Line)
		}
	}
	return &exitError{exitIncomplete, fmt.Errorf("nothing was written:%s", why)}
}

// check reports problems with the current lockfile.
func (c *lockCmd) check(ctx context.Context, std streams, checks *app.Checks) error {
	if len(c.Targets)+len(c.Command) > 0 || c.Prune {
		return usage("--check inspects only the lockfile, without targets or --prune; to compare it with a server: mcpscan diff")
	}
	checks.Triage.Partial = true
	c.Lockfile = cmp.Or(c.Lockfile, lockfile.Name)
	f, err := loadLock(c.Lockfile)
	if err != nil {
		return err
	}
	collector, err := c.collector()
	if err != nil {
		return err
	}
	if err := c.keepInputs([]string{c.Lockfile}); err != nil {
		return err
	}
	aboutLock := func(f *scanner.Finding) bool { return strings.HasPrefix(f.Rule.ID, "lock-") }
	res, err := checks.Engine().Run(context.WithoutCancel(ctx), replay.Events(f.Events(false)), checks.Into(filtered{collector, aboutLock}))
	if err != nil {
		return readError(err)
	}
	return c.end(std, checks, collector.Report([]report.Input{{Kind: "lockfile", Name: c.Lockfile}}, version(), res), nil)
}

// approvalTime returns the time of an approval: the requested one, or the current time.
func approvalTime(asked string) (time.Time, error) {
	at, err := app.Date(asked)
	if err != nil || !at.IsZero() {
		return at, err
	}
	return time.Now().UTC().Truncate(time.Second), nil
}

// who returns the approver's name.
func who(asked string) string {
	name := cmp.Or(asked, os.Getenv("MCPSCAN_USER"), os.Getenv("GITHUB_ACTOR"))
	if name != "" {
		return name
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "unknown"
}
