package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/lockfile"
	"github.com/mcpscan/mcpscan/internal/servers"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/scanner"
)

// Plan is the input of a run: events that were read, and servers to list.
type Plan struct {
	Inputs     []report.Input
	Events     []*scanner.Event // events of inputs that were read
	Targets    []servers.Target // servers to list
	NotStarted int              // number of servers that --no-run skipped without making the run incomplete

	Headers map[string]string // for URLs
	NoRun   bool              // list no server
	Change  bool              // the run judges a change, which may remove every configuration
	Notes   []string          // messages that mcpscan lock prints for the user
	Empty   bool              // the run judges a change, and finds neither a configuration nor a lockfile

	named         []string                 // files that command lines name
	searched      bool                     // a directory was searched for configurations
	configs       map[string]bool          // paths of the configurations
	projects      []string                 // directories of the projects in which configurations were found
	launcherFiles map[string]*launcherFile // of the projects, by path
	envFiles      map[string]*envFile      // of the projects, by path

	nearest   func(*config.File) string // other lockfile to which a configuration belongs, or ""; nil if not looked for
	elsewhere map[string][]*config.File // configurations that belong to other lockfiles, by lockfile
	project   string                    // directory of the only project of the plan; "" for any

	before *lockfile.File // lockfile before the change under review; nil for none
	base   baseTree       // files before the change under review

	known      servers.Known // gives names to servers that no configuration names
	maxMessage int64         // in bytes
	disk       *servers.Disk

	lockfile               *lockfile.File              // lockfile whose servers are inspected too; nil for none
	locked                 map[string]*lockfile.Server // servers whose locked definitions are inspected if NoRun skips them; nil for none
	completeWithoutServers bool                        // NoRun does not make the run incomplete, because there is no lockfile
}

// NewPlan returns an empty plan.
func NewPlan(ctx context.Context, known servers.Known, maxMessage int64) *Plan {
	return &Plan{known: known, maxMessage: maxMessage, disk: servers.NewDisk(ctx), configs: map[string]bool{}, launcherFiles: map[string]*launcherFile{}, envFiles: map[string]*envFile{}}
}

// Files returns the names of the plan's inputs, and the files that the command lines of its servers
// name.
func (p *Plan) Files() []string {
	files := slices.Clone(p.named)
	for _, in := range p.Inputs {
		files = append(files, in.Name)
	}
	return files
}

// Since sets the state before the change under review.
func (p *Plan) Since(c *Checks) { p.before, p.base = c.Before, treeOf(c.base) }

// Source yields the plan's events, and then those from its servers.
func (p *Plan) Source(ctx context.Context, l *servers.Listing, w servers.Watcher) scanner.Source {
	return l.Source(ctx, p.Events, p.Targets, p.disk, w)
}

// Watch sends the plan's events and lists its servers. Once every server is listed, it sends the
// given event, and then watches the servers until l.Until is closed.
func (p *Plan) Watch(ctx context.Context, l *servers.Listing, all *scanner.Event) <-chan *scanner.Event {
	return l.Watch(ctx, p.Events, p.Targets, p.disk, all)
}

// Add adds the targets of a run, and the server that a command starts. Without either, it adds the
// configurations in the working directory and the user's directories. The target - is stdin. locked
// is the lockfile, or nil if there is none; with NoRun, its definitions are inspected, and their
// servers are not started.
func (p *Plan) Add(ctx context.Context, targets, command []string, locked *lockfile.File, stdin io.Reader) error {
	p.compareWith(locked)
	needless := func(err error) bool { return errors.Is(err, ErrNoConfig) && (locked != nil || p.Change) }
	if len(command) > 0 {
		if err := p.command(command); err != nil {
			return err
		}
	}
	for _, t := range targets {
		if err := p.target(ctx, t, stdin); err != nil && !needless(err) {
			if _, missing := os.Stat(t); missing != nil || len(targets)+len(command) == 1 {
				return err
			}
			p.Inputs = append(p.Inputs, report.Input{Kind: "file", Name: t})
			p.skip(scanner.Origin{File: t, Line: 1, Column: 1}, "input not read: %v", err)
		}
	}
	if len(targets) == 0 && len(command) == 0 {
		if err := p.discover(".", true); err != nil && !needless(err) {
			return err
		}
	}
	p.keepLocked()
	p.launcherSettings()
	p.Unique()
	if p.Empty = p.Change && locked == nil && len(p.Inputs)+len(p.Targets)+len(p.elsewhere) == 0; p.Empty {
		p.ignore(scanner.Origin{}, "no client configuration and no lockfile found: the project has no servers")
	}
	return nil
}

