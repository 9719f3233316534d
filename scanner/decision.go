package scanner

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/mcp"
)

// Verdict is the action taken on a message.
type Verdict uint8

// The verdicts, from least to most strict. Log and Alert let a message pass, as Allow does.
const (
	Allow Verdict = iota
	Log
	Alert
	Prompt // the user is asked
	Block
)

var verdictNames = [...]string{"allow", "log", "alert", "prompt", "block"}

func (v Verdict) String() string { return verdictNames[v] }

// Check identifies one of the checks that decide on a message, in a fixed order.
type Check uint8

// The checks in the order in which they decide, as in the agentsh documentation.
const (
	NoCheck          Check = iota
	RegistryCheck          // is the tool known?
	CrossServerCheck       // is it an attack across servers, or a burst of calls?
	RateCheck
	PinCheck    // is the definition the approved one?
	PolicyCheck // what does the user's policy say?
	OutputCheck // is text from the server poisoned?
)

var checkNames = [...]string{"", "registry", "cross-server", "rate", "pin", "policy", "output"}

func (c Check) String() string { return checkNames[c] }

// Decision is the decision about a message, with its reason. The zero value allows the
// message.
type Decision struct {
	Verdict  Verdict
	Check    Check
	Rule     string   // rule ID, or the name of a policy rule
	Reason   string   // reason, worded for a report
	Location Location // location of the rule in a policy file; otherwise zero
}

// over reports whether d overrides another decision about the same message. The first check that
// blocks wins; if none does, the strictest decision wins.
func (d *Decision) over(o *Decision) bool {
	if d.Verdict == Block && o.Verdict == Block || d.Verdict == o.Verdict {
		return o.Check == NoCheck || d.Check < o.Check
	}
	return d.Verdict > o.Verdict
}

// Policy decides on requests. Implementations must be pure and safe for concurrent use. A request
// is valid only during the call.
type Policy interface {
	Decide(*PolicyRequest) Decision
}

// PolicyRequest is the input of a policy.
type PolicyRequest struct {
	Server    string
	Method    string // JSON-RPC method
	Target    string // name of the tool or prompt, or URI of the resource
	Arguments []Argument
	Partial   bool   // Arguments is incomplete
	Unlogged  bool   // the call comes from an audit log that does not record its arguments
	Tool      *Known // for a call, the tool as last listed by the server, or nil
}

// Argument is one string, number, boolean or null in the parameters of a request.
type Argument struct {
	Name    string // name of the argument, or of the one that contains it
	Pointer string // JSON Pointer relative to the parameters
	Text    string // decoded text of a string; otherwise the raw JSON
	Offset  int    // offset in the frame
}

// Decide records a check's decision about the message.
func (p *JudgePass) Decide(d Decision) {
	m := p.Message
	if !d.over(&m.Decision) {
		m.Overruled = append(m.Overruled, d)
		return
	}
	if m.Decision.Made() {
		m.Overruled = append(m.Overruled, m.Decision)
	}
	m.Decision = d
}

// Made reports whether any check has made a decision.
func (d *Decision) Made() bool { return d.Check != NoCheck || d.Verdict != Allow }

// Refuse records the rule's decision as the outcome of a check. The rule must call Refuse before it
// reports, so that its findings show that the message is blocked.
func (p *JudgePass) Refuse(check Check, verdict Verdict, reason string) {
	if verdict == Block {
		p.Blocks()
	}
	p.Decide(Decision{Verdict: verdict, Check: check, Rule: p.rule.ID, Reason: reason})
}

// Blocks records that the message is blocked because of the rule's finding.
func (p *JudgePass) Blocks() { p.blocked = p.rule }

