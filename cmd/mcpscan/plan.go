package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/lockfile"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/scanner"
)

// plan is what a run inspects: events that were read, and servers to list.
type plan struct {
	inputs  []report.Input
	events  []*scanner.Event // from inputs read directly
	targets []liveTarget     // servers to list
	left    int              // servers that --no-run skipped without making the run incomplete

	known      lockedServers     // give names to servers that no configuration names
	headers    map[string]string // for URLs
	maxMessage int64             // bytes

	locked   map[string]*lockfile.Server // whose definitions replace servers that --no-run skips; nil without a lockfile
	mayLeave bool                        // --no-run may skip servers, as there is no lockfile
	disk     *disk
}

// newPlan returns an empty plan.
func newPlan(ctx context.Context, known lockedServers, maxMessage int64) *plan {
	return &plan{known: known, maxMessage: maxMessage, disk: newDisk(ctx)}
}

// source yields the events of the plan, and then those of its servers.
func (p *plan) source(ctx context.Context, l *listing, w watcher) scanner.Source {
	return l.source(ctx, p.events, p.targets, p.disk, w)
}

// watch sends the events of the plan, lists its servers, sends all, and watches them until l ends.
func (p *plan) watch(ctx context.Context, l *listing, all *scanner.Event) <-chan *scanner.Event {
	return l.watch(ctx, p.events, p.targets, p.disk, all)
}

// standInFor makes the definitions of a lockfile stand in for servers that are not started. f is nil if
// there is none.
func (p *plan) standInFor(f *lockfile.File) {
	if p.mayLeave = f == nil; f != nil {
		p.locked = f.Servers
	}
}

// add adds the targets of a run, and the server that a command starts; without either, the
// configurations of the working directory and the user. It names servers apart. With others set, the run
// also inspects something else, so it needs no configuration.
func (p *plan) add(ctx context.Context, targets, command []string, others bool, stdin io.Reader) error {
	if len(command) > 0 {
		if err := p.command(command); err != nil {
			return err
		}
	}
	for _, t := range targets {
		if err := p.target(ctx, t, stdin); err != nil && !(errors.Is(err, errNoConfig) && others) {
			if _, missing := os.Stat(t); missing != nil || len(targets)+len(command) == 1 {
				return err
			}
			p.inputs = append(p.inputs, report.Input{Kind: "file", Name: t})
			p.skip(scanner.Origin{File: t, Line: 1, Column: 1}, "input not read: %v", err)
		}
	}
	if len(targets) == 0 && len(command) == 0 {
		if err := p.discover(".", true); err != nil && !(errors.Is(err, errNoConfig) && others) {
			return err
		}
	}
	p.unique()
	return nil
}

// allow removes the servers that are not to be started: all with noRun, and those of configurations
// for which ask returns a reason.
func (p *plan) allow(ctx context.Context, noRun bool, ask func(*liveTarget) (refused string)) {
	p.targets = slices.DeleteFunc(p.targets, func(t liveTarget) bool {
		refused := ""
		switch {
		case ctx.Err() != nil:
			refused = context.Cause(ctx).Error()
		case noRun:
			p.leave(t)
			return true
		case t.foreign:
			refused = ask(&t)
		}
		if refused != "" {
			p.skip(t.origin, "server %s not started: %s", t.name, refused)
		}
		return refused != ""
	})
}

// command adds the server that a command starts.
func (p *plan) command(command []string) error {
	entry := config.Server{Transport: "stdio", Command: command[0], Args: command[1:]}
	t := liveTarget{command: command, written: entry}
	return p.server(t, t.shown())
}

// url adds the server at a URL.
func (p *plan) url(u string) error {
	entry := config.Server{Transport: "http", URL: u, Headers: p.headers}
	return p.server(liveTarget{url: u, headers: p.headers, written: entry}, bare(u))
}

// server adds a server that no configuration names.
func (p *plan) server(t liveTarget, shown string) error {
	name, err := p.known.call(&t.written)
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
		if e.Found, why = p.disk.find(e); why != "" {
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

func (p *plan) skip(at scanner.Origin, format string, args ...any) {
	p.events = append(p.events, &scanner.Event{Kind: scanner.SkippedEvent, Reason: text.Mask(fmt.Sprintf(format, args...)), Origin: at})
}

// discover adds the configurations at their usual paths, in a directory and below it, and in the
// user's directories if user is set. Those without servers are only counted.
func (p *plan) discover(dir string, user bool) error {
	found := 0
	locations, missed := config.DiscoverBelow(discoverDirs(dir, user))
	for _, m := range missed {
		p.skip(scanner.Origin{File: m.Path, Line: 1, Column: 1}, "%s", m.Why)
	}
	for _, loc := range locations {
		data, err := readTarget(loc.Path, p.maxMessage)
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
		return fmt.Errorf("%w in %s; name a target, or give the command of a server after --", errNoConfig, dir)
	}
	return nil
}

// errNoConfig is the error for a directory without client configurations.
var errNoConfig = errors.New("no client configuration found")

// lockedEvents adds the events of the lockfile's servers that are not started, before all others. There are
// none if the user named only individual servers, or if the lockfile is itself an input.
func (p *plan) lockedEvents(f *lockfile.File) {
	if f == nil {
		return
	}
	alone := len(p.inputs) > 0 && !slices.ContainsFunc(p.inputs, func(in report.Input) bool { return in.Kind != "server" })
	again := p.reads(f.Path)
	if !again {
		p.inputs = append(p.inputs, report.Input{Kind: "lockfile", Name: f.Path})
	}
	var events []*scanner.Event
	asked := map[string]bool{}
	for _, t := range p.targets {
		asked[t.name] = true
	}
	for _, e := range f.Events(false) {
		if !asked[e.Server] && !again && !alone {
			events = append(events, e)
		}
	}
	p.events = append(events, p.events...)
}

// unique renames servers with the same name, and lists only once those that are identical in
// everything that affects their answers: even a header can select the tenant.
func (p *plan) unique() {
	seen := map[string]int{}
	same := map[string]bool{}
	p.targets = slices.DeleteFunc(p.targets, func(t liveTarget) bool {
		key := fmt.Sprintf("%q", [][]string{{t.name, t.url, t.transport, t.dir}, t.command, t.env, pairs(t.headers, "=")})
		known := same[key]
		same[key] = true
		return known
	})
	for i := range p.targets {
		t := &p.targets[i]
		if seen[t.name]++; seen[t.name] > 1 {
			t.name = fmt.Sprintf("%s#%d", t.name, seen[t.name])
		}
	}
}
