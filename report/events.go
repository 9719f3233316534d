package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// Events writes the engine's input, decisions and findings as audit events, one per line, in the order
// of inspection. It is a scanner.Sink. The types and members come from the agentsh event reference;
// docs/events.md lists them.
//
// An event is written when the next one arrives, because the findings about an event follow it. After
// the first write error, Events writes nothing more, but the run continues; the same is true of the
// recording of a scan.
type Events struct {
	out  *jsonEscaper
	err  error
	only bool // only findings; see NewFindingEvents

	// The severities of reported findings, by session and fingerprint: reported holds the latest
	// ones, at most minRemembered; earlier holds the minRemembered before them.
	reported, earlier map[[16]byte]scanner.Severity

	// The current event.
	event    scanner.Event // without its frame
	messages []judged
	found    []scanner.Finding
	audit    jsontext.Value // the event to write, if it comes from another engine
	doc      wire.Doc
	parsed   bool // the frame was parsed again
	broken   bool // the frame is not valid JSON
}

// judged is the decision about a message, with the events that report the message, before findings
// are added.
type judged struct {
	decision scanner.Decision
	records  []record
	explains string // ID of the rule whose findings are in mcp_cross_server_blocked; "" without that event
}

// NewEvents returns a sink that writes to w.
func NewEvents(w io.Writer) *Events {
	return &Events{out: newJSONEscaper(w), reported: map[[16]byte]scanner.Severity{}}
}

// NewFindingEvents returns a sink that writes only events that describe a finding, including
// mcp_cross_server_blocked, which replaces the event for some findings.
func NewFindingEvents(w io.Writer) *Events {
	v := NewEvents(w)
	v.only = true
	return v
}

// Event writes the previous event and begins a new one.
func (v *Events) Event(e *scanner.Event, out *scanner.Outcome) error {
	v.flush()
	v.event, v.parsed = *e, false
	v.event.Frame = nil
	switch e.Kind {
	case scanner.FrameEvent, scanner.DefinitionEvent:
		for i := range out.Messages {
			v.messages = append(v.messages, v.message(e, &out.Messages[i]))
		}
	case scanner.AuditEvent:
		v.audit = v.passedOn(e)
	}
	return nil
}

// Finding adds a finding to the current event, if it is open and above note.
func (v *Events) Finding(f *scanner.Finding) error {
	if f.Status == scanner.Open && f.Severity > scanner.Note && !(v.audit != nil && f.Rule.ID == audReported) {
		v.found = append(v.found, *f)
	}
	return nil
}

// audReported is the rule that reports another engine's findings. Its findings are omitted if that
// engine's own events are passed on.
const audReported = "aud-reported"

// Close writes the remaining events and returns the first error.
func (v *Events) Close() error {
	if err := v.Flush(); err != nil {
		return fmt.Errorf("writing the events: %w; they are incomplete", err)
	}
	return nil
}

// flush writes the current event.
func (v *Events) flush() {
	if v.audit != nil && !v.only {
		v.write(v.audit)
	}
	for i := range v.messages {
		m := &v.messages[i]
		for k := range m.records {
			if r := &m.records[k]; !v.only || r.Type == "mcp_cross_server_blocked" {
				r.complete(&m.decision, v.found)
				v.write(r)
			}
		}
	}
	for i := range v.found {
		if f := &v.found[i]; v.fresh(f) && !v.blocked(f) {
			v.write(v.detection(f))
		}
	}
	v.messages, v.found, v.audit = v.messages[:0], v.found[:0], nil
}

// minRemembered is the minimum number of the latest findings that are remembered as reported. A
// finding that recurs after twice as many other findings is reported again.
const minRemembered = 1 << 16

// fresh reports whether a finding has not been reported in its session yet, or is more severe
// now.
func (v *Events) fresh(f *scanner.Finding) bool {
	key := keyOf(f.Session, f.Fingerprint())
	before, again := v.reported[key]
	if !again {
		before, again = v.earlier[key]
	}
	if again && before >= f.Severity {
		return false
	}
	if len(v.reported) == minRemembered {
		v.reported, v.earlier = map[[16]byte]scanner.Severity{}, v.reported
	}
	v.reported[key] = f.Severity
	return true
}

