package app

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/lockfile"
	"github.com/mcpscan/mcpscan/scanner"
)

// A scan of a repository with several projects compares each server with the nearest lockfile above its
// configuration. Servers of different projects can have the same name, so each lockfile has a plan and
// checks of its own, and only the report is common.

// Divide makes the plan leave configurations to the lockfiles of their own projects. The checks are
// those of the plan's lockfile.
func (p *Plan) Divide(c *Checks) { p.nearest, p.elsewhere = c.Nearest, map[string][]*config.File{} }

// take adds a client configuration, unless it belongs to another lockfile.
func (p *Plan) take(f *config.File) {
	if p.nearest != nil {
		if other := p.nearest(f); other != "" {
			p.elsewhere[other] = append(p.elsewhere[other], f)
			return
		}
	}
	p.Config(f)
}

// keepLocked takes back the configurations of a project if they name a server that the plan's lockfile
// has, or had before the change under review, and that no configuration of the plan names. Otherwise, a new
// lockfile in a subdirectory could replace the approvals of the one above it.
func (p *Plan) keepLocked() {
	configured := p.configured()
	locked := func(name string) bool {
		return p.lockfile != nil && p.lockfile.Servers[name] != nil || p.before != nil && p.before.Servers[name] != nil
	}
	for _, other := range p.Projects() {
		files := p.elsewhere[other]
		if !slices.ContainsFunc(files, func(f *config.File) bool {
			return slices.ContainsFunc(f.Entries, func(e config.Server) bool { return locked(e.Name) && !configured[e.Name] })
		}) {
			continue
		}
		delete(p.elsewhere, other)
		p.addFiles(files)
	}
}

// Projects lists the lockfiles to which the plan left configurations.
func (p *Plan) Projects() []string { return slices.Sorted(maps.Keys(p.elsewhere)) }

// AddProject adds the configurations that another plan left to a lockfile, which is nil if the change
// under review removed it.
func (p *Plan) AddProject(from *Plan, name string, locked *lockfile.File) {
	p.compareWith(locked)
	p.searched, p.project = from.searched, filepath.ToSlash(filepath.Dir(name))
	p.addFiles(from.elsewhere[name])
	p.launcherSettings()
	p.Unique()
}

// addFiles adds configurations, except for those that a plugin among them names.
func (p *Plan) addFiles(files []*config.File) {
	for _, f := range files {
		if !p.configs[filepath.Clean(f.Path)] {
			p.Config(f)
		}
	}
}

// PrefixSessions returns a sink that, for a plan of one project, prefixes the names of sessions with the
// project's directory, so that equal findings in two projects remain two findings.
func (p *Plan) PrefixSessions(s scanner.Sink) scanner.Sink {
	if p.project == "" {
		return s
	}
	return prefixed{s, p.project}
}

type prefixed struct {
	scanner.Sink
	project string
}

func (a prefixed) Event(e *scanner.Event, out *scanner.Outcome) error {
	named := *e
	named.Session = a.session(e.Session)
	return a.Sink.Event(&named, out)
}

func (a prefixed) Finding(f *scanner.Finding) error {
	named := *f
	named.Session = a.session(f.Session)
	return a.Sink.Finding(&named)
}

func (a prefixed) session(name string) string { return strings.TrimSuffix(a.project+": "+name, ": ") }
