package scanner

import (
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/internal/mcp"
)

// Withheld is a definition that the client must not see: whoever forwards the message removes
// it, see [Outcome.Rewrite]. A call of it is refused for the same reason.
type Withheld struct {
	Kind     mcp.SubjectKind
	Name     string
	Message  int    // place of its message in Outcome.Messages
	Index    int    // in the list that it stands in, from 0; -1 for the instructions of a server
	Pointer  string // JSON Pointer from the root of the frame
	Cause    Cause
	Decision Decision

	offset int // in the frame, from its first value on
}

// Cause is why a definition is withheld.
type Cause uint8

// The causes.
const (
	notWithheld Cause = iota
	poisonedDefinition
	pendingDefinition // nobody has approved it
	changedDefinition // another one was trusted under its name
	DeniedDefinition  // by the policy, whatever it is called with
	unjudgedDefinition
)

var causeNames = [...]string{"", "poisoned", "pending", "changed", "denied", "not inspected"}

func (c Cause) String() string { return causeNames[c] }

// pinRule is the rule that refuses calls of tools that are not as they were trusted. Where
// it runs, definitions are withheld for that as well.
const pinRule = "version-pin"

// maxWithheld bounds the withheld definitions that are remembered. Beyond it every call of
// the server is refused.
const maxWithheld = 65536

// withheldKey is a definition of a server; without a kind it means all of them.
type withheldKey struct {
	server string
	mcp.DefinitionKey
}

// withholding is the state by which a judge of open connections refuses calls.
type withholding struct {
	refused map[withheldKey]Decision
	blocked map[mcp.DefinitionKey]*Finding   // of the message at hand: the first that blocks, by what it is about
	partial bool                             // there may have been more to find than was kept
	listed  map[mcp.DefinitionKey]mcp.Digest // by the message at hand, the first of a name
}

// withhold decides which definitions of the message are withheld, and refuses requests for
// withheld ones.
func (j *judge) withhold(p *JudgePass, i int) {
	m, server := p.Message, p.Server.ID
	if p.Direction == mcp.ClientToServer {
		j.refuseWithheld(p)
		return
	}
	if m.Kind != mcp.Document && (p.event.Kind != FrameEvent || m.Kind != mcp.Response) {
		return
	}
	w := j.withholding
	for k := range m.Definitions {
		delete(w.refused, withheldKey{server, mcp.DefinitionKey{Kind: m.Definitions[k].Kind, Name: m.Definitions[k].Name}})
	}
	j.block(i)
	clear(w.listed)
	for k := range m.Definitions {
		d := &m.Definitions[k]
		cause, decision := j.cause(p, d)
		if cause == notWithheld {
			continue
		}
		j.out.Withheld = append(j.out.Withheld, Withheld{Kind: d.Kind, Name: d.Name, Message: i, Cause: cause, Decision: decision, offset: d.Offset})
		key := withheldKey{server, d.Key()}
		if _, known := w.refused[key]; !known && len(w.refused) >= maxWithheld {
			key = withheldKey{server: server}
			decision.Reason = "more withheld definitions of the server than the limit"
		}
		w.refused[key] = decision
	}
	j.refuseUnmatched(p, i)
}

// refuseWithheld refuses a request for a withheld definition.
func (j *judge) refuseWithheld(p *JudgePass) {
	m, kind := p.Message, mcp.NoSubject
	switch m.Method {
	case "tools/call":
		kind = mcp.ToolSubject
	case "prompts/get":
		kind = mcp.PromptSubject
	case "resources/read", "resources/subscribe":
		kind = mcp.ResourceSubject
	default:
		return
	}
	for _, key := range [...]withheldKey{{p.Server.ID, mcp.DefinitionKey{Kind: kind, Name: m.Target}}, {server: p.Server.ID}} {
		if d, ok := j.withholding.refused[key]; ok {
			p.Decide(d)
			return
		}
	}
}

// block looks for the findings about definitions of a message for which the user blocks.
func (j *judge) block(message int) {
	w := j.withholding
	clear(w.blocked)
	w.partial = !j.whole || j.kept >= j.most || len(j.out.Skips) > 0
	if j.engine.blocks == nil {
		return
	}
	own := len(j.found) - j.kept // those of the session follow, whichever message they are of
	for k := range j.found {
		f := &j.found[k]
		if !f.Subject.Definition() || k < own && f.message != message || !j.engine.blocks(f) {
			continue
		}
		key := mcp.DefinitionKey{Kind: f.Subject, Name: f.Name}
		if f.Subject == mcp.ServerSubject && !strings.HasPrefix(f.Pointer, "/instructions") {
			key.Name = f.Pointer
		}
		if w.blocked[key] == nil {
			w.blocked[key] = f
		}
	}
}