// blocked reports whether an mcp_cross_server_blocked event about a finding's rule is written
// instead of the finding.
func (v *Events) blocked(f *scanner.Finding) bool {
	return slices.ContainsFunc(v.messages, func(m judged) bool { return m.explains == f.Rule.ID })
}

func (v *Events) write(event any) {
	if v.err != nil {
		return
	}
	line, err := json.Marshal(event)
	if err == nil {
		_, err = v.out.Write(append(line, '\n'))
	}
	v.err = err
}

// root returns a message's node in the current event, or -1 if there is none. It parses the frame
// again, because the engine has discarded its parse tree.
func (v *Events) root(e *scanner.Event, m *scanner.Judged) int {
	if !v.parsed {
		v.parsed, v.broken = true, v.doc.Parse(e.Frame) != nil
	}
	if v.broken {
		return -1
	}
	i := 0
	if m.Batch > 0 {
		i = v.doc.First(0)
		for n := 1; n < m.Batch && i >= 0; n++ {
			i = v.doc.Next(i)
		}
	}
	return i
}

// message returns the decision about a message, with the events that report the message.
func (v *Events) message(e *scanner.Event, m *scanner.Judged) judged {
	j := judged{decision: m.Decision}
	add := func(r record) { j.records = append(j.records, r) }
	for i := range m.Listings {
		add(v.listed(e, &m.Listings[i]))
	}
	switch {
	case m.Kind == mcp.Request && m.Method == "tools/call" && e.Direction != mcp.ServerToClient:
		called := v.call(e, m)
		add(called)
		if m.Decision.Made() {
			add(intercepted(called, e.Dialect, m))
		}
		if crossServer(&m.Decision) {
			add(v.blockedCall(e, m))
			j.explains = m.Decision.Rule
		}
	case m.Kind == mcp.Response && m.Answers == "tools/call":
		add(v.output(e, m))
	case m.Kind == mcp.Request && m.Method == "sampling/createMessage":
		add(v.sampling(e, m))
	case m.Kind == mcp.Notification && m.Method == "notifications/tools/list_changed":
		add(v.head(e, "mcp_tools_list_changed"))
	}
	return j
}

// head returns a record with the members common to all events.
func (v *Events) head(e *scanner.Event, kind string) record {
	return record{Type: kind, Timestamp: e.Recorded().UTC().Format(time.RFC3339Nano), Session: foreign(e.Session, nameLimit),
		Server: foreign(e.Server, nameLimit), ServerType: foreign(e.Transport, nameLimit)}
}

// listed returns the event for a new or changed tool in a list.
func (v *Events) listed(e *scanner.Event, l *scanner.Listing) record {
	d := l.Definition
	r := v.head(e, "mcp_tool_seen")
	r.Tool, r.about, r.Detections = foreign(d.Name, nameLimit), mcp.ToolSubject, []detection{}
	if l.Before == nil {
		r.Hash, r.Description, r.Status = d.Digest.String(), foreignLines(d.Description), "new"
		return r
	}
	r.Type, r.PreviousHash, r.NewHash = "mcp_tool_changed", l.Before.Digest.String(), d.Digest.String()
	r.Changes, r.Status = changesOf(l.Before, d), "changed"
	return r
}

// changesOf returns the members in which two definitions differ: titles and descriptions as text,
// other values as digests.
func changesOf(before, now *mcp.Definition) []auditChange {
	out := []auditChange{}
	for i, part := range mcp.DefinitionParts {
		if before.Parts[i] == now.Parts[i] {
			continue
		}
		c := auditChange{part, before.Parts[i].String(), now.Parts[i].String()}
		if part == "description" {
			c.Previous, c.New = foreignLines(before.Description), foreignLines(now.Description)
		}
		out = append(out, c)
	}
	if before.Title != now.Title {
		out = append(out, auditChange{"title", foreign(before.Title, textLimit), foreign(now.Title, textLimit)})
	}
	if len(out) == 0 {
		out = append(out, auditChange{"other members", before.Digest.String(), now.Digest.String()})
	}
	return out
}

