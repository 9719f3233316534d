package scanner

import (
	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/mcp"
)

// Before returns the event's server as recorded in the lockfile before the change under review, or
// nil if it was not recorded.
func (p *JudgePass) Before() *Offer {
	switch base := p.judge.engine.base; {
	case p.event.Kind == LockEvent:
		return p.Approved()
	case base != nil:
		return base.Servers[p.event.Server]
	}
	return nil
}

// Revises reports whether the event is a lockfile that is compared with its previous version, and not
// with another lockfile, whose approvals are independent.
func (p *JudgePass) Revises() bool { return p.event.Kind == LockEvent && p.judge.engine.revised }

// Change reports whether the run judges a change to a lockfile whose previous version is known.
func (p *JudgePass) Change() bool { return p.judge.engine.revised }

// LockedMembers returns the members, other than definitions, of the lockfile's entry for the event's server,
// or nil if there is no entry.
func (p *JudgePass) LockedMembers() baseline.Members {
	if p.event.Kind == LockEvent {
		return p.event.Members
	}
	if offer := p.Approved(); offer != nil {
		return offer.Members
	}
	return nil
}

// LockedBefore returns the named server as recorded in the lockfile before the change under review,
// or nil if it was not recorded. It is for Configs checks.
func (p *ConfigPass) LockedBefore(name string) *Offer {
	if p.judge.engine.base == nil {
		return nil
	}
	return p.judge.engine.base.Servers[name]
}

// IdentityApprovedInChange returns the approval that the change under review gives to the identity of
// the named server in the lockfile, or nil if there is none. An approval that any server had before the
// change does not count, because mcpscan lock copies it when a server is renamed. Configs checks use it.
func (p *ConfigPass) IdentityApprovedInChange(name string) *baseline.Approval {
	offer, _ := p.Approved(name)
	if offer == nil || offer.Locked == nil || offer.Locked.Waits() || p.judge.engine.base == nil || !offer.Locked.Approval.MadeSince(nil) {
		return nil
	}
	for _, before := range p.judge.engine.base.Servers {
		if before.Locked != nil && offer.Locked.Approval.Equal(before.Locked.Approval) {
			return nil
		}
	}
	return offer.Locked.Approval
}

// Withdrawn invokes visit for each definition that was approved before the change under review but
// is now unapproved or, although the server listed it, missing from the lockfile. left is the
// number of the server's definitions in the current lockfile.
func (p *JudgePass) Withdrawn(visit func(was *Offered, absent bool)) (left int) {
	here := p.lockedDefinitions()
	before := p.Before()
	if before == nil || before.Renamed {
		return len(here)
	}
	for _, key := range before.Keys() {
		was, now := before.Definitions[key], here[key]
		switch {
		case was.Approval == nil:
		case now == nil && !was.Unlisted:
			visit(was, true)
		case now != nil && now.Approval == nil:
			visit(was, false)
		}
	}
	return len(here)
}

// lockedDefinitions returns the definitions of the event's server in the lockfile.
func (p *JudgePass) lockedDefinitions() map[mcp.DefinitionKey]*mcp.Definition {
	here := map[mcp.DefinitionKey]*mcp.Definition{}
	if p.event.Kind == LockEvent {
		for i := range p.Message.Definitions {
			d := &p.Message.Definitions[i]
			here[d.Key()] = d
		}
	} else if offer := p.Approved(); offer != nil {
		for key, d := range offer.Definitions {
			here[key] = d.Definition
		}
	}
	return here
}
