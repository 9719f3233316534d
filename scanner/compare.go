package scanner

import "github.com/mcpscan/mcpscan/internal/mcp"

// ComparePass is the input of a rule's Compare check: a definition, and the one approved under
// its name.
type ComparePass struct {
	Definition *mcp.Definition
	Approved   *Offered
	Offer      *Offer // that it was approved in
	Message    *Message

	in *Inspector
}

// Late reports that the time of the run is over.
func (p *ComparePass) Late() bool { return p.in.late() }

// Comparison returns what the rule's Compare check returned for a definition of the message,
// nil if it did not run.
func (p *JudgePass) Comparison(d *mcp.Definition) any { return p.Message.compared[d.Offset] }

// compare compares the definitions of the event with the approved ones. For a pair of servers
// Judge does it, because only Judge knows which of them are compared.
func (in *Inspector) compare() {
	snapshot := in.engine.approved
	if in.event.Kind == LockEvent {
		snapshot = in.engine.base
	}
	if in.engine.compare == nil || in.engine.pair || snapshot == nil || snapshot.Servers[in.event.Server] == nil {
		return
	}
	offer := snapshot.Servers[in.event.Server]
	for i := range in.facts.Messages {
		m := &in.facts.Messages[i]
		for k := range m.Definitions {
			if was := offer.changed(&m.Definitions[k]); was != nil {
				in.compareOne(m, &m.Definitions[k], was, offer)
			}
		}
	}
}

// compareOne has a definition compared. A rule that panics does so again in Judge, which
// reports it.
func (in *Inspector) compareOne(m *Message, d *mcp.Definition, was *Offered, offer *Offer) {
	defer func() { _ = recover() }()
	if result := in.engine.compare.Compare(&ComparePass{d, was, offer, m, in}); result != nil {
		if m.compared == nil {
			m.compared = map[int]any{}
		}
		m.compared[d.Offset] = result
	}
}

// changed returns the approved definition of the same name if it differs, or nil.
func (o *Offer) changed(d *mcp.Definition) *Offered {
	was := o.Definitions[d.Key()]
	if was == nil || was.pending() || was.Digest == d.Digest || d.Foreign {
		return nil
	}
	return was
}
