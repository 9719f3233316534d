package replay

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// maxDocument is the maximum size of a file that must be read as a whole.
const maxDocument = 512 << 20

// readAll reads a document, or reports that it is too large. If the reader fails, it returns the
// error and what was read before it.
func readAll(name string, r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxDocument+1))
	if err != nil {
		return bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF")), fmt.Errorf("reading %s: %w", name, err)
	}
	if len(data) > maxDocument {
		return nil, fmt.Errorf("reading %s: the document is larger than %d MiB; split it", name, maxDocument>>20)
	}
	return bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF")), nil
}

// archiveValues is the maximum number of values in a document with many messages.
const archiveValues = 16_000_000

// openDocument reads a file that is one JSON value, usually over several lines: HAR, a body of an LLM
// API, a single message, or an array of messages or records. HAR and arrays are read one entry at a
// time, as far as possible.
func openDocument(name string, r io.Reader, o Options) (scanner.Source, error) {
	data, err := readAll(name, r)
	if len(data) == 0 && err != nil {
		return nil, err
	}
	root, syntax := wire.Skim(data, archiveValues)
	at := scanner.NewPlaces(name, data)
	source := &made{}
	if err != nil || syntax != nil {
		source.broken = brokenOff(at, data, err, syntax)
	}
	if entries := root.Get("log").Get("entries"); entries.Kind() == wire.Array && (source.broken == nil || entries.Children().Next()) {
		source.next = newHAR(name, at, o, entries).next
		return source, nil
	}
	if isTranscript(root) {
		if end := root.Start() + len(root.Raw()); err == nil && syntax != nil && followsValue(syntax, end) { // several lines, each with one body
			return openTranscript(name, bytes.NewReader(data), o), nil
		}
		return openTranscriptDocument(name, data, root, source.broken, o), nil
	}
	head := headOf(root)
	if root.Kind() == wire.Array && !scanReads(head) && (speaksIn(root) || listsRecords(root)) {
		source.next = (&messages{name: name, session: o.Session, at: at, list: root.Children(), records: jsonLines{name, o.Session}}).next
		return source, nil
	}
	switch {
	case err == nil && syntax != nil && followsValue(syntax, root.Start()+len(root.Raw())):
		return nil, fmt.Errorf("%w; a recording has each value on one line; to convert the file, run: jq -c . %s", syntaxAt(name, data, syntax, ErrFormat), name)
	case err != nil:
		return nil, err
	case syntax != nil:
		return nil, syntaxAt(name, data, syntax, ErrFormat)
	case messageIn(root):
		return Events([]*scanner.Event{messageOf(name, o.Session, at, root)}), nil
	case scanReads(head):
		return nil, fmt.Errorf("%s: %w: a JSON document without messages; to check definitions and client configurations, run: mcpscan scan %s", name, ErrFormat, name)
	}
	return Events([]*scanner.Event{skipped(name, 1, "%s", unreadDocument(head))}), nil
}

// followsValue reports whether the error is about data that follows a complete value, which ends at end.
func followsValue(err error, end int) bool {
	s, ok := errors.AsType[*wire.SyntaxError](err)
	return ok && s.Offset >= end && strings.HasSuffix(s.Msg, "after the value")
}

// brokenOff returns an event that reports the position at which a document becomes unreadable.
func brokenOff(at *scanner.Places, data []byte, failed, syntax error) *scanner.Event {
	end, why := len(data), failed
	if s := (*wire.SyntaxError)(nil); failed == nil && errors.As(syntax, &s) {
		end, why = min(s.Offset, len(data)), fmt.Errorf("invalid JSON: %s", s.Msg)
	}
	loc := at.At(end)
	e := skipped(loc.File, loc.Line, "the document is truncated: %v", why)
	e.Origin.Column = loc.Column
	return e
}

