package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"slices"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/lockfile"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/scanner"
)

// lockCmd is mcpscan lock.
type lockCmd struct {
	Targets  []string `arg:"" optional:"" help:"What to write down: client configurations, definition files, recordings, URLs; none means the configurations of this directory. Behind --, the command of one server." placeholder:"TARGET"`
	Command  []string `kong:"-"`
	Lockfile string   `help:"The file to write." default:"mcpscan.lock" placeholder:"FILE"`
	Check    bool     `help:"Write nothing: report entries that were edited, and those that wait for approval."`
	Prune    bool     `help:"Forget definitions that their server does not list any more."`
	Now      string   `help:"Time of the approvals that are made; without it, the time of this machine." placeholder:"TIME"`

	liveFlags
	outputFlags
	engineFlags
}

// Help is what --help says beyond the flags.
func (c *lockCmd) Help() string {
	return "mcpscan lock --run-servers .mcp.json   starts the servers and writes what they offer to mcpscan.lock."
}

// Run writes the lockfile, or checks it.
func (c *lockCmd) Run(ctx context.Context, std streams) error {
	if c.Check {
		return c.check(ctx, std)
	}
	at, err := moment(c.Now)
	if err != nil {
		return err
	}
	checks, err := c.checks()
	if err != nil {
		return err
	}
	now, missed, err := c.offers(ctx, std, checks.engine)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return &exitError{exitIncomplete, errors.New("interrupted; the lockfile is as it was")}
	}
	var waiting []lockfile.Change
	forgotten, total := 0, 0
	changed, err := lockfile.Edit(ctx, c.Lockfile, true, func(f *lockfile.File) error {
		if err := f.Intact(); err != nil {
			return err
		}
		if err := f.Update(now, checks.policy(), at); err != nil {
			return err
		}
		if c.Prune {
			forgotten = f.Prune()
		}
		waiting = f.Waiting()
		for _, s := range f.Servers {
			total += len(s.Entries)
		}
		return nil
	})
	if err != nil {
		return &exitError{exitUsage, err}
	}
	c.tell(std.err, changed, len(now.Servers), total, forgotten, waiting)
	return c.incomplete(std, missed)
}

// policy is what the configuration lets pass without being looked at.
func (c *checks) policy() lockfile.Policy {
	a := &c.triage.Settings.Approval
	return lockfile.Policy{Hold: a.Holds(), Auto: a.Passes}
}

// offers asks all targets what they offer.
func (c *lockCmd) offers(ctx context.Context, std streams, engine *scanner.Engine) (*scanner.Snapshot, []scanner.Skipped, error) {
	targets := c.Targets
	if len(targets)+len(c.Command) == 0 {
		for _, loc := range config.Discover(discoverDirs(".", false)) {
			if data, err := readTarget(loc.Path, c.MaxMessage); err != nil || holdsServers(loc.Path, data) {
				targets = append(targets, loc.Path)
			}
		}
		if len(targets) == 0 {
			return nil, nil, usage("no client configuration found in this directory; name a target, or -- and the command of a server")
		}
	}
	now := scanner.NewSnapshot()
	var missed []scanner.Skipped
	read := func(target string, command []string) error {
		s, err := c.side(ctx, std, target, false, command, c.MaxMessage, c.Quiet)
		if err != nil {
			return err
		}
		defer s.close()
		res, err := engine.Keeping().Run(context.WithoutCancel(ctx), s.source, now)
		if err != nil {
			return &exitError{exitIncomplete, fmt.Errorf("%w; the lockfile is as it was", err)}
		}
		missed = append(missed, res.Coverage.Skipped...)
		return nil
	}
	for _, t := range targets {
		if err := c.doubtful(t); err != nil {
			return nil, nil, err
		}
		if err := read(t, nil); err != nil {
			return nil, nil, err
		}
		if isURL(t) {
			c.identify(now, urlName(t), &scanner.Entry{Transport: "http", URL: t, Headers: c.Header})
		}
	}
	if len(c.Command) > 0 {
		if err := read("", c.Command); err != nil {
			return nil, nil, err
		}
		c.identify(now, commandName(c.Command), &scanner.Entry{Transport: "stdio", Command: c.Command[0], Args: c.Command[1:]})
	}
	for name, o := range now.Servers {
		if len(o.Definitions) == 0 && o.Info.Name == "" { // it was named, and did not answer
			delete(now.Servers, name)
		}
	}
	if now.Lost() > 0 {
		missed = append(missed, scanner.Skipped{Reason: "more definitions than a lockfile holds", Count: now.Lost()})
	}
	if len(now.Servers) == 0 {
		return nil, nil, nothingOffered(missed)
	}
	return now, missed, nil
}

// identify says what a server is that no configuration names.
func (c *lockCmd) identify(now *scanner.Snapshot, name string, entry *scanner.Entry) {
	if o := now.Servers[name]; o != nil {
		entry.Found = find(entry)
		o.Identity = scanner.IdentityOf(entry)
	}
}

