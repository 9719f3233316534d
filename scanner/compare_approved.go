package scanner

import "github.com/mcpscan/mcpscan/internal/mcp"

// ComparePass is the input of a rule's Compare check: a definition and the approved definition with
// the same name.
type ComparePass struct {
	Definition *mcp.Definition
	Approved   *Offered
	Offer      *Offer // the offer that contains Approved
	Message    *Message

	in *Inspector
}

// Late reports whether the run's time limit has passed.
func (p *ComparePass) Late() bool { return p.in.late() }

// Comparison returns the result of the Compare check for a definition in the message, or nil if the
// check did not run.
func (p *JudgePass) Comparison(d *mcp.Definition) any { return p.Message.compared[d.Offset] }

// compare compares the event's definitions with the approved ones. It leaves comparisons of a pair
// of servers to Judge, because only Judge knows which servers form the pair.
func (in *Inspector) compare() {
	offer := in.engine.offer(in.event)
	if in.engine.compare == nil || in.engine.pair || offer == nil {
		return
	}
	for i := range in.facts.Messages {
		m := &in.facts.Messages[i]
		for k := range m.Definitions {
			if was := offer.changed(&m.Definitions[k]); was != nil {
				in.compareOne(m, &m.Definitions[k], was, offer)
			}
		}
	}
}

// compareOne runs the Compare check on a definition. If the rule panics here, it also panics
// in Judge, which reports the panic.
func (in *Inspector) compareOne(m *Message, d *mcp.Definition, was *Offered, offer *Offer) {
	defer func() { _ = recover() }()
	if result := in.engine.compare.Compare(&ComparePass{d, was, offer, m, in}); result != nil {
		set(&m.compared, d.Offset, result)
	}
}

// changed returns the approved definition with the same name if it differs, or nil.
func (o *Offer) changed(d *mcp.Definition) *Offered {
	was := o.Definitions[d.Key()]
	if was == nil || was.pending() || was.Digest == d.Digest || d.Foreign {
		return nil
	}
	return was
}
