package scanner

import (
	"maps"
	"slices"
)

// Says lists what a lockfile says about a server besides its definitions, by the names of
// members, such as identity.digest. Missing data is compared with nothing, so removing a
// member hides a change: that is why missing members are compared separately.
type Says map[string]bool

// Lacks returns what other tells and s does not, in order.
func (s Says) Lacks(other Says) (absent []string) {
	for _, name := range slices.Sorted(maps.Keys(other)) {
		if other[name] && !s[name] {
			absent = append(absent, name)
		}
	}
	return absent
}

// Says returns the data that an identity has. It includes the members whose absence on one
// side [Identity.Differences] ignores.
func (id *Identity) Says() Says {
	says := Says{}
	if id == nil {
		return says
	}
	says["identity"] = true
	for _, member := range []struct{ name, value string }{{"transport", id.Transport}, {"resolved", id.Resolved},
		{"integrity", id.Integrity}, {"executable", id.Executable}, {"digest", id.Digest}} {
		if member.value != "" {
			says["identity."+member.name] = true
		}
	}
	if id.Exact {
		says["identity.exact"] = true
	}
	return says
}

// Before returns the server in the lockfile before the change under review, nil if there is
// none.
func (p *JudgePass) Before() *Offer {
	switch base := p.judge.engine.base; {
	case p.event.Kind == LockEvent:
		return p.Approved()
	case base != nil:
		return base.Servers[p.event.Server]
	}
	return nil
}

// Says returns what the lockfile says about the server of the event, nil if the lockfile does
// not have it.
func (p *JudgePass) Says() Says {
	if p.event.Kind == LockEvent {
		return p.event.Says
	}
	if offer := p.Approved(); offer != nil {
		return offer.Says
	}
	return nil
}

// LockedBefore returns a server in the lockfile before the change under review, nil if there
// is none, for Configs.
func (p *ConfigPass) LockedBefore(name string) *Offer {
	if p.judge.engine.base == nil {
		return nil
	}
	return p.judge.engine.base.Servers[name]
}

// TakenOut calls visit for each definition that the lockfile before the change under review
// has as approved and as listed, and that the lockfile does not have, or does not have as
// approved. left is how many definitions of the server the lockfile has.
func (p *JudgePass) TakenOut(visit func(was *Offered, absent bool)) (left int) {
	here := p.lockedDefinitions()
	before := p.Before()
	if before == nil {
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

// lockedDefinitions are those that the lockfile has of the server of the event.
func (p *JudgePass) lockedDefinitions() map[DefinitionKey]*Definition {
	here := map[DefinitionKey]*Definition{}
	if p.event.Kind == LockEvent {
		for i := range p.Message.Definitions {
			d := &p.Message.Definitions[i]
			here[DefinitionKey{d.Kind, d.Name}] = d
		}
	} else if offer := p.Approved(); offer != nil {
		for key, d := range offer.Definitions {
			here[key] = d.Definition
		}
	}
	return here
}