// headOf parses the part of a document that identifies its format: a list is reduced to its first
// element. It returns a document with an empty text if that part has too many values or is not
// JSON.
func headOf(root wire.Value) *wire.Doc {
	text := root.Raw()
	if list := root.Children(); root.Kind() == wire.Array && list.Next() {
		text = slices.Concat([]byte("["), list.Value.Raw(), []byte("]"))
	}
	var doc wire.Doc
	if doc.Parse(text) != nil {
		doc.SetText(nil)
	}
	return &doc
}

// scanReads reports whether mcpscan scan can read a document.
func scanReads(doc *wire.Doc) bool {
	return formatOf(doc) == "" && holdsDefinitions(doc) || doc.Kind(doc.Get(0, "mcpServers")) == wire.Object
}

// messages reads an array of messages or records.
type messages struct {
	name    string
	session string
	at      *scanner.Places
	list    *wire.Children
	records jsonLines
	buffers lineBuffers
}

func (m *messages) next() (chunk, bool) {
	if !m.list.Next() {
		return nil, false
	}
	v := m.list.Value
	if messageIn(v) {
		return chunk{messageOf(m.name, m.session, m.at, v)}, true
	}
	if doc := &m.buffers.doc; doc.Parse(v.Raw()) == nil { // decode reports a truncated element
		if why := unread(doc); why != NoMessage || !isRecord(doc) {
			return chunk{skipped(m.name, m.at.At(v.Start()).Line, "%s", why)}, true
		}
	}
	var events chunk
	m.records.decode(&m.buffers, line{number: m.at.At(v.Start()).Line}, v.Raw(), func(e *scanner.Event) {
		m.place(e, v)
		events = append(events, e)
	})
	return events, true
}

// place converts the location of an event, whose column is counted from the start of the list element,
// to its location in the document.
func (m *messages) place(e *scanner.Event, element wire.Value) {
	offset, left := 0, e.Origin.Column-1
	for offset = range string(element.Raw()) {
		if left == 0 {
			break
		}
		left--
	}
	loc := m.at.At(element.Start() + offset)
	e.Origin.Line, e.Origin.Column = loc.Line, loc.Column
	e.SetTree(nil, 0) // the buffer of the tree is reused for the next element
}

// isRecord reports whether a value has the form of a line of events.jsonl or of another tool's frame
// log.
func isRecord(doc *wire.Doc) bool {
	kind, _ := doc.Str(0, "type")
	return doc.Kind(0) == wire.Object && (known(kind) || payload(doc) >= 0)
}

// listsRecords reports whether a record is among the first sniffLines elements of a list.
func listsRecords(list wire.Value) bool {
	var doc wire.Doc
	c := list.Children()
	for i := 0; i < sniffLines && c.Next(); i++ {
		if doc.Parse(c.Value.Raw()) == nil && isRecord(&doc) {
			return true
		}
	}
	return false
}

func messageIn(v wire.Value) bool { return memberKinds(v).message() }

// speaksIn reports whether a list contains a JSON-RPC message.
func speaksIn(list wire.Value) bool {
	for c := list.Children(); c.Next(); {
		if m := memberKinds(c.Value); m.message() || m.asks() {
			return true
		}
	}
	return false
}

func memberKinds(v wire.Value) members {
	return func(key string) wire.Kind { return v.Get(key).Kind() }
}

// messageOf returns the event for a message in a document.
func messageOf(name, session string, at *scanner.Places, v wire.Value) *scanner.Event {
	return &scanner.Event{Session: session, Server: baseName(name), Frame: v.Raw(), Origin: at.Origin(v.Start())}
}

// syntaxAt returns an error with the position at which the JSON of a file becomes invalid. It wraps
// sentinel, which says that the file is not of the expected kind.
func syntaxAt(name string, data []byte, err, sentinel error) error {
	syntax, ok := errors.AsType[*wire.SyntaxError](err)
	if !ok {
		return fmt.Errorf("%s: %w", name, err)
	}
	loc := scanner.Origin{Line: 1, Column: 1, Exact: true}.At(data, min(syntax.Offset, len(data)))
	return fmt.Errorf("%s:%d:%d: %w: invalid JSON: %s", name, loc.Line, loc.Column, sentinel, syntax.Msg)
}
