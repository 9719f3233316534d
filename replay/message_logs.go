package replay

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// The keys under which tools log a frame and its direction, time, session, server and transport.
// Sources: mcpsnoop (raw, direction, ts, session_id, server_label, conn_id), {ts,dir,conn,raw} logs, and
// the loggers of proxies that write message, data, payload or body.
var (
	payloadKeys   = []string{"message", "msg", "raw", "frame", "payload", "data", "body", "content", "rpc", "line", "text"}
	directionKeys = []string{"direction", "dir", "from", "sender", "source", "side", "type", "kind", "event"}
	timeKeys      = []string{"timestamp", "ts", "time", "t", "at", "@timestamp", "date"}
	sessionKeys   = []string{"session_id", "sessionId", "session", "sid", "conn_id", "conn", "connection"}
	serverKeys    = []string{"server_id", "serverId", "server_label", "server_name", "serverName", "server"}
	transportKeys = []string{"server_type", "transport"}
)

// foreign decodes a line of another tool's frame log: an object with a message under one of the
// usual keys, or with the direction stderr or meta. It returns false for any other line.
func (d *jsonLines) foreign(b *lineBuffers, e *scanner.Event, data []byte, yield func(*scanner.Event)) bool {
	doc := &b.doc
	direction, _ := first(doc, directionKeys)
	dir := string(direction)
	if (dir == "stderr" || dir == "meta") && !isMessage(doc, 0) && !asks(doc, 0) {
		e.Kind, e.Reason = scanner.IgnoredEvent, "a log line without a message ("+dir+")"
		if holdsMessage(doc) {
			e.Kind, e.Reason = scanner.SkippedEvent, "a log line ("+dir+") with a message that was not inspected"
		}
		yield(e)
		return true
	}
	n := payload(doc)
	if n < 0 {
		return false
	}
	e.Session, e.Server, e.Transport = d.session, baseName(d.file), ""
	if s, ok := first(doc, sessionKeys); ok {
		e.Session = b.str(s)
	}
	if s, ok := first(doc, serverKeys); ok {
		e.Server = b.str(s)
	}
	if s, ok := first(doc, transportKeys); ok {
		e.Transport = b.str(s)
	}
	b.date(e, timeKeys)
	e.Direction, e.Side = mcp.Unknown, mcp.NoSide
	for _, key := range directionKeys {
		if s, ok := doc.Str(0, key); ok && e.Direction == mcp.Unknown {
			e.Direction, e.Side = directionOf(s), cmp.Or(e.Side, sideOf(s))
		}
	}
	d.embedded(b, e, n, data)
	if raw, ok := unbase64(e.Frame); ok && !e.Origin.Exact {
		e.Frame = raw
	}
	yield(e)
	if repeats(doc) {
		yield(skipped(d.file, e.Origin.Line, repeatedMember))
	}
	if answers(doc, 0) {
		yield(skipped(d.file, e.Origin.Line, "a log line is also a response: only the message in it was inspected"))
	}
	if slices.ContainsFunc(payloadKeys, func(key string) bool {
		other := payloadIn(doc, key)
		return other >= 0 && other != n && !bytes.Equal(canonical(payloadText(doc, other)), canonical(payloadText(doc, n)))
	}) {
		yield(skipped(d.file, e.Origin.Line, "a log line contains several messages: only the first was inspected"))
	}
	return true
}

// payload returns the node of the first member with a JSON-RPC message, as a value or in a string, or -1
// if there is none.
func payload(doc *wire.Doc) int {
	for _, key := range payloadKeys {
		if n := payloadIn(doc, key); n >= 0 {
			return n
		}
	}
	return -1
}

// payloadIn returns the node of a member if it contains a JSON-RPC message, and otherwise -1.
func payloadIn(doc *wire.Doc, key string) int {
	n := doc.Get(0, key)
	switch kind := doc.Kind(n); {
	case kind == wire.Object && isMessage(doc, n),
		kind == wire.Array && doc.First(n) >= 0 && isMessage(doc, doc.First(n)),
		kind == wire.String && messageText(payloadText(doc, n)):
		return n
	}
	return -1
}

// payloadText returns the JSON of a value, or the text of a string, decoded if it is in base64.
func payloadText(doc *wire.Doc, n int) []byte {
	if doc.Kind(n) != wire.String {
		return doc.Raw(n)
	}
	var buf []byte
	text := bytes.TrimSpace(doc.Text(n, &buf))
	if raw, ok := unbase64(text); ok {
		return raw
	}
	return text
}

