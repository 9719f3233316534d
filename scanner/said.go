package scanner

import (
	"maps"
	"slices"
)

// Says is what an entry of a lockfile reports its server beside the definitions, by the
// names of its members, such as identity.digest. What it does not tell is compared with
// nothing, so who takes a member out hides a change: what is absent is compared by itself.
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

// Says returns what an identity tells. Of its members it has those in which a comparison of
// values knows no difference where one side has none: see [Identity.Differences].
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

// Before returns what the lockfile before the change under review has of the server of the
// event, nil where it has none or there is no such lockfile.
func (p *JudgePass) Before() *Offer {
	switch base := p.judge.engine.base; {
	case p.event.Kind == LockEvent:
		return p.Approved()
	case base != nil:
		return base.Servers[p.event.Server]
	}
	return nil
}

// Says returns what the lockfile says about the server of the event, nil where no lockfile
// has the server.
func (p *JudgePass) Says() Says {
	if p.event.Kind == LockEvent {
		return p.event.Says
	}
	if offer := p.Approved(); offer != nil {
		return offer.Says
	}
	return nil
}

// LockedBefore returns what the lockfile before the change under review has of a server, nil
// where it has none or there is no such lockfile, for Configs.
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
