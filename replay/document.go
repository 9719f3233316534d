package replay

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// maxDocument bounds a file that has to be read as a whole.
const maxDocument = 512 << 20

// readAll reads a document, or says that it is too large. Beside an error of the
// reader stands what it gave before.
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

// archiveNodes bounds the values of a document that holds many messages.
const archiveNodes = 16_000_000

// openDocument reads a file that is one JSON value over several lines: HAR, a
// single message, or a list of messages or records.
func openDocument(name string, r io.Reader, o Options) (scanner.Source, error) {
	data, err := readAll(name, r)
	if err != nil {
		return nil, err
	}
	doc := wire.Doc{MaxNodes: archiveNodes}
	if err := doc.Parse(data); err != nil {
		return nil, syntaxAt(name, data, err, ErrFormat)
	}
	if entries := doc.Get(doc.Get(0, "log"), "entries"); doc.Kind(entries) == wire.Array {
		h := har{name: name, doc: &doc, at: scanner.NewPlaces(name, data), max: o.MaxMessage}
		return &once{h.events(entries)}, nil
	}
	at := scanner.NewPlaces(name, data)
	var b lineBuffers
	var events chunk
	add := func(n int) bool {
		if !isMessage(&doc, n) {
			return false
		}
		e := b.event(name, line{number: 1})
		e.Session, e.Server, e.Frame = baseName(name), baseName(name), doc.Raw(n)
		e.Origin = at.Origin(int(doc.Nodes[n].Start))
		events = append(events, e)
		return true
	}
	switch {
	case doc.Kind(0) == wire.Object && add(0):
		return &once{events}, nil
	case scanReads(&doc):
		return nil, fmt.Errorf("%s: %w: one JSON document without messages; to check definitions and client configurations: mcpscan scan %s", name, ErrFormat, name)
	case doc.Kind(0) != wire.Array || !speaks(&doc, 0):
		return &once{chunk{skipped(name, 1, "%s", unreadDocument(&doc))}}, nil
	}
	for c := doc.First(0); c >= 0; c = doc.Next(c) {
		if !add(c) {
			events = append(events, skipped(name, at.Origin(int(doc.Nodes[c].Start)).Line, "%s", unread(&doc, c)))
		}
	}
	return &once{events}, nil
}

// scanReads reports a document that another command reads.
func scanReads(doc *wire.Doc) bool {
	return formatOf(doc, 0) == "" && holdsDefinitions(doc) || doc.Kind(doc.Get(0, "mcpServers")) == wire.Object
}

// syntaxAt says where in a file JSON ends to be JSON, and what the file is not for that.
func syntaxAt(name string, data []byte, err, not error) error {
	var syntax *wire.SyntaxError
	if !errors.As(err, &syntax) {
		return fmt.Errorf("%s: %w", name, err)
	}
	loc := scanner.Origin{Line: 1, Column: 1, Exact: true}.At(data, min(syntax.Offset, len(data)))
	return fmt.Errorf("%s:%d:%d: %w: invalid JSON: %s", name, loc.Line, loc.Column, not, syntax.Msg)
}

// har turns the exchanges of an HTTP archive (HAR 1.2) into frames.
type har struct {
	name string
	doc  *wire.Doc
	at   *scanner.Places
	max  int64
	mcp  map[string]bool // the endpoints that speak MCP, by what their clients send
	out  chunk
}

func (h *har) events(entries int) chunk {
	h.mcp = map[string]bool{}
	for c := h.doc.First(entries); c >= 0; c = h.doc.Next(c) {
		if h.speaksMCP(c) {
			h.mcp[h.endpoint(c)] = true
		}
	}
	for c := h.doc.First(entries); c >= 0; c = h.doc.Next(c) {
		h.entry(c)
	}
	if h.out == nil {
		h.out = chunk{}
	}
	return h.out
}

func (h *har) entry(n int) {
	doc := h.doc
	request, response := doc.Get(n, "request"), doc.Get(n, "response")
	started, _ := doc.Str(n, "startedDateTime")
	base := scanner.Event{Transport: "http", Session: baseName(h.name)}
	base.Time, _ = parseTime(started)
	base.Server = h.endpoint(n)
	for _, headers := range [...]int{doc.Get(request, "headers"), doc.Get(response, "headers")} {
		if id := h.header(headers, "mcp-session-id"); id != "" {
			base.Session = id
			break // no answer may move a request
		}
	}
	base.HTTP = &scanner.HTTPHead{}
	h.fields(base.HTTP, true, doc.Get(request, "headers"))
	h.fields(base.HTTP, false, doc.Get(response, "headers"))
	loc := h.at.Origin(int(doc.Nodes[n].Start))
	loc.Exact = false
	before := len(h.out)
	h.request(base, doc.Get(request, "postData"))
	h.response(base, doc.Get(response, "content"))
	if len(h.out) == before {
		h.out = append(h.out, &scanner.Event{Kind: scanner.IgnoredEvent, Reason: "an HTTP exchange without MCP messages", Origin: loc})
	}
}

// endpoint is the host and path of an exchange.
func (h *har) endpoint(n int) string {
	if u, ok := h.doc.Str(h.doc.Get(n, "request"), "url"); ok {
		if parsed, err := url.Parse(u); err == nil {
			return parsed.Host + parsed.Path
		}
	}
	return ""
}

