package scanner

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// Issue is a problem that a check reports. Start and End delimit the evidence. Messages must not
// contain untrusted text, which belongs in the evidence.
type Issue struct {
	Start, End int
	Severity   Severity
	Message    string
	Signals    []string
	Decoded    string
}

// TextPass is the input of a rule's Text, Definition, Result, Unusual and Lines checks: one
// text field of one event.
type TextPass struct {
	Subject   mcp.SubjectKind
	Name      string // name of the definition; empty for results, which get theirs later
	Direction mcp.Direction
	Source    []byte       // the text before folding
	Folded    []byte       // the text as matched by patterns; nil in Unusual and Lines
	Matches   []text.Match // matches of the rule's own patterns, by index in Rule.AllPatterns; only set in Text

	Via string // how the text was encoded; empty if it was not

	in               *Inspector
	rule             *Rule
	folded           *text.Folded
	original         []byte // text from which this one was decoded, at [from, to)
	from, to         int
	node             int
	isKey            bool
	root             int
	sentence         int   // end of the first sentence; -1 until needed
	discussesAttacks *bool // result of DiscussesAttacks
	read             bool  // Reading was called
	reported         []reported
	pieces           []piece // pieces from which the text was joined; nil if it was not
	again            bool    // the same pieces were joined in a different way before
	rereadings       int     // readings that lead from the text as sent to this one; the pieces are parts of the former
	rendered         bool    // the pieces are separated by markup or JSON syntax
	whole            bool    // the pieces are almost the whole text

	prose []text.Span // parts of a JSON text that another reading has without escapes
}

// Key returns the name of the innermost member that contains the text.
func (p *TextPass) Key() string {
	doc := p.in.tree
	var buf []byte
	for i := p.node; i != p.in.event.root && i >= 0; i = int(doc.Nodes[i].Parent) { // a key of the root belongs to the enclosing record
		if k := doc.Key(i, &buf); k != nil {
			return p.in.shared.String(k)
		}
	}
	return ""
}

// RevealsGiven reports whether the text, as sent, contains a secret that the server was given.
func (p *TextPass) RevealsGiven() bool { return p.in.event.Given.Reveals(p.Source) }

// Member returns the name of the outermost member of the definition, result or message that
// contains the text.
func (p *TextPass) Member() string {
	doc := p.in.tree
	for i := p.node; i != p.root && i >= 0; i = int(doc.Nodes[i].Parent) {
		if int(doc.Nodes[i].Parent) == p.root {
			return doc.KeyString(i)
		}
	}
	return ""
}

// Argument returns the name of the parameter that the text describes to the model, and whether
// it is required. It returns "" for other text.
func (p *TextPass) Argument() (name string, needed bool) {
	schema := p.argument()
	if schema < 0 {
		return "", false
	}
	name = p.in.tree.KeyString(schema)
	return name, p.in.required(int(p.in.tree.Nodes[p.in.tree.Nodes[schema].Parent].Parent), name)
}

// ArgumentType returns the declared type of the parameter that the text describes, or "".
func (p *TextPass) ArgumentType() (declared string) {
	if schema := p.argument(); schema >= 0 {
		declared, _ = p.in.tree.Str(schema, "type")
	}
	return declared
}

// argument returns the schema of the parameter that the text describes, or -1.
func (p *TextPass) argument() (schema int) {
	doc := p.in.tree
	if p.Subject != mcp.ToolSubject || p.isKey || !doc.KeyIs(p.node, "description") {
		return -1
	}
	schema = int(doc.Nodes[p.node].Parent)
	properties := int(doc.Nodes[schema].Parent)
	if properties < 0 || !doc.KeyIs(properties, "properties") {
		return -1
	}
	top := properties
	for top >= 0 && int(doc.Nodes[top].Parent) != p.root {
		top = int(doc.Nodes[top].Parent)
	}
	if top < 0 || !doc.KeyIs(top, "inputSchema") {
		return -1
	}
	return schema
}

// maxRequired bounds the length of a schema's list of required properties, which is searched for
// each property. The schemas of the published servers examined list at most 40.
const maxRequired = 256

// required reports whether an object schema requires a property. A list longer than maxRequired
// counts as requiring every property.
func (in *Inspector) required(schema int, property string) bool {
	doc := in.tree
	if in.names.requiredOf != schema+1 {
		in.names.requiredOf, in.names.required = schema+1, doc.Get(schema, "required")
	}
	list := in.names.required
	return doc.Kind(list) == wire.Array && (doc.Nodes[list].Len > maxRequired || doc.Lists(list, property))
}

