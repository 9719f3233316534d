package scanner

import (
	"bytes"
	"crypto/sha256"
	"slices"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// Inspector inspects events. It reuses its buffers, so that inspecting a text field does not allocate.
// Only one goroutine at a time may use it.
type Inspector struct {
	engine  *Engine
	own     wire.Doc   // parse tree of frames that come without one
	shared  wire.Names // names in events
	folder  text.Folder
	scan    *text.Scanner
	digest  mcp.Digester
	buf     []byte
	pointed []byte // a JSON Pointer

	// The current event.
	event       *Event
	tree        *wire.Doc
	facts       *Facts
	message     int
	found       bounded
	cut         bool // a pattern exceeded its maximum number of matches
	decoding    decoding
	collected   values
	kept        []Value // the values of this message and earlier ones
	key         []byte
	unread      bool // the current text is a frame that is not JSON, with its escapes undecoded
	places      Places
	names       nearbyNames
	described   *string // description of the definition at node describedIn; nil until needed
	describedIn int
	brief       bool // the event belongs to another shard: read only what it declares
	pass        TextPass
	messagePass MessagePass
	matches     []text.Match
	reading     any                       // last result of TextPass.Reading
	rereadings  [mostRereadings]rereading // indexed by the number of readings that led to the text being read again
	clean       cleanDefinitions
	args        []Argument // for the arguments of each message

	scatteredCodes codeBuffers
	listed         [sha256.Size]byte // digest of the names in the current list
	valuesOnly     bool              // extract values from text, but run no text rules
	spare          bool              // there is a processor for a second goroutine
}

// NewInspector returns an inspector for the engine's rules.
func (e *Engine) NewInspector() *Inspector {
	in := &Inspector{engine: e, scan: e.matcher.NewScanner()}
	in.own.Names = &in.shared
	return in
}

// Inspect returns the facts about one event.
func (in *Inspector) Inspect(e *Event) *Facts {
	facts := &Facts{}
	in.inspect(e, facts)
	return facts
}

// inspect fills in the facts about one event. They must be empty, but their memory is used.
func (in *Inspector) inspect(e *Event, facts *Facts) {
	in.event, in.facts, in.cut = e, facts, false
	in.found = bounded{most: min(maxPerEvent+len(e.Frame)/bytesPerFinding, mostPerEvent)}
	in.decoding.reset(len(e.Frame))
	in.collected.reset(len(e.Frame))
	in.places.reset(e)
	in.names, in.described, in.listed = nearbyNames{}, nil, [sha256.Size]byte{}
	in.scan.Start()
	switch e.Kind {
	case SkippedEvent, IgnoredEvent, SharedEvent:
		return
	}
	if in.late() {
		return
	}
	if !in.engine.shard.has(e.Session) {
		in.elsewhere()
		return
	}
	switch e.Kind {
	case FrameEvent, DefinitionEvent, AuditEvent:
		in.messages()
	case LockEvent:
		if in.parse() {
			in.lock()
		}
	case ConfigEvent:
		in.config()
	case SettingsEvent:
		for _, r := range in.engine.settings {
			in.guard(r, func() { r.Settings(&SettingsPass{ChangedSettings: e.Settings, rule: r, in: in}) })
		}
	case StartedEvent:
		in.begin(Message{Kind: mcp.Started})
	case RemovedEvent:
		in.begin(Message{Kind: mcp.Removed})
	}
	if in.found.dropped > 0 {
		in.skip(tooMany)
	}
	if in.cut {
		in.skip("text with more matches than the limit: the rest was not judged")
	}
	in.compare()
	in.ownValues()
	facts.Findings, facts.full = in.found.all, in.found.reached()
	for i := range facts.Messages {
		m := &facts.Messages[i]
		m.traits = m.ownTraits()
	}
	in.decoding.tell(in.skip)
	in.tellValues()
	for _, p := range in.scan.Unfinished() {
		in.skip("the expression of the rule " + in.engine.rules[in.engine.owner[p].rule].ID + " took too long: some text was not searched")
	}
}

// forget drops the inspector's references to the last event.
func (in *Inspector) forget() {
	in.event, in.facts, in.tree, in.own.Data, in.found, in.kept = nil, nil, nil, nil, bounded{}, nil
	in.pass, in.messagePass = TextPass{}, MessagePass{}
	for i := range in.rereadings {
		in.rereadings[i].pass, in.rereadings[i].of = TextPass{}, nil
	}
}

func (in *Inspector) skip(reason string) { in.facts.Skips = once(in.facts.Skips, reason) }

// once appends a reason to an event's reasons unless it is already there.
func once(reasons []string, reason string) []string {
	if slices.Contains(reasons, reason) {
		return reasons
	}
	return append(reasons, reason)
}

// outOfTime is the reason reported for an event that was not fully inspected because the run's time
// limit had passed.
const outOfTime = "time limit reached (--max-time): not everything was inspected"

// begin adds a message to the facts. Findings belong to this message until begin is called again.
func (in *Inspector) begin(m Message) *Message {
	in.ownValues()
	in.message = len(in.facts.Messages)
	in.facts.Messages = append(in.facts.Messages, m)
	return &in.facts.Messages[in.message]
}

// late reports whether the run's time limit has passed; if so, the rest of the current event is
// not inspected.
func (in *Inspector) late() bool {
	late := in.engine.options.Late()
	if late {
		in.skip(outOfTime)
	}
	return late
}

// messages inspects the messages and definitions in an event.
func (in *Inspector) messages() {
	switch in.event.Kind {
	case FrameEvent:
		in.frame()
	case DefinitionEvent:
		if in.parse() {
			in.document()
		}
	case AuditEvent:
		if in.parse() {
			in.audit()
		}
	}
}

// frame inspects one frame on a connection.
func (in *Inspector) frame() {
	if !in.parse() {
		return
	}
	root := in.event.root
	switch in.tree.Kind(root) {
	case wire.Array:
	case wire.Object:
		in.jsonrpc(root, 0)
		return
	default:
		in.facts.Noise = true
		in.plain()
		return
	}
	n := 0
	for c := in.tree.First(root); c >= 0; c = in.tree.Next(c) {
		n++
		in.jsonrpc(c, n)
	}
}

// config inspects a client configuration. The limit on its findings grows with its number of
// servers.
func (in *Inspector) config() {
	in.found.most = min(maxPerEvent+findingsPerEntry*len(in.event.Config.Entries), mostPerEvent)
	for _, r := range in.engine.config {
		in.guard(r, func() {
			r.Config(&ConfigPass{ClientConfig: in.event.Config, rule: r, variables: in.engine.options.Environment, report: func(f Finding) {
				if !in.found.full(f.Severity) {
					in.add(f)
				}
			}})
		})
	}
}

// region inspects the strings and keys in the subtree of node i, as part of the subject at root.
func (in *Inspector) region(kind mcp.SubjectKind, name string, root, i int) {
	in.span(kind, name, root, i, int(in.tree.Nodes[i].Next))
}

// span is like region, but for the nodes from i to end.
func (in *Inspector) span(kind mcp.SubjectKind, name string, root, i, end int) {
	if in.brief {
		return
	}
	for ; i < end; i++ {
		n := &in.tree.Nodes[i]
		// A plain ASCII key this short cannot contain an instruction.
		if n.KeyEnd-n.KeyStart > 7 || in.tree.KeyFlags(i) != 0 {
			in.field(kind, name, root, i, true)
		}
		if n.Kind == wire.String && n.End-n.Start > 4 {
			in.field(kind, name, root, i, false)
		} else if in.isLong(n) {
			in.number(kind, name, root, i)
		}
	}
}

// field inspects one string value or key, including its decoded forms.
func (in *Inspector) field(kind mcp.SubjectKind, name string, root, i int, isKey bool) {
	if in.late() {
		return
	}
	in.buf = in.buf[:0]
	var src []byte
	var flags wire.Flags
	if isKey {
		src, flags = in.tree.Key(i, &in.buf), in.tree.KeyFlags(i)
	} else {
		src, flags = in.tree.Text(i, &in.buf), in.tree.TextFlags(i)
	}
	p := &in.pass
	*p = TextPass{Subject: kind, Name: name, Direction: in.event.Direction, Source: src, in: in, node: i, isKey: isKey, root: root}
	if in.valuesOnly {
		in.values(p)
		return
	}
	if flags != 0 && unusual(src) || pushes(src) {
		for _, r := range in.engine.unusual {
			in.asSent(r, r.Unusual)
		}
	}
	if flags != 0 && bytes.Count(src, []byte("\n")) >= severalLines {
		for _, r := range in.engine.lines {
			in.asSent(r, r.Lines)
		}
	}
	extracted := in.extract(p)
	if !p.client() { // what clients send is not read again
		p.prose = text.EscapedProse(src)
	}
	seen := in.match(p)
	extracted()
	if p.client() {
		return
	}
	in.decode(p, seen)
	in.reread(p)
	if !isKey {
		in.blob(i, src)
	}
}

// severalLines is the minimum number of line feeds in a text whose lines are compared.
const severalLines = 4

// asSent runs a check on the text as sent, before folding.
func (in *Inspector) asSent(r *Rule, check func(*TextPass)) {
	if p := &in.pass; r.Client || !p.client() {
		in.guard(r, func() { p.rule = r; check(p) })
	}
}

// match runs the text rules on a pass's text and returns the positions of words that indicate a
// disguise.
func (in *Inspector) match(p *TextPass) (seen text.Disguised) {
	p.folded = in.folder.Fold(p.Source)
	p.Folded, p.sentence, p.discussesAttacks, p.read, p.reported = p.folded.Text, -1, nil, false, p.reported[:0]
	found := slices.DeleteFunc(in.scan.Scan(p.Folded), func(m text.Match) bool {
		of := in.engine.owner[m.Pattern]
		if of.rule == noRule {
			seen.Add(text.Disguise(of.index), p.folded.Source(m.Start), p.folded.Source(m.End))
		}
		return of.rule == noRule
	})
	in.dispatch(p, found)
	p.Matches = nil
	switch {
	case p.client():
	case p.Subject.Definition():
		for _, r := range in.engine.definition {
			in.guard(r, func() { p.rule = r; r.Definition(p) })
		}
	default:
		for _, r := range in.engine.result {
			in.guard(r, func() { p.rule = r; r.Result(p) })
		}
	}
	p.keep()
	return seen
}

// client reports whether the client sent the text.
func (p *TextPass) client() bool {
	return p.Subject == mcp.CallSubject || p.Direction == mcp.ClientToServer
}

// dispatch passes the matches to the rules that own the patterns.
func (in *Inspector) dispatch(p *TextPass, found []text.Match) {
	if len(found) == 0 {
		return
	}
	owner := in.engine.owner
	for _, pattern := range in.scan.Cut() {
		in.cut = in.cut || owner[pattern].rule != noRule && (!p.client() || in.engine.rules[owner[pattern].rule].Client)
	}
	slices.SortStableFunc(found, func(a, b text.Match) int { return owner[a.Pattern].rule - owner[b.Pattern].rule })
	for i := 0; i < len(found); {
		rule := owner[found[i].Pattern].rule
		in.matches = in.matches[:0]
		for ; i < len(found) && owner[found[i].Pattern].rule == rule; i++ {
			m := found[i]
			m.Pattern = owner[m.Pattern].index
			in.matches = append(in.matches, m)
		}
		r := &in.engine.rules[rule]
		if p.client() && !r.Client {
			continue
		}
		p.rule, p.Matches = r, disjoint(in.matches)
		in.guard(r, func() { r.Text(p) })
	}
}

// disjoint drops each match that overlaps a longer one, or an earlier one of the same length. If several
// of a rule's patterns match overlapping text, they report the same problem.
func disjoint(ms []text.Match) []text.Match {
	slices.SortStableFunc(ms, func(a, b text.Match) int { return a.Start - b.Start })
	kept := ms[:0]
	for _, m := range ms {
		if n := len(kept); n > 0 && m.Start < kept[n-1].End {
			if m.End-m.Start > kept[n-1].End-kept[n-1].Start {
				kept[n-1] = m
			}
			continue
		}
		kept = append(kept, m)
	}
	return kept
}

// guard runs a check. If the check panics, guard reports the panic as a finding, the event counts as not
// fully inspected, and the other rules still run.
func (in *Inspector) guard(r *Rule, check func()) {
	defer func() {
		if v := recover(); v != nil {
			if f := crashed(r, in.event, v); !in.found.full(f.Severity) {
				in.add(f)
			}
			in.skip(crashReason(r))
		}
	}()
	check()
}
