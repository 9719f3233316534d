package scanner

import "time"

// Approval says who approved something, when and why.
type Approval struct {
	By     string
	At     time.Time
	Reason string
}

// Automatic approvers: for a server that is locked for the first time, and for a new
// definition of a server that the settings trust.
const (
	FirstUse = "first-use"
	Auto     = "auto"
)

// stated reports an approval that somebody gave, with a reason.
func (a *Approval) stated() bool {
	return a != nil && a.By != "" && a.By != FirstUse && a.By != Auto && a.Reason != "" && !a.At.IsZero()
}

// madeSince reports an approval that somebody gave with a reason, and that was not there
// before.
func (a *Approval) madeSince(before *Approval) bool {
	return a.stated() && (before == nil || a.By != before.By || a.Reason != before.Reason || !a.At.Equal(before.At))
}

// RewrittenAs reports whether somebody replaced this approval. Adding a reason later is
// allowed; no other change happens on its own.
func (a *Approval) RewrittenAs(now *Approval) bool {
	if a == nil || now == nil || a.By == now.By && a.Reason == now.Reason && a.At.Equal(now.At) {
		return false
	}
	return a.Reason != "" || a.By == FirstUse || a.By == Auto || !now.stated()
}

// ApprovedInChange returns the approval of a definition of a lockfile that the change
// under review made, nil where it made none. An approval that the lockfile before the
// change has already was given to another definition.
func (p *JudgePass) ApprovedInChange(d *Definition) *Approval {
	if p.event.Kind != LockEvent || d.Status != "approved" {
		return nil
	}
	var before *Approval
	if offer := p.Approved(); offer != nil {
		if was := offer.Definitions[DefinitionKey{d.Kind, d.Name}]; was != nil {
			before = was.Approval
		}
	}
	if !d.Approval.madeSince(before) {
		return nil
	}
	return d.Approval
}

// IdentityApprovedInChange is ApprovedInChange for the server's identity.
func (p *JudgePass) IdentityApprovedInChange() *Approval {
	locked := p.event.Locked
	if p.event.Kind != LockEvent || locked == nil || locked.Waits() {
		return nil
	}
	var before *Approval
	if offer := p.Approved(); offer != nil && offer.Locked != nil {
		before = offer.Locked.Approval
	}
	if !locked.Approval.madeSince(before) {
		return nil
	}
	return locked.Approval
}

// Locked returns the locked identity of the event's server, nil if the lockfile has none.
func (p *JudgePass) Locked() *LockedIdentity {
	if p.event.Kind == LockEvent {
		return p.event.Locked
	}
	if offer := p.Approved(); offer != nil {
		return offer.Locked
	}
	return nil
}