// decide asks the policy about a request, a notification, or a call that an audit log reports as
// made, and about the requests in a result or notification. It includes notifications because some
// servers execute a request without an ID, and responses with a method because some servers
// treat them as requests.
func (p *JudgePass) decide() {
	m := p.Message
	if p.judge.engine.options.Policy == nil {
		return
	}
	defer p.decideAsks()
	asks := m.Kind == mcp.Request || m.Kind == mcp.Notification || m.Kind == mcp.Response && m.Method != ""
	if !asks && (m.Kind != mcp.Audit || p.call == nil || p.call.Refused) {
		return
	}
	sent := m.unmasked()
	r := PolicyRequest{Method: sent.Method, Target: sent.Target, Arguments: sent.Arguments, Partial: sent.Partial}
	if m.Kind == mcp.Audit {
		r.Method, r.Unlogged = "tools/call", m.Arguments == nil
		r.Target = p.Called()
	}
	p.Policy = p.ask(r)
	p.Decide(p.Policy)
	for _, r.Method = range sent.OtherMethods { // the request as other parsers read it
		r.Target = sent.target(r.Method)
		if d := p.ask(r); d.Verdict >= Prompt {
			p.Decide(d)
		}
	}
}

// decideAsks asks the policy about the requests in a result or notification. The strictest of these
// decisions applies to the message.
func (p *JudgePass) decideAsks() {
	m := p.Message
	sent := m.unmasked()
	// if their numbers differ, refuseMaskedStructure refuses the message
	for i := range min(len(m.Asks), len(sent.Asks)) {
		a := &sent.Asks[i]
		d := Decision{Verdict: Block, Check: PolicyCheck, Reason: "the message contains more requests than are judged"}
		if i < maxAsks {
			d = p.ask(PolicyRequest{Method: a.Method, Arguments: a.Arguments, Partial: a.Partial})
		}
		if d.Verdict == Prompt {
			m.Prompted = append(m.Prompted, &m.Asks[i])
		}
		if d.over(&p.Policy) {
			p.Policy, m.Asked = d, &m.Asks[i]
		}
	}
	if m.Asked != nil {
		p.Decide(p.Policy)
	}
}

// ask returns the policy's decision about a request to the current server.
func (p *JudgePass) ask(r PolicyRequest) Decision {
	r.Server = p.Server.ID
	if r.Method == "tools/call" && r.Tool == nil {
		r.Tool = p.Server.Current(r.Target)
	}
	p.judge.asked = r
	d := p.judge.engine.options.Policy.Decide(&p.judge.asked)
	if d.Check == NoCheck {
		d.Check = PolicyCheck
	}
	return d
}

// refuseAmbiguous refuses a request that names more methods or targets than are judged.
func (p *JudgePass) refuseAmbiguous() {
	if len(p.Message.OtherMethods) > maxOtherMethods {
		p.Decide(Decision{Verdict: Block, Check: PolicyCheck, Reason: "the request names more methods than are judged"})
	}
	if len(p.Message.OtherTargets) > maxOtherNames {
		p.Decide(Decision{Verdict: Block, Check: PolicyCheck, Reason: "the request names more targets than are judged"})
	}
}

// target returns the name or URI to which a request with the given method refers.
func (m *Message) target(method string) (name string) {
	if method == m.Method {
		return m.Target
	}
	key := "/name"
	if strings.HasPrefix(method, "resources/") {
		key = "/uri"
	}
	for i := range m.Arguments {
		if m.Arguments[i].Pointer == key {
			name = m.Arguments[i].Text
		}
	}
	return name
}

// Called returns the name of the called tool, as its server lists it.
func (p *JudgePass) Called() string {
	if p.Message.Kind == mcp.Audit {
		return unprefixed(p.Message.Target, p.Server.ID)
	}
	return p.Message.Target
}

// unprefixed returns a tool's name without the prefix that clients add and that LLM proxy logs
// contain, as in mcp__server__tool.
func unprefixed(name, server string) string {
	rest, ok := strings.CutPrefix(name, "mcp__")
	if !ok || len(rest) < len(server) || server == "" {
		return name
	}
	for i := range len(server) {
		c := server[i]
		if letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '-'; rest[i] != c && (letter || rest[i] != '_') {
			return name
		}
	}
	if tool, ok := strings.CutPrefix(rest[len(server):], "__"); ok && tool != "" {
		return tool
	}
	return name
}

