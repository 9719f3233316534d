package scanner

import (
	"slices"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/mcp"
)

// Approved returns the approved definitions of the event's server, nil if there are none. A
// lockfile is compared with the lockfile before it.
func (p *JudgePass) Approved() *Offer { return p.judge.approved(p.event) }

// Compared reports whether anything was approved that an event could be compared with.
func (p *JudgePass) Compared() bool { return p.judge.snapshot(p.event) != nil }

// Identity returns the identity of the event's server, nil if it is unknown. It comes from a
// configuration, see [ConfigPass], from a lockfile, or from a started server.
func (p *JudgePass) Identity() *baseline.Identity { return p.event.Identity }

// Written returns the configured identity of a started server, nil for other servers. The
// configuration event was compared with the approved identity already.
func (p *JudgePass) Written() *baseline.Identity {
	if p.event.Kind != StartedEvent {
		return nil
	}
	for _, c := range p.judge.entries.known[p.event.Server] {
		if !c.Entry.Disabled {
			return baseline.IdentityOf(c.Entry)
		}
	}
	return nil
}

// Configured reports whether a configuration of the run names the server.
func (p *JudgePass) Configured() bool { return len(p.judge.entries.known[p.event.Server]) > 0 }

// Expected reports whether a server is known to be meant: a configuration of the run names
// it, something of it was approved, or the user has declared it.
func (p *JudgePass) Expected(server string) bool {
	e := p.judge.engine
	return len(p.judge.entries.known[server]) > 0 || e.approved != nil && !e.pair && e.approved.Servers[server] != nil ||
		e.declared != nil && e.declared(server)
}

// Late reports that the time of the run is over. The event then counts as not inspected in
// full: a check that takes long ends where it is.
func (p *JudgePass) Late() bool {
	late := p.judge.engine.late()
	if out := &p.judge.out; late && !slices.Contains(out.Skips, outOfTime) {
		out.Skips = append(out.Skips, outOfTime)
	}
	return late
}

// Changed calls visit for each definition of the message that was approved as
// another one.
func (p *JudgePass) Changed(visit func(d *mcp.Definition, approved *Offered)) {
	offer := p.Approved()
	if offer == nil {
		return
	}
	for i := range p.Message.Definitions {
		d := &p.Message.Definitions[i]
		if was := offer.changed(d); was != nil {
			visit(d, was)
		}
	}
}

// Unapproved calls visit for each definition of the message that nobody approved in any form,
// although its server is known. pending is the definition if it was seen before, nil if it is
// new.
func (p *JudgePass) Unapproved(visit func(d *mcp.Definition, pending *Offered)) {
	offer := p.Approved()
	if offer == nil {
		return
	}
	for i := range p.Message.Definitions {
		d := &p.Message.Definitions[i]
		if was := offer.Definitions[d.Key()]; !d.Foreign && (was == nil || was.pending()) {
			visit(d, was)
		}
	}
}

// Missing calls visit for each definition that was approved, and that the list
// which the message ends does not have.
func (p *JudgePass) Missing(visit func(*Offered)) {
	offer := p.Approved()
	if offer == nil || p.Message.More || p.Message.Lists == ([mcp.MessageSubject]bool{}) {
		return
	}
	if len(p.Server.shown) >= maxShown {
		p.judge.coverage.skip("a server lists more definitions than the limit: missing approved ones are not reported", p.event.Origin)
		return
	}
	here := map[mcp.DefinitionKey]bool{}
	for i := range p.Message.Definitions {
		d := &p.Message.Definitions[i]
		here[d.Key()] = true
	}
	for _, key := range offer.Keys() {
		if p.Message.Lists[key.Kind] && !here[key] && !p.Server.shown[key] && !offer.Definitions[key].pending() {
			visit(offer.Definitions[key])
		}
	}
}

// Found returns the findings of the event in a definition that the approved definition did not
// have.
func (p *JudgePass) Found(d *mcp.Definition) []*Finding {
	name, approved := show(d.Name, nameChars), p.judge.snapshot(p.event)
	if !p.judge.reported(d.Kind, name) {
		return nil
	}
	var found []*Finding
	for i := range p.judge.found {
		f := &p.judge.found[i]
		if f.Subject == d.Kind && f.Name == name && (approved == nil || !approved.Knows(f)) {
			found = append(found, f)
		}
	}
	return found
}

// snapshot is what an event is compared with.
func (j *judge) snapshot(e *Event) *Snapshot {
	if e.Kind == LockEvent {
		return j.engine.base
	}
	return j.engine.approved
}

// approved returns the approved definitions of an event's server. For a pair, it is the first
// server that appears.
func (j *judge) approved(e *Event) *Offer {
	s := j.snapshot(e)
	if s == nil {
		return nil
	}
	if j.engine.pair && len(s.Servers) == 1 {
		if j.paired == e.Server {
			return s.Servers[s.Names()[0]]
		}
		return nil
	}
	return s.Servers[e.Server]
}

// pairs takes the first server that shows up for the one of a pair, whatever rules run.
func (j *judge) pairs(e *Event) {
	if !j.met {
		j.met, j.paired = true, e.Server
	}
}

// maxShown bounds the listed definitions remembered of a server, to report missing ones.
const maxShown = 4096

// show remembers which definitions a server has listed.
func (srv *Server) show(m *Message) {
	for i := range m.Definitions {
		d := &m.Definitions[i]
		if len(srv.shown) < maxShown {
			if srv.shown == nil {
				srv.shown = map[mcp.DefinitionKey]bool{}
			}
			srv.shown[d.Key()] = true
		}
	}
}
