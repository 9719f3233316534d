package scanner

import (
	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/mcp"
)

// Approved returns the approved definitions for the event's server, or nil if there are none. For
// an entry of a lockfile, they come from the lockfile's previous version if the engine has it.
func (p *JudgePass) Approved() *Offer { return p.judge.approved(p.event) }

// ComparedWith names, for a finding's message, what the event is compared with: the lockfile or the
// older version. It returns "" if there is nothing to compare it with.
func (p *JudgePass) ComparedWith() string {
	switch {
	case p.judge.engine.snapshot(p.event) == nil:
		return ""
	case p.judge.engine.versions:
		return "the older version"
	}
	return "the lockfile"
}

// Identity returns the identity of the event's server, or nil if the identity is unknown. It comes
// from a lockfile, a started server or the manifest of a bundle. Identities in configurations are
// available through [ConfigPass].
func (p *JudgePass) Identity() *baseline.Identity { return p.event.Identity }

// ConfiguredIdentity returns the configured identity of a started server, or nil if there is none.
// The identity was compared with the approved one when the configuration was judged.
func (p *JudgePass) ConfiguredIdentity() *baseline.Identity {
	if p.event.Kind != StartedEvent || p.judge.engine.versions {
		return nil
	}
	for _, c := range p.judge.entries.known[p.event.Server] {
		if !c.Entry.Disabled {
			return baseline.IdentityOf(c.Entry)
		}
	}
	return nil
}

// Configured reports whether a configuration in this run names the server. It returns false if the
// run compares versions of servers, because that comparison ignores configurations.
func (p *JudgePass) Configured() bool {
	return len(p.judge.entries.known[p.event.Server]) > 0 && !p.judge.engine.versions
}

// Expected reports whether the user intends to use a server: a configuration in this run names
// it, the lockfile has an entry for it, or the user declared it.
func (p *JudgePass) Expected(server string) bool {
	e := p.judge.engine
	return len(p.judge.entries.known[server]) > 0 || e.approved != nil && !e.pair && e.approved.Servers[server] != nil ||
		e.options.Declared != nil && e.options.Declared(server)
}

// Late reports whether the run's time limit has passed. If so, the event counts as not fully
// inspected, and a slow check should stop.
func (p *JudgePass) Late() bool {
	late := p.judge.engine.options.Late()
	if out := &p.judge.out; late {
		out.Skips = once(out.Skips, outOfTime)
	}
	return late
}

// Changed invokes visit for each definition in the message that differs from its approved version.
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

// Unapproved invokes visit for each definition in the message that was never approved in any form,
// although its server is known. pending is the definition that was seen before and is still
// pending, or nil if it is new.
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

// Missing invokes visit for each approved definition that is missing from the list that this
// message completes.
func (p *JudgePass) Missing(visit func(*Offered)) {
	offer := p.Approved()
	if offer == nil || p.Message.More || p.Message.Lists == ([mcp.MessageSubject]bool{}) {
		return
	}
	if len(p.Server.shown) >= maxShown {
		p.judge.coverage.skip("a server lists more definitions than the limit: missing approved definitions are not reported", p.event.Origin)
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

// Found returns the findings in the text of a definition, except those that its approved version also
// had. Findings of judge rules are not included: they relate the definition to other messages, such as
// its first listing, and are not about what its text says.
func (p *JudgePass) Found(d *mcp.Definition) []*Finding {
	name, approved := show(d.Name, nameChars), p.judge.engine.snapshot(p.event)
	if !p.judge.reported(d.Kind, name) {
		return nil
	}
	var found []*Finding
	for i := range p.judge.found.all[:p.judge.found.own] {
		f := &p.judge.found.all[i]
		if f.Subject == d.Kind && f.Name == name && (approved == nil || !approved.Knows(f)) {
			found = append(found, f)
		}
	}
	return found
}

// snapshot returns the snapshot that an event is compared with.
func (e *Engine) snapshot(of *Event) *Snapshot {
	if of.Kind == LockEvent {
		return e.base
	}
	return e.approved
}

// offer returns the approved definitions for an event's server, or nil if there are none. An entry
// that the change under review adds to the lockfile is compared with the entry for the same server
// under another name: renaming a server must not hide its changes.
func (e *Engine) offer(of *Event) *Offer {
	s := e.snapshot(of)
	if s == nil {
		return nil
	}
	if o := s.Servers[of.Server]; o != nil || of.Kind != LockEvent || !e.revised {
		return o
	}
	if o := s.started[of.Identity.Key()]; o != nil {
		return o
	}
	return e.renamed[of.Server]
}

// approved returns the approved definitions for an event's server. When a pair of servers is
// compared, it returns the only approved server's definitions for the first server in the input,
// and nil for the others.
func (j *judge) approved(e *Event) *Offer {
	if s := j.engine.snapshot(e); s != nil && j.engine.pair && len(s.Servers) == 1 {
		if j.paired == e.Server {
			return s.Servers[s.Names()[0]]
		}
		return nil
	}
	return j.engine.offer(e)
}

// pairs remembers the first server in the input, for an engine that compares a pair of servers. It is
// called for every event, so that the choice does not depend on which rules run.
func (j *judge) pairs(e *Event) {
	if !j.met {
		j.met, j.paired = true, e.Server
	}
}

// maxShown bounds the listed definitions that are remembered per server for reporting missing ones.
const maxShown = 4096

// show remembers which definitions a server has listed.
func (srv *Server) show(m *Message) {
	for i := range m.Definitions {
		if len(srv.shown) < maxShown {
			set(&srv.shown, m.Definitions[i].Key(), true)
		}
	}
}

// ApprovedInChange returns the approval that the change under review gave to a definition in a
// lockfile, or nil if there is none. An approval that the previous lockfile already contains does
// not count, because it was not given in this change.
func (p *JudgePass) ApprovedInChange(d *mcp.Definition) *baseline.Approval {
	if p.event.Kind != LockEvent || d.Status != "approved" {
		return nil
	}
	var before *baseline.Approval
	if offer := p.Approved(); offer != nil {
		if was := offer.Definitions[d.Key()]; was != nil {
			before = was.Approval
		}
	}
	if !d.Approval.MadeSince(before) {
		return nil
	}
	return d.Approval
}

// IdentityApprovedInChange is like ApprovedInChange, but for the server's identity.
func (p *JudgePass) IdentityApprovedInChange() *baseline.Approval {
	locked := p.event.Locked
	if p.event.Kind != LockEvent || locked == nil || locked.Waits() {
		return nil
	}
	var before *baseline.Approval
	if offer := p.Approved(); offer != nil && offer.Locked != nil {
		before = offer.Locked.Approval
	}
	if !locked.Approval.MadeSince(before) {
		return nil
	}
	return locked.Approval
}

// Trusted reports whether the settings let mcpscan lock approve new definitions of the event's server.
func (p *JudgePass) Trusted() bool {
	trusted := p.judge.engine.options.Trusted
	return trusted != nil && trusted(p.event.Server)
}

// Locked returns the locked identity of the event's server, or nil if the lockfile has none.
func (p *JudgePass) Locked() *baseline.LockedIdentity {
	if p.event.Kind == LockEvent {
		return p.event.Locked
	}
	if offer := p.Approved(); offer != nil {
		return offer.Locked
	}
	return nil
}
