package scanner

import (
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
)

// Withheld is a definition that the client must not see. The proxy removes it from the message;
// see [Outcome.Rewrite]. Requests for it are refused for the same reason.
type Withheld struct {
	Kind     mcp.SubjectKind
	Name     string
	Index    int    // index in its list, from 0; -1 for the instructions of a server
	Pointer  string // JSON Pointer from the root of the frame
	Decision Decision
	Denied   bool // the policy denies it, whatever the arguments

	offset int // offset from the first value of the frame
}

// pinRule is the rule that refuses calls to tools that differ from their trusted version. If it is
// enabled and set to block, definitions that differ are withheld as well.
const pinRule = "version-pin"

// maxWithheld bounds the remembered withheld definitions of all servers. If a server has one more,
// all requests for definitions of that server are refused.
const maxWithheld = 65536

// withheldKey identifies a definition of a server or, if the key has no kind, all definitions of the
// server.
type withheldKey struct {
	server string
	mcp.DefinitionKey
}

// refusedDefinition is a withheld definition, with the decision about requests for it.
type refusedDefinition struct {
	Decision
	digest mcp.Digest
}

// withholding is the state that a judge needs to withhold definitions on open connections, and to refuse
// requests for them.
type withholding struct {
	refused map[withheldKey]refusedDefinition
	blocked map[mcp.DefinitionKey]*Finding   // first blocking finding for each subject of the current message
	partial bool                             // the event may have findings that were not kept, or was not inspected in full
	listed  map[mcp.DefinitionKey]mcp.Digest // digests of the current message's definitions, the first of each name
}

// withhold decides which definitions in the message are withheld, and refuses requests for withheld
// ones.
func (j *judge) withhold(p *JudgePass, i int) {
	m, server := p.Message, p.Server.ID
	if p.Direction == mcp.ClientToServer {
		j.refuseWithheld(p, p.Message.Method)
		for _, method := range p.Message.OtherMethods {
			j.refuseWithheld(p, method)
		}
		p.refuseAmbiguous()
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
		decision, denied := j.refusal(p, d)
		if decision.Verdict != Block {
			continue
		}
		j.out.Withheld = append(j.out.Withheld, Withheld{Kind: d.Kind, Name: d.Name, Decision: decision, Denied: denied, offset: d.Offset})
		key := withheldKey{server, d.Key()}
		if _, known := w.refused[key]; !known && len(w.refused) >= maxWithheld {
			key = withheldKey{server: server}
			decision.Reason = "more withheld definitions than the limit"
		}
		w.refused[key] = refusedDefinition{decision, d.Digest}
	}
	j.refuseUnmatched(p, i)
}

// refuseWithheld refuses a request for a withheld definition, whichever name in it a parser reads.
func (j *judge) refuseWithheld(p *JudgePass, method string) {
	var kind mcp.SubjectKind
	switch method {
	case "tools/call":
		kind = mcp.ToolSubject
	case "prompts/get":
		kind = mcp.PromptSubject
	case "resources/read", "resources/subscribe":
		kind = mcp.ResourceSubject
	default:
		return
	}
	sent := p.Message.unmasked()
	for _, name := range append([]string{sent.target(method)}, sent.OtherTargets...) {
		j.refuseNamed(p, kind, name)
	}
}

// refuseNamed refuses a request for a definition with the given name, if it is withheld.
func (j *judge) refuseNamed(p *JudgePass, kind mcp.SubjectKind, name string) {
	for _, key := range [...]withheldKey{{p.Server.ID, mcp.DefinitionKey{Kind: kind, Name: name}}, {server: p.Server.ID}} {
		if d, ok := j.withholding.refused[key]; ok {
			p.Decide(d.Decision)
			return
		}
	}
	switch listed := j.pins[pinKey{server: p.Server.ID, kind: kind, name: name}] != nil; {
	case listed:
	case kind == mcp.ResourceSubject:
		if d, ok := j.withholding.template(p.Server.ID, name); ok {
			p.Decide(d)
		}
	case kind == mcp.PromptSubject && j.enforcesPins() && p.Pinning.Reviewed: // for tools, pinRule does this
		if trust, _ := p.trust(kind, name, nil); trust == Unpinned {
			p.Decide(pinRefusal("nobody has approved the " + p.about(kind, name)))
		}
	}
}

// template returns the decision about a server's withheld template that can expand to the given URI.
// If there are several, it uses the first by name.
func (w *withholding) template(server, uri string) (d Decision, found bool) {
	first := ""
	for key, refused := range w.refused {
		if key.server == server && key.Kind == mcp.TemplateSubject && (!found || key.Name < first) && yields(key.Name, uri) {
			first, d, found = key.Name, refused.Decision, true
		}
	}
	return d, found
}

// released returns, for each server, the kinds of the withheld definitions that nobody had approved, and
// that are approved now.
func (w *withholding) released(approved *Snapshot) map[string][]mcp.SubjectKind {
	released := map[string][]mcp.SubjectKind{}
	for key, refused := range w.refused {
		offer := approved.Servers[key.server]
		if refused.Check != PinCheck || offer == nil {
			continue
		}
		if o := offer.Definitions[key.DefinitionKey]; o != nil && !o.pending() && o.Digest == refused.digest {
			released[key.server] = append(released[key.server], key.Kind)
		}
	}
	return released
}