// compareWith sets the lockfile of the plan; see Add.
func (p *Plan) compareWith(locked *lockfile.File) {
	p.lockfile, p.completeWithoutServers = locked, p.NoRun && locked == nil
	if p.NoRun && locked != nil {
		p.locked = locked.Servers
	}
}

// Allow removes the servers that must not start: with NoRun, all of them; otherwise, each
// configured server that ask refuses by returning a reason.
func (p *Plan) Allow(ctx context.Context, ask func(*servers.Target) (refused string)) {
	p.Targets = slices.DeleteFunc(p.Targets, func(t servers.Target) bool {
		refused := ""
		switch {
		case ctx.Err() != nil:
			refused = context.Cause(ctx).Error()
		case p.NoRun:
			p.leaveOut(t)
			return true
		case t.Foreign:
			refused = ask(&t)
		}
		if refused != "" {
			p.skip(t.Origin, "server %s not started: %s", t.Name, refused)
		}
		return refused != ""
	})
	p.lockedEvents()
	p.setApart()
	p.removed()
}

// command adds the server that a command starts.
func (p *Plan) command(command []string) error {
	entry := config.Server{Transport: "stdio", Command: command[0], Args: command[1:], CommandLine: true}
	t := servers.Target{Command: command, Written: entry}
	return p.server(t, t.Shown())
}

// url adds the server at a URL.
func (p *Plan) url(u string) error {
	entry := config.Server{Transport: "http", URL: u, Headers: p.Headers, CommandLine: true}
	return p.server(servers.Target{URL: u, Headers: p.Headers, Written: entry}, servers.BareURL(u))
}

// server adds a server that is in no configuration.
func (p *Plan) server(t servers.Target, shown string) error {
	name, err := p.known.Name(&t.Written)
	if err != nil {
		return err
	}
	if t.Name = name; name == "" {
		t.Name, t.Unnamed = servers.FallbackID(t.Written.Command, t.Written.Args, t.Written.URL), true
	} else if t.URL == "" {
		shown = name
	}
	t.Origin = servers.Endpoint(t.Name)
	p.Inputs = append(p.Inputs, report.Input{Kind: "server", Name: shown})
	p.add(t)
	return nil
}