// call returns the event for a tool call.
func (v *Events) call(e *scanner.Event, m *scanner.Judged) record {
	r := v.head(e, "mcp_tool_called")
	r.about = mcp.CallSubject
	r.Request, r.Tool = foreign(e.Request, nameLimit), foreign(m.Target, nameLimit)
	if root := v.root(e, m); root >= 0 {
		c := cleaner{doc: &v.doc, known: text.NewSecrets(m.Secrets, nil)}
		r.ID = c.member(root, "id")
		r.Input = c.member(v.doc.Get(root, "params"), "arguments")
	}
	return r
}

// intercepted returns the event for the decision about a call.
func intercepted(called record, dialect string, m *scanner.Judged) record {
	r := called
	r.Type, r.about = "mcp_tool_call_intercepted", mcp.CallSubject
	r.Action, r.Dialect, r.CallID = "allow", cmp.Or(dialect, "mcp"), callID(called.ID)
	r.decided(&m.Decision)
	if m.Tool != nil && !m.Tool.Definition.Foreign {
		r.Hash = m.Tool.Definition.Digest.String()
	}
	return r
}

// callID returns the ID of a call as a string, whatever its JSON type.
func callID(id jsontext.Value) string {
	if s, err := jsontext.AppendUnquote(nil, id); err == nil {
		return string(s)
	}
	return string(id)
}

// decided adds a decision to the record, if one was made.
func (r *record) decided(d *scanner.Decision) {
	if !d.Made() {
		return
	}
	r.Verdict, r.Check = d.Verdict.String(), d.Check.String()
	r.Rule, r.Reason = foreign(d.Rule, nameLimit), foreign(d.Reason, textLimit)
	if refuses(d.Verdict) {
		r.Action = "block"
	}
}

// refuses reports whether a verdict stops a call. The verdict prompt does, unless the user
// allows the call.
func refuses(v scanner.Verdict) bool { return v == scanner.Block || v == scanner.Prompt }

// crossServer reports whether the cross-server check blocked a call.
func crossServer(d *scanner.Decision) bool {
	return d.Check == scanner.CrossServerCheck && d.Verdict == scanner.Block
}

// blockedCall returns the event for a call that the cross-server check blocked.
func (v *Events) blockedCall(e *scanner.Event, m *scanner.Judged) record {
	r := v.head(e, "mcp_cross_server_blocked")
	r.about = mcp.CallSubject
	r.Rule, r.Reason = agentshName(m.Decision.Rule), foreign(m.Decision.Reason, textLimit)
	r.BlockedServer, r.BlockedTool, r.RelatedCalls = r.Server, foreign(m.Target, nameLimit), []relatedCall{}
	return r
}

// output returns the event for the result of a call.
func (v *Events) output(e *scanner.Event, m *scanner.Judged) record {
	r := v.head(e, "mcp_output_inspection")
	r.about, r.Tool = mcp.ResultSubject, foreign(m.Target, nameLimit)
	r.Action, r.Detections = "allow", []detection{}
	r.decided(&m.Decision)
	length := 0
	if root := v.root(e, m); root >= 0 {
		c := cleaner{doc: &v.doc}
		r.ID = c.member(root, "id")
		for _, key := range [...]string{"result", "error"} {
			if n := v.doc.Get(root, key); n >= 0 {
				length += len(v.doc.Raw(n))
			}
		}
	}
	r.Length = &length
	return r
}

// sampling returns the event for a sampling request.
func (v *Events) sampling(e *scanner.Event, m *scanner.Judged) record {
	r := v.head(e, "mcp_sampling_request")
	r.about, r.Action, r.Detections = mcp.SamplingSubject, "allow", []detection{}
	r.decided(&m.Decision)
	root := v.root(e, m)
	if root < 0 {
		return r
	}
	params := v.doc.Get(root, "params")
	count := 0
	for c := v.doc.First(v.doc.Get(params, "messages")); c >= 0; c = v.doc.Next(c) {
		count++
	}
	hint, _ := v.doc.Str(v.doc.First(v.doc.Get(v.doc.Get(params, "modelPreferences"), "hints")), "name")
	r.ModelHint, r.Messages = foreign(hint, nameLimit), &count
	c := cleaner{doc: &v.doc}
	r.MaxTokens = c.member(params, "maxTokens")
	return r
}

// Flush writes the current event. Callers must be sure that no more findings about the event
// follow.
func (v *Events) Flush() error {
	v.flush()
	if err := v.out.Flush(); v.err == nil {
		v.err = err
	}
	return v.err
}