// yields reports whether a URI template can expand to the given URI. It ignores escapes and case, because
// some servers normalise URIs before they compare them.
func yields(template, uri string) bool {
	template, rest := plainURI(template), plainURI(uri)
	literal, after, more := strings.Cut(template, "{")
	rest, ok := strings.CutPrefix(rest, literal)
	for ok && more {
		_, after, _ = strings.Cut(after, "}")
		if literal, after, more = strings.Cut(after, "{"); !more {
			return strings.HasSuffix(rest, literal)
		}
		_, rest, ok = strings.Cut(rest, literal)
	}
	return ok && rest == ""
}

// plainURI returns a URI or template in lower case and without escapes.
func plainURI(s string) string {
	return strings.ToLower(string(text.Unpercent([]byte(s))))
}

// block collects the findings in a message's definitions that block them according to the user's
// settings.
func (j *judge) block(message int) {
	w := j.withholding
	clear(w.blocked)
	w.partial = !j.whole || j.found.reached() || len(j.out.Skips) > 0
	if j.engine.options.Blocks == nil {
		return
	}
	for k := range j.found.all {
		f := &j.found.all[k]
		if !f.Subject.Definition() || k < j.found.own && f.message != message || !j.engine.options.Blocks(f) { // session findings count for all messages
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

// refuseUnmatched refuses a poisoned message if there is no definition to remove, because
// the text is elsewhere in a list, or in the server's description of itself.
func (j *judge) refuseUnmatched(p *JudgePass, message int) {
	if len(j.withholding.blocked) == 0 {
		return
	}
	taken := map[mcp.DefinitionKey]bool{}
	for k := range p.Message.Definitions {
		taken[shownKey(&p.Message.Definitions[k])] = true
	}
	for k := range j.found.all[:j.found.own] { // in order, so that the first one decides
		f := &j.found.all[k]
		for key, by := range j.withholding.blocked {
			if f == by && f.message == message && !taken[key] {
				p.Decide(poisonedBy(f))
			}
		}
	}
}

// shownKey returns the key of a definition with its name as shown in findings.
func shownKey(d *mcp.Definition) mcp.DefinitionKey {
	return mcp.DefinitionKey{Kind: d.Kind, Name: show(d.Name, nameChars)}
}

func poisonedBy(f *Finding) Decision {
	return Decision{Verdict: Block, Check: OutputCheck, Rule: f.Rule.ID, Reason: f.Message}
}

// refusal returns the decision of the first check in the chain that refuses a definition in the
// current message, and whether this check is the policy. The decision is zero if no check refuses it.
func (j *judge) refusal(p *JudgePass, d *mcp.Definition) (decision Decision, denied bool) {
	take := func(by Decision) bool {
		if by.Verdict != Block || !by.over(&decision) {
			return false
		}
		decision = by
		return true
	}
	if w := j.withholding; len(w.blocked) > 0 {
		if f := w.blocked[shownKey(d)]; f != nil {
			take(poisonedBy(f))
		} else if w.partial {
			take(Decision{Verdict: Block, Check: OutputCheck, Reason: "the message was not inspected in full, and another part of it is poisoned"})
		}
	}
	take(j.unpinned(p, d))
	denied = take(j.denied(p, d))
	return decision, denied
}

// unpinned returns the decision to block a definition that differs from the one trusted under its name, or
// that must be approved and is not. For any other definition, the decision is zero.
func (j *judge) unpinned(p *JudgePass, d *mcp.Definition) Decision {
	if !j.enforcesPins() || d.Foreign {
		return Decision{}
	}
	key := d.Key()
	first, twice := j.withholding.listed[key]
	if !twice {
		j.withholding.listed[key] = d.Digest
	}
	since := "it was"
	if d.Kind == mcp.ServerSubject {
		since = "they were"
	}
	for _, name := range append([]string{d.Name}, d.OtherNames...) {
		switch trust, _ := p.trust(d.Kind, name, d); {
		case trust == Unpinned && p.Pinning.Reviewed:
			return pinRefusal("nobody has approved the " + p.about(d.Kind, name))
		case trust == Changed || trust == Unpinned && twice && first != d.Digest:
			return pinRefusal("the " + p.about(d.Kind, name) + " changed since " + since + " trusted")
		}
	}
	return Decision{}
}

// enforcesPins reports whether definitions that differ from their trusted version are withheld.
func (j *judge) enforcesPins() bool {
	return j.engine.pins && j.engine.options.Pinning.OnChange == Block
}

// about describes a definition of the current server.
func (p *JudgePass) about(kind mcp.SubjectKind, name string) string {
	what := "instructions"
	if kind != mcp.ServerSubject {
		what = fmt.Sprintf(`%s "%s"`, kind, show(name, nameChars))
	}
	return fmt.Sprintf(`%s of server "%s"`, what, show(p.Server.ID, nameChars))
}

func pinRefusal(reason string) Decision {
	return Decision{Verdict: Block, Check: PinCheck, Rule: pinRule, Reason: reason}
}

// denied asks the policy whether it refuses every request for a definition, whatever the
// arguments.
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
	if j.engine.options.Policy == nil || method == "" {
		return Decision{}
	}
	if len(d.OtherNames) > maxOtherNames {
		return Decision{Verdict: Block, Check: PolicyCheck, Reason: "the definition has more names than are judged"}
	}
	r := PolicyRequest{Method: method, Target: d.Name, Unlogged: true}
	for _, name := range append([]string{d.Name}, d.OtherNames...) {
		r.Arguments = append(r.Arguments, Argument{Name: key, Pointer: "/" + key, Text: name, Offset: d.Offset})
	}
	if d.Kind == mcp.ToolSubject {
		r.Tool = p.Known(d)
	}
	return p.ask(r)
}