// Config adds the servers in a client configuration to the plan.
func (p *Plan) Config(f *config.File) {
	p.Inputs = append(p.Inputs, report.Input{Kind: "config", Name: f.Path})
	p.configs[filepath.Clean(f.Path)] = true
	if !f.User && f.Project != "" {
		p.projects = append(p.projects, f.Project)
	}
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
	dir, workspace := StartDir(f), servers.WorkspaceOf(f)
	for i := range f.Entries {
		e, why := &f.Entries[i], ""
		expanded := workspace.Expand(*e)
		p.named = append(p.named, servers.CommandFiles(expanded.Command, expanded.Args, servers.Directory(dir, expanded.Cwd))...)
		if e.Found, why = p.disk.Find(&expanded, dir); why != "" {
			p.skip(at(e.Pos), "server %s: %s", e.Name, why)
		} else if e.Found.Digest == "" {
			p.absent(e, dir, at(e.Pos))
		}
		if !f.User {
			p.launchers(f, e)
		}
	}
	if len(f.Entries)+len(f.Settings) > 0 { // an empty configuration does not count as inspected
		p.Events = append(p.Events, &scanner.Event{Kind: scanner.ConfigEvent, Config: &f.ClientConfig, Origin: at(configfile.Position{})})
	}
	p.addEnvFiles(f)
	p.referenced(f)
	for _, s := range f.Entries {
		for _, problem := range s.Problems {
			p.skip(at(s.Pos), "server %s: %s", s.Name, problem)
		}
		if s.Disabled {
			p.ignore(at(s.Pos), "a server that is disabled in its configuration")
			continue
		}
		if locked := p.locked[s.Name]; locked != nil && len(locked.Entries) > 0 {
			p.useLocked(locked, baseline.IdentityOf(&s), at(s.Pos))
			continue
		}
		if s.Command == "" && s.URL == "" { // one of its problems says why
			continue
		}
		t, err := servers.AsWritten(s, dir, at(s.Pos))
		if !p.NoRun {
			t, err = servers.Configured(s, dir, at(s.Pos), workspace)
		}
		if err != nil {
			p.skip(at(s.Pos), "server %s not started: %v", s.Name, err)
		} else {
			p.add(t)
		}
	}
}

// add adds a server to list.
func (p *Plan) add(t servers.Target) {
	p.Targets = append(p.Targets, t)
	if len(t.Command) > 0 {
		p.named = append(p.named, servers.CommandFiles(t.Command[0], t.Command[1:], t.Dir)...)
	}
}

// useLocked records that a server is not started, that its locked definitions are inspected instead,
// and whether these may belong to another server.
func (p *Plan) useLocked(locked *lockfile.Server, now *baseline.Identity, at scanner.Origin) {
	last := locked.Identity.Last()
	switch {
	case last == nil:
		p.skip(at, "server %s not started (--no-run): the lockfile lacks its identity, so its locked definitions may belong to another server", locked.Name)
	case len(locked.Identity.Stale(now)) > 0:
		p.ignore(at, "not started (--no-run); checked its locked definitions, which belong to the previous server, not the configured one")
	case now.Resolved != "" && last.Resolved != "" && now.Resolved != last.Resolved:
		p.skip(at, "server %s not started (--no-run): its locked definitions belong to version %s, and version %s is installed here; run mcpscan lock --run-servers",
			locked.Name, text.Visible(last.Resolved, 200), text.Visible(now.Resolved, 200))
	case now.Digest != "" && last.Digest == "":
		p.skip(at, "server %s not started (--no-run): the lockfile lacks the digest of its executable, so its locked definitions may belong to another executable; run mcpscan lock --run-servers", locked.Name)
	default:
		p.ignore(at, "not started (--no-run); checked its locked definitions")
	}
}

func (p *Plan) ignore(at scanner.Origin, reason string) {
	p.Events = append(p.Events, &scanner.Event{Kind: scanner.IgnoredEvent, Reason: reason, Origin: at})
}

// leaveOut records that a server is not started because of --no-run. The run remains complete only if
// it is a scan without a lockfile.
func (p *Plan) leaveOut(t servers.Target) {
	switch {
	case p.completeWithoutServers:
		p.NotStarted++
		p.ignore(t.Origin, "not started (--no-run); tools not checked")
	case p.locked[t.Name] != nil:
		p.skip(t.Origin, "server %s not started (--no-run), and the lockfile has no definitions for it: %s", t.Name, t.Conceal(t.Shown()))
	case p.locked != nil:
		p.skip(t.Origin, "server %s not started (--no-run), and not in the lockfile: %s", t.Name, t.Conceal(t.Shown()))
	default:
		p.skip(t.Origin, "server %s not started (--no-run): %s", t.Name, t.Conceal(t.Shown()))
	}
}

