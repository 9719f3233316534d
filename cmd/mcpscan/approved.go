package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"

	"github.com/mcpscan/mcpscan/internal/lockfile"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/scanner"
)

// lockFlags selects the approved definitions.
type lockFlags struct {
	Lockfile  string `help:"Approved definitions to compare with; default: mcpscan.lock in the working directory, if it exists." placeholder:"FILE"`
	Base      string `help:"The lockfile before the change under review, or a directory with the files of the commit before it. Reports changes to the lockfile; if PATH is a directory, mcpscan uses its versions of the configuration, policies and baseline." placeholder:"PATH"`
	Approvals string `help:"Whether approvals made in the lockfile by the change under review settle drift: accept, ignore." default:"accept" enum:"accept,ignore"`
}

// approved holds the definitions that a run compares with.
type approved struct {
	offers *scanner.Snapshot // nil if nothing is compared
	base   *scanner.Snapshot
	file   *lockfile.File // nil if there is none
	files  []string
}

// over returns an engine that compares with the approved definitions, if there are any.
func (a *approved) over(engine *scanner.Engine) *scanner.Engine {
	if a.offers == nil {
		return engine
	}
	return engine.Against(a.offers, a.base, false)
}

// against reads the lockfiles with the engine's rules and returns the definitions to compare with.
// A requested lockfile that does not exist approves nothing.
func (f *lockFlags) against(ctx context.Context, engine *scanner.Engine) (*approved, error) {
	a := &approved{}
	name := cmp.Or(f.Lockfile, lockfile.Name)
	now, err := lockfile.Load(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && f.Lockfile == "" && f.baseLock(name) == "":
		return a, nil
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, &exitError{exitUsage, err}
	default:
		a.file = now
		a.files = append(a.files, name)
	}
	if a.offers, err = offersOf(ctx, engine, now); err != nil {
		return nil, err
	}
	if base := f.baseLock(name); base != "" {
		before, err := lockfile.Load(base)
		if err != nil {
			return nil, &exitError{exitUsage, err}
		}
		a.files = append(a.files, base)
		if tree := f.tree(); tree.holds(name) { // the location of the tree differs from run to run
			before.Path = path.Join("base", filepath.ToSlash(name))
		}
		if a.base, err = offersOf(ctx, engine, before); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// offersOf returns the definitions that a lockfile approves.
func offersOf(ctx context.Context, engine *scanner.Engine, f *lockfile.File) (*scanner.Snapshot, error) {
	offers := scanner.NewSnapshot()
	_, err := engine.Keeping().Run(context.WithoutCancel(ctx), replay.Events(f.Events(true)), offers)
	return offers, err
}

// known returns the lockfile's servers, or nil if there is no lockfile.
func (a *approved) known() map[string]*lockfile.Server {
	if a.file == nil {
		return nil
	}
	return a.file.Servers
}

// toolsByServer returns the servers of mcpscan.lock with their tools, or nil if no lockfile can be
// read.
func toolsByServer() map[string][]string {
	f, err := lockfile.Load(lockfile.Name)
	if err != nil {
		return nil
	}
	return (&approved{file: f}).tools(nil)
}

// servers returns the servers that the policy declares.
func (c *checks) servers() (ids []string) {
	if p := c.triage.Settings.Policy; p != nil {
		for _, d := range p.Servers {
			ids = append(ids, d.ID)
		}
	}
	return ids
}

// tools returns the known servers, with the tools of those in the lockfile. They are used to split
// a name in a transcript into server and tool.
func (a *approved) tools(declared []string) map[string][]string {
	all := map[string][]string{}
	for _, server := range declared {
		all[server] = nil
	}
	for name, server := range a.known() {
		tools := []string{}
		for key := range server.Entries {
			if key.Kind == mcp.ToolSubject {
				tools = append(tools, key.Name)
			}
		}
		slices.Sort(tools)
		all[name] = tools
	}
	return all
}

// events returns the events of the lockfile's servers that are not started. There are none if the
// user named only individual servers, or if the lockfile is itself an input.
func (a *approved) events(p *plan) (events []*scanner.Event) {
	if a.file == nil {
		return nil
	}
	alone := len(p.inputs) > 0 && !slices.ContainsFunc(p.inputs, func(in report.Input) bool { return in.Kind != "server" })
	again := p.reads(a.file.Path)
	if !again {
		p.inputs = append(p.inputs, report.Input{Kind: "lockfile", Name: a.file.Path})
	}
	asked := map[string]bool{}
	for _, t := range p.targets {
		asked[t.name] = true
	}
	for _, e := range a.file.Events(false) {
		if !asked[e.Server] && !again && !alone {
			events = append(events, e)
		}
	}
	return events
}
