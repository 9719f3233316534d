package scanner

import (
	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/mcp"
)

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
func (p *JudgePass) Says() baseline.Says {
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