// Failed reports whether the text is part of an error: a protocol error, or a result that sets
// isError.
func (p *TextPass) Failed() bool {
	return p.Subject == mcp.ErrorSubject || p.in.isError(p.root)
}

// FirstSentence reports whether the text is its definition's description and the offset start is in
// the description's first sentence, which states the tool's purpose.
func (p *TextPass) FirstSentence(start int) bool {
	if p.sentence < 0 { // computed once, because a text can have many matches
		p.sentence = len(p.Folded)
		for i, b := range p.Folded {
			if b == '\n' || b == '.' && i+1 < len(p.Folded) && p.Folded[i+1] == ' ' || b == ';' {
				p.sentence = i
				break
			}
		}
	}
	return start <= p.sentence && p.Description()
}

// DiscussesAttacks returns about(p.Folded). The result is computed once per text, however many
// matches depend on it.
func (p *TextPass) DiscussesAttacks(about func([]byte) bool) bool {
	if p.discussesAttacks == nil {
		is := about(p.Folded)
		p.discussesAttacks = &is
	}
	return *p.discussesAttacks
}

// Reading calls the function read and returns its result, which is computed only once per text, for
// all rules that need it. The function can reuse the memory of an earlier result, old.
func (p *TextPass) Reading(read func(p *TextPass, old any) any) any {
	if !p.read {
		p.read = true
		p.in.reading = read(p, p.in.reading)
	}
	return p.in.reading
}

// Described returns the beginning of the "description" string in the text's definition, as sent.
func (p *TextPass) Described() string {
	in := p.in
	if in.described == nil || in.describedIn != p.root { // computed once, because a definition can have many strings
		is := ""
		if in.tree.Kind(p.root) == wire.Object {
			is, _ = in.tree.Str(p.root, "description")
		}
		is = strings.Clone(is[:min(len(is), describedBytes)])
		in.described, in.describedIn = &is, p.root
	}
	return *in.described
}

// describedBytes is the maximum length of what Described returns: the beginning of a description, which
// states the tool's purpose.
const describedBytes = 1024

// Description reports whether the text is the description of its definition.
func (p *TextPass) Description() bool {
	return p.Subject.Definition() && int(p.in.tree.Nodes[p.node].Parent) == p.root && p.Key() == "description"
}

// Whole returns the text from which this one was decoded, or of which it is another reading. For any
// other text, it returns the text itself.
func (p *TextPass) Whole() []byte {
	if p.original != nil {
		return p.original
	}
	return p.Source
}

// Joined reports whether the text consists of several values or content blocks of the message.
func (p *TextPass) Joined() bool { return p.pieces != nil && p.original == nil }

// Part reports whether the text was decoded from another text, or is another reading of it.
func (p *TextPass) Part() bool { return p.original != nil }

// CountAround applies the function count to the text of which this one is a [TextPass.Part]. It returns 0 if this
// is another reading of almost the whole text. The result is computed once, because a text can contain very many
// encoded texts.
func (p *TextPass) CountAround(count func([]byte) int) int {
	if p.whole {
		return 0
	}
	d := &p.in.decoding
	if d.whole == nil {
		n := count(p.original)
		d.whole = &n
	}
	return *d.whole
}

// Sent returns the part of Source from which Folded[start:end] was made, with the capitals and
// everything else that folding removes.
func (p *TextPass) Sent(start, end int) []byte {
	return p.Source[p.folded.Source(start):p.folded.Source(end)]
}

// MessagePass is the input of a rule's Message check: one message of one event as JSON.
type MessagePass struct {
	Doc       *wire.Doc
	Root      int // the message's node
	Message   *Message
	Direction mcp.Direction

	in   *Inspector
	rule *Rule
}

// Subject returns the subject of node i, and the root node to which its pointers are relative.
func (p *MessagePass) Subject(i int) (kind mcp.SubjectKind, name string, root int) {
	return p.in.subjectOf(p.Root, p.Message, i)
}

// Required reports whether an object schema requires a property.
func (p *MessagePass) Required(schema int, property string) bool {
	return p.in.required(schema, property)
}

// Report reports a finding about node i or its key.
func (p *MessagePass) Report(i int, key bool, sev Severity, message string) {
	p.in.node(p, i, key, sev, message)
}

// Full reports whether the event has more findings than are kept. A rule may then stop.
func (p *MessagePass) Full() bool { return p.in.found.dropped > 0 }