// canonical returns a text in canonical form if it is JSON, so that two spellings of a message compare
// equal.
func canonical(text []byte) []byte {
	var doc wire.Doc
	if doc.Parse(text) != nil {
		return text
	}
	return doc.AppendCanonical(nil, 0)
}

// carriesText reports whether a line of another tool's frame log has a sender and a text that is
// not a message, such as a server's output.
func carriesText(doc *wire.Doc) bool {
	sent := func(key string) bool {
		s, ok := doc.Str(0, key)
		return ok && directionOf(s) != mcp.Unknown
	}
	text := func(key string) bool { return doc.Kind(doc.Get(0, key)) == wire.String }
	return slices.ContainsFunc(directionKeys, sent) && slices.ContainsFunc(payloadKeys, text)
}

// messageText reports whether a text is a message. A damaged message counts if it contains
// "jsonrpc".
func messageText(text []byte) bool {
	if len(text) < 2 || text[0] != '{' && text[0] != '[' {
		return false
	}
	if bytes.Contains(text, []byte(`"jsonrpc"`)) {
		return true
	}
	var doc wire.Doc
	if doc.Parse(text) != nil {
		return false
	}
	return isMessage(&doc, 0) || isMessage(&doc, doc.First(0))
}

// unbase64 decodes base64 that contains JSON.
func unbase64(text []byte) ([]byte, bool) {
	if len(text) < 8 || text[0] != 'e' && text[0] != 'W' { // base64 of { and [
		return nil, false
	}
	raw, err := base64.StdEncoding.AppendDecode(nil, text)
	return raw, err == nil && (raw[0] == '{' || raw[0] == '[')
}

// members returns the kind of an object's member, given its key.
type members func(key string) wire.Kind

func membersOf(doc *wire.Doc, n int) members {
	return func(key string) wire.Kind { return doc.Kind(doc.Get(n, key)) }
}

// message reports whether an object has the members of a JSON-RPC message.
func (m members) message() bool {
	if m("jsonrpc") != wire.Invalid {
		return true
	}
	return m("id") != wire.Invalid && (m("method") != wire.Invalid || m("result") != wire.Invalid || m("error") > wire.Null)
}

// asks reports whether an object is a request or a notification with params; it need not have
// jsonrpc or id.
func (m members) asks() bool {
	params := m("params")
	return m("method") == wire.String && (params == wire.Object || params == wire.Array)
}

// isMessage reports whether object n has the members of a JSON-RPC message.
func isMessage(doc *wire.Doc, n int) bool { return membersOf(doc, n).message() }

// answers reports whether object n is a response with content, whatever other members it has.
func answers(doc *wire.Doc, n int) bool {
	result := doc.Kind(doc.Get(n, "result"))
	return doc.Get(n, "id") >= 0 && (result == wire.Object || result == wire.Array || doc.Kind(doc.Get(n, "error")) == wire.Object)
}

// asks reports whether object n is a request or a notification with params.
func asks(doc *wire.Doc, n int) bool { return membersOf(doc, n).asks() }

// holdsMessage reports whether a line contains a message anywhere, as a value or in a string.
func holdsMessage(doc *wire.Doc) bool {
	for i := range doc.Nodes {
		switch doc.Kind(i) {
		case wire.Object:
			if isMessage(doc, i) || asks(doc, i) {
				return true
			}
		case wire.String:
			if messageText(payloadText(doc, i)) {
				return true
			}
		}
	}
	return false
}

func first(doc *wire.Doc, keys []string) ([]byte, bool) {
	for _, key := range keys {
		switch n := doc.Get(0, key); doc.Kind(n) {
		case wire.String:
			return doc.StrBytes(0, key)
		case wire.Number:
			return doc.Raw(n), true
		}
	}
	return nil, false
}

// timeOf parses a time: in RFC 3339, or a number of seconds, milliseconds, microseconds or
// nanoseconds since 1970, distinguished by magnitude.
func timeOf(s string) (t time.Time, ok bool) {
	if t, ok := parseTime(s); ok {
		return t, true
	}
	s = strings.TrimSpace(s)
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= 1) { // an exponent can make a short text a fraction with a huge denominator
		return time.Time{}, false
	}
	unit := int64(time.Second)
	for _, limit := range []float64{1e11, 1e14, 1e17} {
		if v < limit {
			break
		}
		unit /= 1e3
	}
	exact, ok := new(big.Rat).SetString(s) // a float64 would lose nanoseconds
	if !ok || v*float64(unit) >= math.MaxInt64 {
		return time.Time{}, false
	}
	exact.Mul(exact, new(big.Rat).SetInt64(unit))
	return time.Unix(0, new(big.Int).Quo(exact.Num(), exact.Denom()).Int64()).UTC(), true
}
