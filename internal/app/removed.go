package app

import (
	"fmt"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/scanner"
)

// setApart gives a session of its own to each locked server that no configuration enables: its
// definitions are inspected, but it does not count as present beside the configured servers. Without any
// configuration, the lockfile alone says which servers there are.
func (p *Plan) setApart() {
	if len(p.configs) == 0 {
		return
	}
	enabled := p.names(enabled)
	for _, e := range p.Events {
		if e.Kind == scanner.LockEvent && !enabled[e.Server] {
			e.Session += ": " + e.Server
		}
	}
}

// removed lists the servers that are only in the lockfile: somebody may have removed their
// configuration. It adds an event for each server that the change under review removes from the lockfile
// and that no configuration names. A run over individual files does not know all configurations.
func (p *Plan) removed() {
	if !p.searched {
		return
	}
	configured, locked := p.configured(), map[string]bool{}
	at := scanner.Location{}
	if p.lockfile != nil {
		at = scanner.Location{File: p.lockfile.Path, Line: 1, Column: 1}
		for _, name := range p.lockfile.Names() {
			locked[name] = true
			if place := p.lockfile.Servers[name].Place; !configured[name] {
				p.ignore(scanner.Origin{File: place.File, Line: place.Line, Column: place.Column},
					fmt.Sprintf("server %q is in the lockfile, but in no configuration; to remove its entry and approvals, run: %s", name, ResetCommand(p.lockfile.Path, name)))
			}
		}
	}
	if p.before == nil {
		return
	}
	for _, name := range p.before.Names() {
		if at := at; !locked[name] && !configured[name] {
			if p.lockfile == nil {
				at = p.before.Servers[name].Place
				at.File = p.before.Path // without the path of the base tree
			}
			p.Events = append(p.Events, RemovedEvent(name, at))
		}
	}
}

// configured returns the names of the servers in the configurations.
func (p *Plan) configured() map[string]bool {
	return p.names(func(*configfile.Entry) bool { return true })
}

// Enabled returns the names of the servers that configurations enable, or nil if the run does not know
// all configurations.
func (p *Plan) Enabled() map[string]bool {
	if !p.searched {
		return nil
	}
	return p.names(enabled)
}

func enabled(e *configfile.Entry) bool { return !e.Disabled }

func (p *Plan) names(of func(*configfile.Entry) bool) map[string]bool {
	names := map[string]bool{}
	for _, event := range p.Events {
		if event.Kind != scanner.ConfigEvent {
			continue
		}
		for i := range event.Config.Entries {
			if e := &event.Config.Entries[i]; of(e) {
				names[e.Name] = true
			}
		}
	}
	return names
}

// RemovedEvent returns an event that reports the removal of a server; at is where to report it.
func RemovedEvent(server string, at scanner.Location) *scanner.Event {
	origin := scanner.Origin{File: at.File, Line: at.Line, Column: at.Column}
	return &scanner.Event{Kind: scanner.RemovedEvent, Session: "lockfile", Server: server, Origin: origin}
}
