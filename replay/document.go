package replay

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// maxDocument bounds a file that has to be read as a whole.
const maxDocument = 512 << 20

// readAll reads a document, or says that it is too large.
func readAll(name string, r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxDocument+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	if len(data) > maxDocument {
		return nil, fmt.Errorf("reading %s: the document is larger than %d MiB; split it", name, maxDocument>>20)
	}
	return bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF")), nil
}

// openDocument reads a file that is one JSON value over several lines: HAR, a
// single message, or a list of messages or records.
func openDocument(name string, r io.Reader, o Options) (scanner.Source, error) {
	data, err := readAll(name, r)
	if err != nil {
		return nil, err
	}
	var doc wire.Doc
	if err := doc.Parse(data); err != nil {
		return nil, syntaxAt(name, data, err)
	}
	if entries := doc.Get(doc.Get(0, "log"), "entries"); doc.Kind(entries) == wire.Array {
		h := har{name: name, doc: &doc, at: locator{file: name, data: data}, max: o.MaxMessage}
		return &once{h.events(entries)}, nil
	}
	at := locator{file: name, data: data}
	var b lineBuffers
	var events chunk
	add := func(n int) bool {
		if !isMessage(&doc, n) {
			return false
		}
		e := b.event(name, line{number: 1})
		e.Session, e.Server, e.Frame = baseName(name), baseName(name), doc.Raw(n)
		e.Origin = at.place(int(doc.Nodes[n].Start))
		events = append(events, e)
		return true
	}
	if doc.Kind(0) == wire.Object && add(0) {
		return &once{events}, nil
	}
	for c := doc.First(0); doc.Kind(0) == wire.Array && c >= 0; c = doc.Next(c) {
		if !add(c) {
			events = nil
			break
		}
	}
	if len(events) == 0 {
		return nil, fmt.Errorf("%s: %w: it is one JSON document without messages; definitions and client configurations are read by: mcpscan scan %s", name, ErrFormat, name)
	}
	return &once{events}, nil
}

// locator finds places in a text. Asked for them in order, it reads the text once.
type locator struct {
	file string
	data []byte
	off  int
	at   scanner.Origin // the place of off
}

func (l *locator) place(off int) scanner.Origin {
	if l.at.Line == 0 || off < l.off {
		l.off, l.at = 0, scanner.Origin{File: l.file, Line: 1, Column: 1, Exact: true}
	}
	loc := l.at.At(l.data[l.off:], off-l.off)
	l.off, l.at.Line, l.at.Column = off, loc.Line, loc.Column
	return l.at
}

// syntaxAt says where in a file JSON ends to be JSON.
func syntaxAt(name string, data []byte, err error) error {
	var syntax *wire.SyntaxError
	if !errors.As(err, &syntax) {
		return fmt.Errorf("%s: %w", name, err)
	}
	loc := scanner.Origin{Line: 1, Column: 1, Exact: true}.At(data, min(syntax.Offset, len(data)))
	return fmt.Errorf("%s:%d:%d: %w: invalid JSON: %s", name, loc.Line, loc.Column, ErrFormat, syntax.Msg)
}

// har turns the exchanges of an HTTP archive (HAR 1.2) into frames.
type har struct {
	name string
	doc  *wire.Doc
	at   locator // stands at the entry
	max  int64
	out  chunk
}

func (h *har) events(entries int) chunk {
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
	if u, ok := doc.Str(request, "url"); ok {
		if parsed, err := url.Parse(u); err == nil {
			base.Server = parsed.Host + parsed.Path
		}
	}
	for _, headers := range [...]int{doc.Get(request, "headers"), doc.Get(response, "headers")} {
		if id := h.header(headers, "mcp-session-id"); id != "" {
			base.Session = id
			break // no answer may move a request
		}
	}
	loc := h.at.place(int(doc.Nodes[n].Start))
	loc.Exact = false
	before := len(h.out)
	h.request(base, doc.Get(request, "postData"))
	h.response(base, doc.Get(response, "content"))
	if len(h.out) == before {
		h.out = append(h.out, &scanner.Event{Kind: scanner.IgnoredEvent, Reason: "an HTTP exchange without MCP messages", Origin: loc})
	}
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

func (h *har) place(n int) scanner.Origin {
	at := h.at // a copy: the members of an entry come in any order
	loc := at.place(int(h.doc.Nodes[n].Start))
	loc.Exact = false // the file holds the body as a string
	return loc
}

func (h *har) request(base scanner.Event, post int) {
	n := h.doc.Get(post, "text")
	var buf []byte
	if h.doc.Kind(n) != wire.String {
		return
	}
	body := bytes.Clone(h.doc.Text(n, &buf))
	if mcpBody(body) {
		h.frame(base, scanner.ClientToServer, body, h.place(n))
	}
}

func (h *har) response(base scanner.Event, content int) {
	doc := h.doc
	n := doc.Get(content, "text")
	mime, _ := doc.Str(content, "mimeType")
	if doc.Kind(n) != wire.String {
		if size := doc.Get(content, "size"); strings.Contains(mime, "event-stream") && doc.Kind(size) == wire.Number && string(doc.Raw(size)) != "0" {
			h.out = append(h.out, skipped(h.name, h.place(content).Line, "a response body was not saved in the HAR"))
		}
		return
	}
	var buf []byte
	body := bytes.Clone(doc.Text(n, &buf))
	if enc, _ := doc.Str(content, "encoding"); enc == "base64" {
		raw, err := base64.StdEncoding.DecodeString(string(body))
		if err != nil {
			h.out = append(h.out, skipped(h.name, h.place(n).Line, "a response body is not base64, as the HAR says"))
			return
		}
		body = raw
	}
	if strings.Contains(mime, "event-stream") {
		h.stream(base, body, h.place(n))
	} else if mcpBody(body) {
		h.frame(base, scanner.ServerToClient, body, h.place(n))
	}
}

// stream takes the frames out of a saved event stream.
func (h *har) stream(base scanner.Event, body []byte, at scanner.Origin) {
	sse := wire.NewSSEReader(bytes.NewReader(body), h.max)
	for {
		ev, err := sse.Next()
		if err != nil {
			return
		}
		switch {
		case ev.Oversize:
			h.out = append(h.out, skipped(h.name, at.Line, "a server-sent event is longer than the limit of %d bytes (--max-message)", h.max))
		case len(ev.Data) > 0 && mcpBody(ev.Data):
			h.frame(base, scanner.ServerToClient, bytes.Clone(ev.Data), at)
		}
	}
}

func (h *har) frame(base scanner.Event, d scanner.Direction, body []byte, at scanner.Origin) {
	e := base
	e.Direction, e.Frame, e.Origin = d, body, at
	h.out = append(h.out, &e)
}

// mcpBody reports whether a body is a JSON-RPC message, as far as its first
// bytes and names tell.
func mcpBody(body []byte) bool {
	body = bytes.TrimSpace(body)
	return len(body) > 1 && (body[0] == '{' || body[0] == '[') && utf8.Valid(body[:1]) && bytes.Contains(body, []byte("jsonrpc"))
}