func (p *Plan) skip(at scanner.Origin, format string, args ...any) {
	p.Events = append(p.Events, &scanner.Event{Kind: scanner.SkippedEvent, Reason: text.Mask(fmt.Sprintf(format, args...)), Origin: at})
}

// discover adds the configurations at their usual paths in a directory, its subdirectories and, if
// user is set, the user's directories. Those without servers are only counted. If it finds no
// configuration with servers, it returns an error, unless something could not be read.
func (p *Plan) discover(dir string, user bool) error {
	p.searched = true
	locations, missed := config.DiscoverBelow(Dirs(dir, user))
	found := 0
	for _, m := range missed {
		at := scanner.Origin{File: m.Path, Line: 1, Column: 1}
		if m.Separate {
			p.ignore(at, m.Why)
			continue
		}
		found++
		p.skip(at, "%s", m.Why)
	}
	for _, loc := range locations {
		if p.configs[filepath.Clean(loc.Path)] { // a plugin names it
			continue
		}
		data, err := p.read(loc.Path)
		if err != nil {
			found++
			p.skip(scanner.Origin{File: loc.Path, Line: 1, Column: 1}, "configuration not read: %v", err)
			continue
		}
		if loc.Extension() && len(replay.Manifests(data)) > 0 {
			found++
			at := scanner.Origin{File: loc.Path, Line: 1, Column: 1}
			if err := p.content(loc.Path, data, nil); err != nil {
				p.skip(at, "extension of Claude Desktop not read: %v", err)
			}
			p.ignore(at, "an extension of Claude Desktop: its manifest was checked, but its server was not started")
			continue
		}
		file, err := parseConfig(loc.Path, data)
		if errors.Is(err, config.ErrNotConfig) {
			if !config.Markdown(loc.Path) { // most agents and skills configure nothing
				p.ignore(scanner.Origin{File: loc.Path, Line: 1, Column: 1}, "a client configuration without servers")
			}
			continue
		}
		found++
		if err != nil {
			p.skip(brokenAt(loc.Path, err), "configuration not read: %v", err)
			continue
		}
		file.User, file.Project = loc.Scope != "project", loc.Project
		p.take(file)
	}
	if found == 0 {
		where := "in " + dir
		if user {
			where = "for this project and user"
		}
		return fmt.Errorf("%w %s; name a target, or add the command of a server after --", ErrNoConfig, where)
	}
	return nil
}

// brokenAt returns the position of a configuration's syntax error.
func brokenAt(path string, err error) scanner.Origin {
	at := scanner.Origin{File: path, Line: 1, Column: 1}
	if syntax, ok := errors.AsType[*config.SyntaxError](err); ok {
		at.Line, at.Column = max(syntax.Line, 1), max(syntax.Column, 1)
	}
	return at
}

// ErrNoConfig is the error for a directory without client configurations.
var ErrNoConfig = errors.New("no client configuration found")

// lockedEvents inserts events for the lockfile's entries before all other events, unless the
// lockfile is itself an input. The entry of a server that is listed is compared with the server,
// and gets an event only if the change under review edits the entry. Other entries get no event if
// the user named only individual servers.
func (p *Plan) lockedEvents() {
	f := p.lockfile
	if f == nil {
		return
	}
	alone := len(p.Inputs) > 0 && !slices.ContainsFunc(p.Inputs, func(in report.Input) bool { return in.Kind != "server" })
	again := p.reads(f.Path)
	if !again {
		p.Inputs = append(p.Inputs, report.Input{Kind: "lockfile", Name: f.Path})
	}
	if again {
		return
	}
	asked := map[string]bool{}
	for _, t := range p.Targets {
		asked[t.Name] = true
	}
	events := slices.DeleteFunc(f.Events(false), func(e *scanner.Event) bool {
		if asked[e.Server] {
			return p.before == nil || p.before.Same(f, e.Server)
		}
		return alone
	})
	p.Events = append(events, p.Events...)
}