// refuseUnmatched refuses a poisoned message from which no definition can be removed: the text
// is elsewhere in a list, or in what a server says about itself.
func (j *judge) refuseUnmatched(p *JudgePass, message int) {
	if len(j.withholding.blocked) == 0 {
		return
	}
	taken := map[mcp.DefinitionKey]bool{}
	for k := range p.Message.Definitions {
		taken[shownKey(&p.Message.Definitions[k])] = true
	}
	for k := range j.found[:len(j.found)-j.kept] { // in their order, so that the first decides
		f := &j.found[k]
		for key, by := range j.withholding.blocked {
			if f == by && f.message == message && !taken[key] {
				p.Decide(poisonedBy(f))
			}
		}
	}
}

// shownKey is the key by which findings name a definition.
func shownKey(d *mcp.Definition) mcp.DefinitionKey {
	return mcp.DefinitionKey{Kind: d.Kind, Name: show(d.Name, nameChars)}
}

func poisonedBy(f *Finding) Decision {
	return Decision{Verdict: Block, Check: OutputCheck, Rule: f.Rule.ID, Reason: f.Message}
}

// cause returns why a definition of the message at hand is withheld, and the decision that
// counts: that of the first step of the chain that refuses.
func (j *judge) cause(p *JudgePass, d *mcp.Definition) (cause Cause, decision Decision) {
	take := func(c Cause, by Decision) {
		if by.Verdict == Block && by.over(&decision) {
			cause, decision = c, by
		}
	}
	if w := j.withholding; len(w.blocked) > 0 {
		if f := w.blocked[shownKey(d)]; f != nil {
			take(poisonedDefinition, poisonedBy(f))
		} else if w.partial {
			take(unjudgedDefinition, Decision{Verdict: Block, Check: OutputCheck, Reason: "the message was not inspected in full, and something else in it is poisoned"})
		}
	}
	take(j.unpinned(p, d))
	take(DeniedDefinition, j.denied(p, d))
	return cause, decision
}

// unpinned decides about a definition by the one trusted under its name.
func (j *judge) unpinned(p *JudgePass, d *mcp.Definition) (Cause, Decision) {
	if !j.engine.pins || j.engine.pinning.OnChange != Block || d.Foreign {
		return notWithheld, Decision{}
	}
	key := d.Key()
	first, twice := j.withholding.listed[key]
	if !twice {
		j.withholding.listed[key] = d.Digest
	}
	trust, _ := p.trust(d.Kind, d.Name, d)
	refuse := func(c Cause, format string) (Cause, Decision) {
		return c, Decision{Verdict: Block, Check: PinCheck, Rule: pinRule, Reason: fmt.Sprintf(format, d.Kind, show(d.Name, nameChars), show(p.Server.ID, nameChars))}
	}
	switch {
	case trust == Unpinned && j.engine.pinning.Reviewed:
		return refuse(pendingDefinition, `nobody has approved the %s "%s" of server "%s"`)
	case trust == Changed || trust == Unpinned && twice && first != d.Digest:
		return refuse(changedDefinition, `the %s "%s" of server "%s" changed since it was trusted`)
	}
	return notWithheld, Decision{}
}

// denied asks the policy about a definition: whether it refuses each request for it,
// whatever the arguments.
func (j *judge) denied(p *JudgePass, d *mcp.Definition) Decision {
	var method, key string
	switch d.Kind {
	case mcp.ToolSubject:
		method, key = "tools/call", "name"
	case mcp.PromptSubject:
		method, key = "prompts/get", "name"
	case mcp.ResourceSubject:
		method, key = "resources/read", "uri"
	}
	if j.engine.policy == nil || method == "" {
		return Decision{}
	}
	j.asked = PolicyRequest{Server: p.Server.ID, Method: method, Target: d.Name, Unlogged: true,
		Arguments: []Argument{{Name: key, Pointer: "/" + key, Text: d.Name, Offset: d.Offset}}}
	if d.Kind == mcp.ToolSubject {
		j.asked.Tool = j.known(p.event, d, d.Offset)
	}
	decision := j.engine.policy.Decide(&j.asked)
	if decision.Check == NoCheck {
		decision.Check = PolicyCheck
	}
	return decision
}
