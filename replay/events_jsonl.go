package replay

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// jsonLines decodes files with one JSON value per line: events.jsonl, audit logs in both forms,
// other tools' frame logs, and bare JSON-RPC messages.
type jsonLines struct{ file, session string }

// The types of lines in events.jsonl other than audit events.
const (
	typeMessage     = "mcp_message"
	typeDefinitions = "mcp_definitions"
	typeSkipped     = "mcp_skipped"
	typeIgnored     = "mcp_ignored"
	typeShared      = "mcp_shared"
	typeLLM         = "llm_message"
)

// unknownBody is the reason for not reading an llm_message.
const unknownBody = "llm_message: a body in an unknown format"

// auditTypes lists the types of events in which an engine reports what it observed.
var auditTypes = map[string]bool{
	"mcp_tool_seen": true, "mcp_tool_changed": true, "mcp_tool_called": true, "mcp_tool_call_intercepted": true,
	"mcp_cross_server_blocked": true, "mcp_network_connection": true, "mcp_detection": true,
	"mcp_server_name_similarity": true, "mcp_output_inspection": true, "mcp_tool_result_inspected": true,
	"mcp_server_binary_mismatch": true, "mcp_server_binary_not_pinned": true, "mcp_server_env_filtered": true,
	"mcp_tools_list_changed": true, "mcp_sampling_request": true, "mcp_approval": true,
}

func (d *jsonLines) decode(b *lineBuffers, l line, data []byte, yield func(*scanner.Event)) {
	e := b.event(d.file, l)
	if err := b.doc.Parse(data); err != nil {
		// The line is not a record, so its content is inspected as text.
		e.Session, e.Frame = d.session, data
		if start := bytes.TrimLeft(data, " \t\r"); start[0] != '{' && start[0] != '[' {
			e.Reason = "a line is not JSON: the recording is damaged, or the file is not a recording"
		}
		yield(e)
		return
	}
	if b.doc.Kind(0) != wire.Object {
		if b.doc.Kind(0) == wire.Array && !speaks(&b.doc, 0) {
			e.Reason = unread(&b.doc)
		}
		d.bare(b, e, data, yield)
		return
	}
	kind := d.common(b, e)
	if own := answers(&b.doc, 0) || asks(&b.doc, 0); own && b.doc.Get(0, "jsonrpc") < 0 && known(kind) {
		defer yield(skipped(d.file, l.number, "a record is also a message: only the record was inspected"))
	}
	switch {
	case b.doc.Get(0, "jsonrpc") >= 0: // checked first, because a peer can put any other member into its message
		d.bare(b, e, data, yield)
	case kind == typeMessage:
		d.record(b, e, "message", data, yield)
	case kind == typeDefinitions:
		e.Kind, e.Direction = scanner.DefinitionEvent, mcp.ServerToClient
		d.record(b, e, "document", data, yield)
	case kind == typeSkipped, kind == typeIgnored:
		if e.Kind, e.Type = scanner.SkippedEvent, kind; kind == typeIgnored {
			e.Kind = scanner.IgnoredEvent
		}
		e.Reason, _ = b.doc.Str(0, "reason")
		yield(e)
	case kind == typeShared:
		d.shared(e, b, yield)
	case kind == typeLLM:
		e.Kind, e.Reason = scanner.SkippedEvent, unknownBody
		yield(e)
	case auditTypes[kind]:
		d.audit(b, e, kind, data)
		yield(e)
	case d.foreign(b, e, data, yield):
	case isMessage(&b.doc, 0) || asks(&b.doc, 0): // an unknown type does not turn a message into a record
		d.bare(b, e, data, yield)
	case formatOf(&b.doc) != "":
		e.Kind, e.Reason = scanner.SkippedEvent, unread(&b.doc)
		yield(e)
	case kind != "" && (b.doc.Get(0, "session_id") >= 0 || b.doc.Get(0, "timestamp") >= 0):
		e.Kind, e.Reason = scanner.IgnoredEvent, "unknown event type "+kind
		switch {
		case holdsMessage(&b.doc):
			e.Kind, e.Reason = scanner.SkippedEvent, "unknown event type "+kind+", with a message that was not inspected"
		case b.doc.Get(0, "session_id") < 0: // the logs of other agents have a type and a time as well
			e.Kind = scanner.SkippedEvent
		}
		yield(e)
	default: // inspect its content as text
		if !carriesText(&b.doc) {
			e.Reason = NoMessage
		}
		d.bare(b, e, data, yield)
	}
}

