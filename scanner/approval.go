package scanner

import (
	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/mcp"
)

// ApprovedInChange returns the approval that the change under review gave to a definition in a
// lockfile, or nil if there is none. An approval that is already in the previous lockfile was
// given to another definition.
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
