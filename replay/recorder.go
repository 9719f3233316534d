package replay

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// Recorder writes events as events.jsonl. A frame is written as is if it is a JSON value on a
// single line, otherwise as a string or in base64.
type Recorder struct {
	w    io.Writer
	name string
	line int
	buf  []byte
	doc  wire.Doc
}

// NewRecorder returns a recorder that writes to w; name is the recording's file name in locations.
func NewRecorder(w io.Writer, name string) *Recorder { return &Recorder{w: w, name: name} }

// Record writes one event and sets its location in the recording, so that live inspection and a
// replay report the same location. For the same reason, it makes names valid UTF-8. It writes no
// configurations, lockfiles, settings, identities of started servers or removals of servers, which a
// replay gets separately.
func (r *Recorder) Record(e *scanner.Event) error {
	switch e.Kind {
	case scanner.ConfigEvent, scanner.LockEvent, scanner.SettingsEvent, scanner.StartedEvent, scanner.RemovedEvent:
		return nil
	}
	r.line++
	e.Session, e.Server, e.Transport, e.Request = valid(e.Session), valid(e.Server), valid(e.Transport), valid(e.Request)
	e.Origin = scanner.Origin{File: r.name, Line: r.line, Column: 1}
	var b []byte
	if e.Kind == scanner.AuditEvent && r.isLine(e.Frame) { // an audit event's frame is its line
		e.Frame, e.Origin.Exact = r.doc.Raw(0), true
		b = append(r.buf[:0], e.Frame...)
		return r.write(append(b, '\n'))
	}
	b = r.head(e)
	switch e.Kind {
	case scanner.SkippedEvent, scanner.IgnoredEvent:
		e.Reason = valid(e.Reason)
		b = append(b, `,"reason":`...)
		b = wire.AppendString(b, []byte(e.Reason))
	case scanner.SharedEvent:
		b = e.Shared.AppendJSON(append(b, `,"shared":`...))
	case scanner.DefinitionEvent:
		b = r.frame(b, e, "document")
	default:
		b = r.frame(b, e, "message")
	}
	return r.write(append(b, "}\n"...))
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func (r *Recorder) write(b []byte) error {
	r.buf = b
	if _, err := r.w.Write(b); err != nil {
		return fmt.Errorf("recording to %s: %w", r.name, err)
	}
	return nil
}

func (r *Recorder) head(e *scanner.Event) []byte {
	kind := map[scanner.EventKind]string{scanner.SkippedEvent: typeSkipped, scanner.IgnoredEvent: typeIgnored,
		scanner.DefinitionEvent: typeDefinitions, scanner.SharedEvent: typeShared}[e.Kind]
	if kind == "" {
		kind = typeMessage
	}
	b := append(r.buf[:0], `{"type":"`+kind+`","timestamp":"`...)
	b = e.Time.UTC().AppendFormat(b, time.RFC3339Nano)
	b = append(b, '"')
	for _, f := range [...]struct{ key, value string }{
		{"session_id", e.Session}, {"server_id", e.Server}, {"server_type", e.Transport}, {"request_id", e.Request},
	} {
		if f.key == "request_id" && f.value == "" {
			continue
		}
		b = append(b, `,"`+f.key+`":`...)
		b = wire.AppendString(b, []byte(f.value))
	}
	if e.Kind == scanner.FrameEvent {
		b = append(b, `,"direction":"`+e.Direction.String()+`"`...)
		b = appendHTTPHead(b, e)
	}
	return b
}

// appendHTTPHead appends the head of the HTTP exchange, if there was one, and makes its fields valid
// UTF-8.
func appendHTTPHead(b []byte, e *scanner.Event) []byte {
	if e.HTTP == nil {
		return b
	}
	head := *e.HTTP
	e.HTTP = &head
	b = append(b, `,"http":{`...)
	first := len(b)
	for i, f := range headFields(&head) {
		if *f = valid(*f); *f != "" {
			b = append(b, `"`+headKeys[i]+`":`...)
			b = append(wire.AppendString(b, []byte(*f)), ',')
		}
	}
	if len(head.Params) > 0 {
		b = append(b, `"params":{`...)
		head.Params = slices.Clone(head.Params)
		for i := range head.Params {
			p := &head.Params[i]
			p.Name, p.Value = valid(p.Name), valid(p.Value)
			b = append(wire.AppendString(b, []byte(p.Name)), ':')
			b = append(wire.AppendString(b, []byte(p.Value)), ',')
		}
		b = append(b[:len(b)-1], "},"...)
	}
	if head.Authorized {
		b = append(b, `"authorized":true,`...)
	}
	if len(b) > first {
		b = b[:len(b)-1]
	}
	return append(b, '}')
}

// headKeys are the members of a record's HTTP head; headFields returns the corresponding fields.
var headKeys = [...]string{"method", "name", "protocol_version", "session"}

func headFields(h *mcp.HTTPHead) [len(headKeys)]*string {
	return [...]*string{&h.Method, &h.Name, &h.Version, &h.Session}
}

// recordedHead reads the HTTP head of a record; it returns nil if there is none.
func recordedHead(doc *wire.Doc) *mcp.HTTPHead {
	n := doc.Get(0, "http")
	if doc.Kind(n) != wire.Object {
		return nil
	}
	head := &mcp.HTTPHead{Authorized: string(doc.Raw(max(0, doc.Get(n, "authorized")))) == "true"}
	for i, f := range headFields(head) {
		*f, _ = doc.Str(n, headKeys[i])
	}
	params := doc.Get(n, "params")
	if doc.Kind(params) != wire.Object {
		return head
	}
	for c := doc.First(params); c >= 0 && len(head.Params) < mcp.MaxHeadParams; c = doc.Next(c) {
		if doc.Kind(c) == wire.String {
			head.Params = append(head.Params, mcp.HeadParam{Name: doc.KeyString(c), Value: doc.TextString(c)})
		}
	}
	return head
}

// frame appends the frame under key, or under a different key if it is not JSON on one line, and
// records its column.
func (r *Recorder) frame(b []byte, e *scanner.Event, key string) []byte {
	if key == "document" && r.doc.Parse(e.Frame) == nil {
		e.Frame = inOneLine(e.Frame)
	}
	switch {
	case r.isLine(e.Frame):
		b = append(b, `,"`+key+`":`...)
		from, to := int(r.doc.Nodes[0].Start), int(r.doc.Nodes[0].End)
		b = append(b, e.Frame[:from]...)
		e.Origin.Column, e.Origin.Exact = 1+utf8.RuneCount(b), true
		b = append(b, e.Frame[from:]...)
		e.Frame = e.Frame[from:to]
	case utf8.Valid(e.Frame):
		b = append(b, `,"raw":`...)
		e.Origin.Column = 1 + utf8.RuneCount(b)
		b = wire.AppendString(b, e.Frame)
	default:
		b = append(b, `,"raw_base64":"`...)
		b = base64.StdEncoding.AppendEncode(b, e.Frame)
		b = append(b, '"')
	}
	return b
}

// isLine reports whether a frame can be written as is, on one line.
func (r *Recorder) isLine(frame []byte) bool {
	return !bytes.ContainsAny(frame, "\r\n") && r.fits(frame)
}

// fits reports whether a frame can be embedded in a record as is. It must be JSON, must not be a
// string (which would be read as a quoted frame), and must not be nested so deeply that the record
// exceeds the limit.
func (r *Recorder) fits(frame []byte) bool {
	return r.doc.Parse(frame) == nil && r.doc.Kind(0) != wire.String && depth(&r.doc) < wire.MaxDepth
}

// depth returns the nesting depth of a document.
func depth(doc *wire.Doc) int {
	deepest, now, open := 0, 0, int32(-1)
	for i := range doc.Nodes {
		n := &doc.Nodes[i]
		for ; open != n.Parent; now-- {
			open = doc.Nodes[open].Parent
		}
		if n.Kind >= wire.Array {
			open = int32(i)
			now++
			deepest = max(deepest, now)
		}
	}
	return deepest
}

// inOneLine puts a JSON text on one line. Line breaks in JSON are white space, so replacing them
// with spaces does not change the value.
func inOneLine(text []byte) []byte {
	return bytes.Map(func(c rune) rune {
		if c == '\n' || c == '\r' {
			return ' '
		}
		return c
	}, text)
}