// unreadTime is the reason reported for a message whose time cannot be read.
const unreadTime = "a time that is neither in RFC 3339 form nor a Unix time: rules with time windows ignore the message"

var timestamp = []string{"timestamp"}

// date sets an event's time from the member with the first of the given keys that the line contains.
func (b *lineBuffers) date(e *scanner.Event, keys []string) {
	if s, ok := first(&b.doc, keys); ok && len(s) > 0 && string(s) != "0" {
		if e.Time, ok = parseTime(string(s)); !ok {
			e.Time, ok = timeOf(string(s))
		}
		if ok {
			e.Unreadable = ""
		} else {
			e.Unreadable = unreadTime
		}
	}
}

// known reports whether this package reads lines of events.jsonl with the given type.
func known(kind string) bool {
	switch kind {
	case typeMessage, typeDefinitions, typeSkipped, typeIgnored, typeShared, typeLLM:
		return true
	}
	return auditTypes[kind]
}

// common reads the members common to all lines of events.jsonl, and returns the type.
func (d *jsonLines) common(b *lineBuffers, e *scanner.Event) string {
	doc := &b.doc
	e.Session, e.Server = d.session, ""
	if s, ok := doc.StrBytes(0, "session_id"); ok {
		e.Session = b.str(s)
	}
	if s, ok := doc.StrBytes(0, "server_id"); ok {
		e.Server = b.str(s)
	}
	if s, ok := doc.StrBytes(0, "server_type"); ok {
		e.Transport = b.str(s)
	}
	e.Request, _ = doc.Str(0, "request_id")
	b.date(e, timestamp)
	if s, ok := doc.StrBytes(0, "direction"); ok {
		name := b.str(s)
		e.Direction, e.Side = directionOf(name), sideOf(name)
	}
	kind, _ := doc.StrBytes(0, "type")
	return b.str(kind)
}

// record decodes an mcp_message, or an mcp_definitions with its document.
func (d *jsonLines) record(b *lineBuffers, e *scanner.Event, key string, data []byte, yield func(*scanner.Event)) {
	doc := &b.doc
	e.Type, e.HTTP = typeMessage, recordedHead(doc)
	if e.Kind == scanner.DefinitionEvent {
		e.Type = typeDefinitions
	}
	text := func(key string) bool { return doc.Kind(doc.Get(0, key)) == wire.String }
	n, raw, coded := doc.Get(0, key), text("raw"), text("raw_base64")
	if repeats(doc) {
		defer yield(skipped(d.file, e.Origin.Line, repeatedMember))
	}
	switch {
	case n >= 0 && (raw || coded):
		defer yield(skipped(d.file, e.Origin.Line, "an %s in several forms: only %s was inspected", e.Type, key))
	case raw && coded:
		defer yield(skipped(d.file, e.Origin.Line, "an %s in several forms: only raw was inspected", e.Type))
	}
	if n < 0 && raw {
		n = doc.Get(0, "raw")
	}
	if n >= 0 {
		d.embedded(b, e, n, data)
		yield(e)
		return
	}
	if s, ok := doc.Str(0, "raw_base64"); ok {
		raw, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			yield(skipped(d.file, e.Origin.Line, "raw_base64 is not base64"))
			return
		}
		e.Frame = raw
		yield(e)
		return
	}
	yield(skipped(d.file, e.Origin.Line, "an %s without %s, raw or raw_base64", e.Type, key))
}

// repeatedMember is the reason reported for a line in which different readers may find different
// messages.
const repeatedMember = "a line has a member twice: only the last was inspected"

// repeats reports whether a line has a duplicate member. A rule reports duplicates in the message
// itself.
func repeats(doc *wire.Doc) bool {
	return slices.ContainsFunc(doc.Anomalies, func(a wire.Anomaly) bool {
		return a.Kind == wire.DuplicateKey && doc.Nodes[a.Node].Parent == 0
	})
}