// JudgePass is the input of a rule's Judge check: one message, and the state of its
// session before it.
type JudgePass struct {
	Now       time.Time
	Session   *Session
	Server    *Server
	Message   *Judged
	Direction mcp.Direction
	Transport string
	Request   *PendingCall // for a response, the request that it answers; nil if there is none
	Noise     bool         // the frame is not a message at all

	Exceeded    Exceeded           // limits exceeded by the call that the message reports
	Policy      Decision           // the policy's decision about the request
	Differences []ClientDifference // from what the server showed to a client with a different name, in any session

	Similarity float64 // threshold at which two server names count as look-alikes
	Limits     *Limits // limits on the calls of a session
	Pinning    *Pinning

	judge               *judge
	event               *Event
	rule                *Rule
	call                *Call
	blocked             *Rule   // last rule that decided to block the message
	reporters           []*Rule // rules that have reported something about the message
	reportedDefinitions map[reportedDefinition]bool
}

// reportedDefinition is a definition in the message, with the category of a rule that has reported it.
type reportedDefinition struct {
	mcp.DefinitionKey
	category string
}

// JudgeIssue is a problem that a Judge check reports.
type JudgeIssue struct {
	Severity Severity
	Message  string
	Subject  mcp.SubjectKind
	Name     string
	Server   string // server that the issue is about, if not that of the message
	Other    string // the server, or well-known name, with which the current one can be confused
	Pointer  string
	Evidence string // untrusted text on which the finding is based
	Diff     string // a unified diff of the change; empty if there is none
	Key      string // distinguishes findings of this rule about the same subject in the fingerprint
	Offset   int    // offset of the evidence in the frame
	Related  []Related
	Approval *baseline.Approval // approval, in the change under review, of what the issue reports; nil if there is none

	Expected, Actual string // digests of a file that was replaced
}

// Undated reports whether the input has no time for the message, so that Now only orders it.
func (p *JudgePass) Undated() bool { return p.event.Undated }

// Pinned returns the definition that the server first listed under d's name in the whole input, or
// nil. If another engine reported d, it returns the first one that such an engine reported. It returns
// nil for definitions in documents and lockfiles, because two versions of a server side by side are not
// a change.
func (p *JudgePass) Pinned(d *mcp.Definition) *Known {
	if p.event.Kind == DefinitionEvent || p.event.Kind == LockEvent {
		return nil
	}
	return p.judge.pins[pinKey{p.event.Server, d.Kind, d.Name, d.Foreign}]
}

// Known returns the record that the session will keep of definition d in the message.
func (p *JudgePass) Known(d *mcp.Definition) *Known { return p.judge.known(p.event, d, d.Offset) }

// Full reports whether the event has more findings than are kept. A rule may then stop.
func (p *JudgePass) Full() bool { return p.judge.found.dropped > 0 }

// AlreadyReported reports whether the given rule, which must be earlier in the table, has reported
// something about this message, so that a more general rule need not report the same problem.
func (p *JudgePass) AlreadyReported(rule string) bool {
	return slices.ContainsFunc(p.reporters, func(r *Rule) bool { return r.ID == rule })
}

// ReportedDefinition reports whether a rule of the same category that ran earlier has reported a definition in
// this message.
func (p *JudgePass) ReportedDefinition(d *mcp.Definition) bool {
	return p.reportedDefinitions[reportedDefinition{d.Key(), p.rule.Category}]
}

// Report reports a finding.
func (p *JudgePass) Report(is JudgeIssue) {
	e := p.event
	p.reporters = append(p.reporters, p.rule)
	if is.Subject.Definition() {
		set(&p.reportedDefinitions, reportedDefinition{mcp.DefinitionKey{Kind: is.Subject, Name: is.Name}, p.rule.Category}, true)
	}
	if p.judge.found.full(is.Severity) {
		return
	}
	action := "alert"
	if p.blocked == p.rule {
		action = Block.String()
	}
	p.judge.found.add(Finding{
		Rule: p.rule, Category: p.rule.Category, Severity: is.Severity, Message: show(is.Message, messageChars),
		Time: e.Recorded(), Session: show(e.Session, nameChars), Server: show(cmp.Or(is.Server, e.Server), nameChars), Other: show(is.Other, nameChars),
		Subject: is.Subject, Name: show(is.Name, nameChars), Pointer: show(is.Pointer, pointerChars),
		Evidence: newEvidence([]byte(is.Evidence), 0, len(is.Evidence)), Diff: text.ShowDiff(is.Diff),
		Location: p.judge.places.At(is.Offset), Related: is.Related, key: is.Key, Action: action,
		Expected: is.Expected, Actual: is.Actual,
	}.withApproval(is.Approval))
}