// speaksMCP reports whether the client of an exchange speaks MCP: by its
// headers, or by what it posts. No server has a say in it, so none can choose
// not to be inspected.
func (h *har) speaksMCP(n int) bool {
	request := h.doc.Get(n, "request")
	if h.header(h.doc.Get(request, "headers"), "mcp-session-id") != "" || h.header(h.doc.Get(request, "headers"), "mcp-protocol-version") != "" {
		return true
	}
	body, ok := h.text(h.doc.Get(request, "postData"))
	return ok && messageText(body)
}

// text is the body under text, as clients read it: without a byte order mark.
func (h *har) text(n int) ([]byte, bool) {
	t := h.doc.Get(n, "text")
	if h.doc.Kind(t) != wire.String {
		return nil, false
	}
	var buf []byte
	return plainBody(bytes.Clone(h.doc.Text(t, &buf))), true
}

func plainBody(body []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(body), []byte("\xEF\xBB\xBF")))
}

func (h *har) header(headers int, name string) string {
	for c := h.doc.First(headers); c >= 0; c = h.doc.Next(c) {
		if got, _ := h.doc.Str(c, "name"); strings.EqualFold(got, name) {
			value, _ := h.doc.Str(c, "value")
			return value
		}
	}
	return ""
}

// fields takes in the fields of a head.
func (h *har) fields(head *scanner.HTTPHead, request bool, headers int) {
	for c := h.doc.First(headers); c >= 0; c = h.doc.Next(c) {
		name, _ := h.doc.Str(c, "name")
		value, _ := h.doc.Str(c, "value")
		head.Field(request, name, value)
	}
}

func (h *har) place(n int) scanner.Origin {
	loc := h.at.Origin(int(h.doc.Nodes[n].Start))
	loc.Exact = false // the file holds the body as a string
	return loc
}

func (h *har) request(base scanner.Event, post int) {
	mime, _ := h.doc.Str(post, "mimeType")
	body, ok := h.text(post)
	if !ok {
		if isJSON(mime) {
			h.out = append(h.out, skipped(h.name, h.place(post).Line, "a request body was not saved in the HAR"))
		}
		return
	}
	h.body(base, scanner.ClientToServer, body, h.place(h.doc.Get(post, "text")))
}

func (h *har) response(base scanner.Event, content int) {
	doc := h.doc
	mime, _ := doc.Str(content, "mimeType")
	body, ok := h.text(content)
	if len(body) == 0 {
		if h.missing(base, content, mime, ok) {
			h.out = append(h.out, skipped(h.name, h.place(content).Line, "a response body was not saved in the HAR"))
		}
		return
	}
	at := h.place(doc.Get(content, "text"))
	if enc, _ := doc.Str(content, "encoding"); strings.EqualFold(enc, "base64") {
		raw, err := base64.StdEncoding.DecodeString(string(body))
		if err != nil {
			h.out = append(h.out, skipped(h.name, at.Line, "a response body is not base64, although the HAR says so"))
			return
		}
		body = plainBody(raw)
	}
	if isStream(mime) {
		h.stream(base, body, at)
		return
	}
	h.body(base, scanner.ServerToClient, body, at)
}

// missing reports whether a body without text had bytes.
func (h *har) missing(base scanner.Event, content int, mime string, saved bool) bool {
	if !isJSON(mime) && !isStream(mime) && !h.mcp[base.Server] {
		return false
	}
	size := h.doc.Get(content, "size")
	if h.doc.Kind(size) == wire.Number {
		return string(h.doc.Raw(size)) != "0"
	}
	return !saved && (isJSON(mime) || isStream(mime)) // nobody says that it was empty
}

func isJSON(mime string) bool { return strings.Contains(strings.ToLower(mime), "json") }

func isStream(mime string) bool { return strings.Contains(strings.ToLower(mime), "event-stream") }

// body makes a frame of a body: of each that is a message, and of whatever an
// endpoint sends that speaks MCP.
func (h *har) body(base scanner.Event, d scanner.Direction, body []byte, at scanner.Origin) {
	switch {
	case len(body) == 0 || !h.mcp[base.Server] && !messageText(body):
	case h.max > 0 && int64(len(body)) > h.max:
		h.out = append(h.out, skipped(h.name, at.Line, "a body is over the limit of %d bytes (--max-message)", h.max))
	default:
		h.frame(base, d, body, at)
	}
}

// stream takes the frames out of a saved event stream. Where one of its events
// is a message, or announces the endpoint of one, all are taken.
func (h *har) stream(base scanner.Event, body []byte, at scanner.Origin) {
	mcp, before := h.mcp[base.Server], len(h.out)
	sse := wire.NewSSEReader(bytes.NewReader(body), h.max)
	for {
		ev, err := sse.Next()
		if err != nil {
			break
		}
		data := plainBody(ev.Data)
		switch {
		case ev.Oversize:
			h.out = append(h.out, skipped(h.name, at.Line, "a server-sent event is over the limit of %d bytes (--max-message)", h.max))
		case ev.Type == "endpoint" && !opensJSON(data):
			mcp = true
		case len(data) > 0:
			mcp = mcp || messageText(data)
			h.frame(base, scanner.ServerToClient, bytes.Clone(data), at)
		}
	}
	if !mcp {
		kept := h.out[:before]
		for _, e := range h.out[before:] {
			if e.Kind == scanner.SkippedEvent {
				kept = append(kept, e)
			}
		}
		h.out = kept
	}
}

func (h *har) frame(base scanner.Event, d scanner.Direction, body []byte, at scanner.Origin) {
	e := base
	e.Direction, e.Frame, e.Origin = d, body, at
	h.out = append(h.out, &e)
}

// opensJSON reports whether a text starts as an object or a list.
func opensJSON(text []byte) bool {
	return len(text) > 0 && (text[0] == '{' || text[0] == '[')
}