// shared decodes an mcp_shared, which contains what a message on another connection adds
// to the session.
func (d *jsonLines) shared(e *scanner.Event, b *lineBuffers, yield func(*scanner.Event)) {
	s, err := scanner.ParseShared(&b.doc, b.doc.Get(0, "shared"))
	if err != nil {
		yield(skipped(d.file, e.Origin.Line, "an mcp_shared cannot be read: %v", err))
		return
	}
	e.Kind, e.Type, e.Shared = scanner.SharedEvent, typeShared, s
	yield(e)
}

// embedded takes an event's frame from a node in the line: a raw JSON value, or a string that
// contains the frame.
func (d *jsonLines) embedded(b *lineBuffers, e *scanner.Event, n int, data []byte) {
	doc := &b.doc
	start := int(doc.Nodes[n].Start)
	e.Origin.Column = 1 + utf8.RuneCount(data[:start])
	if doc.Kind(n) == wire.String {
		var buf []byte
		e.Frame = bytes.Clone(doc.Text(n, &buf))
		return
	}
	e.Frame, e.Origin.Exact = doc.Raw(n), true
	e.SetTree(doc, n)
}

// bare decodes a line that is itself a message.
func (d *jsonLines) bare(b *lineBuffers, e *scanner.Event, data []byte, yield func(*scanner.Event)) {
	if e.Session == "" {
		e.Session = d.session
	}
	if e.Server == "" {
		e.Server = baseName(d.file)
	}
	e.Kind, e.Unreadable = scanner.FrameEvent, "" // a time in it comes from its sender, not from a recorder
	d.embedded(b, e, 0, data)
	yield(e)
}

// directionOf parses the spellings of a direction in logs, except for words whose meaning depends on the
// side that wrote the log, such as sent or read, which sideOf parses.
func directionOf(s string) mcp.Direction {
	switch s { // fast path for nearly all lines
	case "client_to_server":
		return mcp.ClientToServer
	case "server_to_client":
		return mcp.ServerToClient
	}
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune("_- >→", r) })
	switch strings.Join(words, "_") {
	case "client_to_server", "c2s", "client_server", "client", "from_client", "to_server", "request", "stdin":
		return mcp.ClientToServer
	case "server_to_client", "s2c", "server_client", "server", "from_server", "to_client", "response", "stdout":
		return mcp.ServerToClient
	}
	from, to, _ := splitArrow(s)
	switch {
	case from == to:
	case from == "client", to == "server":
		return mcp.ClientToServer
	case from == "server", to == "client":
		return mcp.ServerToClient
	}
	return mcp.Unknown
}

// splitArrow returns the names in "A -> B", in lower case.
func splitArrow(s string) (from, to string, ok bool) {
	from, to, ok = strings.Cut(strings.ReplaceAll(strings.ToLower(s), "→", "->"), "->")
	from, to = strings.TrimSpace(from), strings.TrimSpace(to)
	return from, to, ok && from != "" && to != ""
}

// sideOf parses the spellings of sent and received in logs.
func sideOf(s string) mcp.Side {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "send", "sends", "sent", "sending", "write", "wrote", "writing", "out", "outgoing", "outbound", "egress", "tx", "->", "-->", "=>", ">", ">>", ">>>", "→":
		return mcp.Sent
	case "recv", "receive", "receives", "received", "receiving", "read", "reading", "in", "incoming", "inbound", "ingress", "rx", "<-", "<--", "<=", "<", "<<", "<<<", "←":
		return mcp.Received
	}
	// any fixed order will do: the first answered request shows which name is the client's
	if from, to, ok := splitArrow(s); ok && from < to {
		return mcp.Sent
	} else if ok && from > to {
		return mcp.Received
	}
	return mcp.NoSide
}

// parseTime reads RFC 3339 and its common variants.
func parseTime(s string) (time.Time, bool) {
	if len(s) > 10 && (s[10] == ' ' || s[10] == 't') {
		s = s[:10] + "T" + s[11:]
	}
	if strings.HasSuffix(s, "z") {
		s = s[:len(s)-1] + "Z"
	}
	for _, layout := range [...]string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04:05Z0700"} { // a fraction is parsed even if the layout has none
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}