// doubtful refuses a configuration of which clients may read different things, such
// as one that names a server twice: which of the two would be locked?
func (c *lockCmd) doubtful(target string) error {
	data, err := readTarget(target, c.MaxMessage)
	if err != nil {
		return nil // it is told where it is read
	}
	if file, err := config.Parse(target, data); err == nil && len(file.Problems) > 0 {
		return usage("%s:%s: %s; the lockfile is as it was", target, file.Problems[0].Pos, file.Problems[0].Msg)
	}
	return nil
}

func holdsServers(name string, data []byte) bool {
	file, err := config.Parse(name, data)
	return err != nil || len(file.Entries) > 0
}

// nothingOffered explains why there is nothing to write.
func nothingOffered(missed []scanner.Skipped) error {
	why := "no server offers anything"
	if len(missed) > 0 {
		why = missed[0].Reason
	}
	return &exitError{exitIncomplete, fmt.Errorf("nothing was written: %s", why)}
}

// tell says what became of the lockfile, and what to do next.
func (c *lockCmd) tell(w io.Writer, changed bool, servers, total, forgotten int, waiting []lockfile.Change) {
	if c.Quiet {
		return
	}
	what := "is up to date"
	if changed {
		what = "is written"
	}
	fmt.Fprintf(w, "mcpscan: %s %s: %s listed, %s in the lockfile\n", text.Visible(c.Lockfile, 400), what, count(servers, "server"), count(total, "definition"))
	if forgotten > 0 {
		fmt.Fprintf(w, "mcpscan: %s forgotten that nobody lists any more\n", count(forgotten, "definition"))
	}
	tellWaiting(w, c.Lockfile, waiting)
}

// maxWaiting bounds what is listed on a terminal.
const maxWaiting = 20

// tellWaiting lists what waits for approval, and the commands that look at it and
// approve it.
func tellWaiting(w io.Writer, file string, waiting []lockfile.Change) {
	if len(waiting) == 0 {
		return
	}
	var servers []string
	for i, c := range waiting {
		if i == maxWaiting {
			fmt.Fprintf(w, "  and %d more\n", len(waiting)-i)
			break
		}
		fmt.Fprintf(w, "  %-8s %s\n", c.Was, text.Visible(selector(c), 200))
	}
	for _, c := range waiting {
		servers = append(servers, c.Server)
	}
	servers = slices.Compact(servers)
	at := ""
	if file != lockfile.Name {
		at = " --lockfile " + shellWord(file)
	}
	fmt.Fprintf(w, "To see what changed: mcpscan pins diff%s\n", at)
	fmt.Fprintf(w, "To approve it:       mcpscan approve%s %s --reason \"…\"\n", at, shellWord(text.Visible(servers[0], 200)))
	if len(servers) > 1 {
		fmt.Fprintf(w, "                     (and %s more)\n", count(len(servers)-1, "server"))
	}
}

func selector(c lockfile.Change) string {
	if c.Kind == scanner.ServerSubject {
		return c.Server + " (instructions)"
	}
	return c.Server + ":" + c.Name
}

// shellWord quotes a word for a shell, where it needs that.
func shellWord(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-") == "" && s[0] != '-' {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// incomplete is what a run exits with that could not read everything.
func (f *outputFlags) incomplete(std streams, missed []scanner.Skipped) error {
	if len(missed) == 0 || f.AllowIncomplete {
		return nil
	}
	if !f.Quiet {
		for _, m := range missed[:min(len(missed), 5)] {
			fmt.Fprintf(std.err, "mcpscan: not everything was written down (%s)\n", text.Visible(m.Reason, 400))
		}
	}
	return &exitError{code: exitIncomplete}
}

// check reports what is wrong with the lockfile as it stands.
func (c *lockCmd) check(ctx context.Context, std streams) error {
	if len(c.Targets)+len(c.Command) > 0 || c.Prune {
		return usage("--check looks at the lockfile alone; mcpscan diff compares it with something")
	}
	checks, err := c.checks()
	if err != nil {
		return err
	}
	f, err := lockfile.Load(c.Lockfile)
	if err != nil {
		return unreadable(err)
	}
	collector, err := c.collector()
	if err != nil {
		return err
	}
	if err := c.keepInputs([]string{c.Lockfile}); err != nil {
		return err
	}
	res, err := checks.engine.Run(context.WithoutCancel(ctx), replay.Events(f.Events(false)), checks.into(onlyLock{collector}))
	if err != nil {
		return readError(err)
	}
	r := collector.Report([]report.Input{{Kind: "lockfile", Name: c.Lockfile}}, version(), res)
	checks.complete(std, r, baselineFlags{}, c.Quiet)
	return c.finish(std, r, checks.rules)
}

// onlyLock is a sink that lets through what is said of the lockfile itself.
type onlyLock struct{ scanner.Sink }

func (s onlyLock) Finding(f *scanner.Finding) error {
	if !strings.HasPrefix(f.Rule.ID, "lock-") {
		return nil
	}
	return s.Sink.Finding(f)
}

// moment is the time of an approval: the one that was asked for, or that of the machine.
func moment(asked string) (time.Time, error) {
	at, err := date(asked)
	if err != nil || !at.IsZero() {
		return at, err
	}
	return time.Now().UTC().Truncate(time.Second), nil
}

// who is the name that an approval is given under.
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