// poisoned blocks a response, or a frame that is not a message, if a finding in its text requires it.
func (j *judge) poisoned(p *JudgePass, message int) {
	if kind := p.Message.Kind; j.engine.options.Blocks == nil || kind != mcp.Response && kind != mcp.Malformed {
		return
	}
	for k := range j.found.all {
		f := &j.found.all[k]
		if f.message != message || f.Category != OutputPoisoning || !j.engine.options.Blocks(f) {
			continue
		}
		f.Action = Block.String()
		p.Decide(poisonedBy(f))
	}
}

// Outcome is the decision about one event, with its reasons.
type Outcome struct {
	Decision Decision   // the strictest decision about its messages; the zero value lets it pass
	Messages []Judged   // in the order of the frame
	Findings []Finding  // sorted by location, then by rule ID
	Skips    []string   // reasons why parts of the event could not be judged
	Withheld []Withheld // definitions to hide from the client; only with a [Live]
	Shared   []Shared   // what the messages add to the session that other connections share; only with a [Live] that shares its session
	Noise    bool       // the frame does not start like a JSON-RPC message, so clients skip it
	Exceeds  bool       // the frame exceeds a limit of the JSON parser
	Invalid  bool       // the frame is not valid JSON, but lenient parsers accept it
	First    bool       // the event is the first of its server in the session

	Elsewhere bool // the session belongs to another shard, which reports on the event
}

// ShowsServer reports whether an event names a server or contains a message from or to one. The
// first and last lines of a recording that was cut off may do neither.
func (o *Outcome) ShowsServer(e *Event) bool {
	return !e.Unattributed && (e.Server != "" || slices.ContainsFunc(o.Messages, func(m Judged) bool { return m.Kind != mcp.Malformed }))
}

// ShowsSession reports whether an event makes its session count as seen. A line that could not be read
// names no session; if it counted, it would add a session named after the file.
func (o *Outcome) ShowsSession(e *Event) bool {
	return o.ShowsServer(e) || e.Unattributed || len(o.Findings) > 0
}

// Judged is a message together with what its session adds to it.
type Judged struct {
	*Message
	Target    string     // as in Message; for a response, taken from the request
	Asked     *Ask       // the element of Asks that the policy's decision is about; nil if the decision is about the message
	Prompted  []*Ask     // the elements of Asks for which the policy requires approval
	Answers   string     // of a response: method of the request it answers; "" if there is none
	Tool      *Known     // of a call: the tool as last listed by the server; nil if never listed
	Calls     int        // number of calls that the message adds to the count; see judge.call
	Decision  Decision   // the zero value lets the message pass
	Overruled []Decision // decisions that did not prevail, in the order in which they were overruled
	Listings  []Listing  // tools that are new or changed in the session
	Secrets   []string   // of a client's message: unmasked values that a server returned as secrets
}

// begin resets o for a new event, reusing its memory.
func (o *Outcome) begin(facts *Facts) {
	*o = Outcome{Messages: o.Messages[:0], Skips: append(o.Skips[:0], facts.Skips...), Noise: facts.Noise, Exceeds: facts.Exceeds, Invalid: facts.Invalid}
	for i := range facts.Messages {
		m := &facts.Messages[i]
		o.Messages = append(o.Messages, Judged{Message: m, Target: m.Target})
	}
}

// decide combines the decisions about the messages.
func (o *Outcome) decide() {
	for i := range o.Messages {
		if d := &o.Messages[i].Decision; d.Made() && (!o.Decision.Made() || d.Verdict > o.Decision.Verdict) {
			o.Decision = *d
		}
	}
}
