package replay

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/llm"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// har reads the exchanges of an HTTP archive (HAR 1.2) as events. Each step reads one exchange, one
// event of a stream, or one message of a WebSocket.
type har struct {
	name    string
	session string // for exchanges that name no session
	at      *scanner.Places
	max     int64
	mcp     map[string]bool // endpoints that clients treat as MCP, judging by their requests
	entries *wire.Children
	stream  *eventStream   // the current response if it is a stream, otherwise nil
	socket  *socket        // the WebSocket of the current entry, or nil
	silent  *scanner.Event // reports the current exchange if no event does
	out     chunk
	decoder *decoder
	talk    *transcript   // reads the bodies of LLM APIs
	asks    bool          // the current request is to an LLM API
	entryAt int           // index of the current entry
	took    time.Duration // duration of the current entry, added to the time of its response; 0 to add nothing
}

// eventStream is an event stream in the body of a response.
type eventStream struct {
	events *wire.SSEReader
	mcp    bool // its events become frames
	llm    bool // its events are from an LLM API
	base   scanner.Event
	at     scanner.Origin
}

func newHAR(name string, at *scanner.Places, o Options, entries wire.Value) *har {
	h := &har{name: name, session: o.Session, at: at, max: o.MaxMessage, mcp: map[string]bool{}, entries: entries.Children(), entryAt: -1, decoder: newDecoder(o.MaxMessage)}
	h.talk = newTranscript(name, o, func(e *scanner.Event) { h.out = append(h.out, e) })
	for c := entries.Children(); c.Next(); {
		if request := c.Value.Get("request"); speaksMCP(request) || asksOverSocket(c.Value) {
			h.mcp[endpoint(request)] = true
		}
	}
	return h
}

// next takes the next step and returns the events from it. While a stream or a WebSocket is open, a
// step reads from it; otherwise, it reads the next exchange.
func (h *har) next() (chunk, bool) {
	h.out = nil
	switch {
	case h.stream != nil:
		h.streamed()
	case h.socket != nil:
		h.socketMessage()
	case h.entries.Next():
		h.entry(h.entries.Value)
	case h.talk != nil:
		h.talk.end()
		h.talk = nil
		return h.out, len(h.out) > 0
	default:
		return nil, false
	}
	if len(h.out) > 0 {
		h.silent = nil
	}
	if h.stream == nil && h.socket == nil && h.silent != nil {
		h.out, h.silent = append(h.out, h.silent), nil
	}
	return h.out, true
}

func (h *har) entry(v wire.Value) {
	request, response := v.Get("request"), v.Get("response")
	started, _ := v.Str("startedDateTime")
	base := scanner.Event{Transport: "http", Session: h.session, Server: endpoint(request), HTTP: &mcp.HTTPHead{}}
	var dated bool
	if base.Time, dated = parseTime(started); !dated && started != "" {
		h.out = append(h.out, skipped(h.name, h.place(v).Line, unreadTime))
	}
	asked, answered := fieldsOf(request), fieldsOf(response)
	if id := cmp.Or(asked.get("mcp-session-id"), answered.get("mcp-session-id")); id != "" { // a response must not change the session of a request
		base.Session = id
	}
	for _, f := range asked {
		base.HTTP.Field(true, f.name, f.value)
	}
	for _, f := range answered {
		base.HTTP.Field(false, f.name, f.value)
	}
	h.took = 0
	method, _ := request.Str("method") // not for a GET, in whose stream a response can come at any time
	took, _ := strconv.ParseFloat(string(v.Get("time").Raw()), 64)
	if method == "POST" && took > 0 && took <= float64(llm.MaxCallDuration.Milliseconds()) && dated {
		h.took = time.Duration(took * float64(time.Millisecond))
	}
	h.entryAt++
	h.silent = &scanner.Event{Kind: scanner.IgnoredEvent, Reason: "an HTTP exchange without MCP messages", Origin: h.place(v)}
	h.talk.reader.Within(llm.Record{Time: base.Time})
	h.asks = false
	h.request(base, request, asked)
	h.response(base, response, answered.all("content-encoding"))
	h.socket = h.openSocket(base, v)
}

// endpoint returns the host and path of a request.
func endpoint(request wire.Value) string {
	if u, ok := request.Str("url"); ok {
		if parsed, err := url.Parse(u); err == nil {
			return parsed.Host + parsed.Path
		}
	}
	return ""
}

// speaksMCP reports whether the client of a request speaks MCP, judging by its headers and what it
// posts. It ignores everything under the server's control, so that a server cannot evade inspection.
func speaksMCP(request wire.Value) bool {
	fields := fieldsOf(request)
	if fields.get("mcp-session-id") != "" || fields.get("mcp-protocol-version") != "" || strings.EqualFold(fields.get("sec-websocket-protocol"), "mcp") {
		return true
	}
	body, ok := bodyOf(request.Get("postData"))
	return ok && messageText(body)
}

// bodyOf returns the text of a body without a byte order mark, as clients read it.
func bodyOf(v wire.Value) ([]byte, bool) {
	text := v.Get("text")
	if text.Kind() != wire.String {
		return nil, false
	}
	return plainBody(text.Text()), true
}

func plainBody(body []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(body), []byte("\xEF\xBB\xBF")))
}

// fields are the header fields of a message.
type fields []struct{ name, value string }

func fieldsOf(message wire.Value) (f fields) {
	for c := message.Get("headers").Children(); c.Next(); {
		name, _ := c.Value.Str("name")
		value, _ := c.Value.Str("value")
		f = append(f, struct{ name, value string }{name, value})
	}
	return f
}

// get returns the first field with the given name.
func (f fields) get(name string) string {
	for _, field := range f {
		if strings.EqualFold(field.name, name) {
			return field.value
		}
	}
	return ""
}

// all returns the values of all fields with the given name, separated by commas.
func (f fields) all(name string) string {
	var values []string
	for _, field := range f {
		if strings.EqualFold(field.name, name) {
			values = append(values, field.value)
		}
	}
	return strings.Join(values, ", ")
}

func (h *har) place(v wire.Value) scanner.Origin {
	loc := h.at.Origin(v.Start())
	loc.Exact = false // the file contains the body as a string
	return loc
}

func (h *har) request(base scanner.Event, request wire.Value, asked fields) {
	post := request.Get("postData")
	mime, _ := post.Str("mimeType")
	mime = cmp.Or(mime, asked.get("content-type"))
	body, ok := bodyOf(post)
	size, _ := strconv.ParseFloat(string(request.Get("bodySize").Raw()), 64)
	if !ok || len(body) == 0 && size > 0 {
		if isJSON(mime) && (post.Kind() == wire.Object || size > 0) || size > 0 && speaksMCP(request) {
			h.out = append(h.out, skipped(h.name, h.place(request).Line, "the HAR lacks a request body"))
		}
		return
	}
	coding := asked.all("content-encoding")
	at := h.place(post.Get("text"))
	if raw := post.Get("text").Text(); coding != "" && !readable(raw) {
		body = plainBody(h.decoded(base, bytesOf(raw), coding, mime, at))
	}
	if h.asks = h.llm(base, body, at, "/request/postData/text"); !h.asks {
		h.body(base, mcp.ClientToServer, body, at)
	}
}

func (h *har) response(base scanner.Event, response wire.Value, coding string) {
	content := response.Get("content")
	mime, _ := content.Str("mimeType")
	body, ok := bodyOf(content)
	if len(body) == 0 {
		if h.missing(base, response, mime, ok) {
			h.out = append(h.out, skipped(h.name, h.place(content).Line, "the HAR lacks a response body"))
		}
		return
	}
	at := h.place(content.Get("text"))
	charset, plain := "", true // a tool that saves a body as text converts it to Unicode
	if enc, _ := content.Str("encoding"); strings.EqualFold(enc, "base64") {
		raw, err := base64.StdEncoding.AppendDecode(nil, body)
		if err != nil {
			h.out = append(h.out, skipped(h.name, at.Line, "the HAR declares a response body as base64, but it is not"))
			return
		}
		raw = h.decoded(base, raw, coding, mime, at)
		body = plainBody(raw)
		if startsFrames(raw) {
			body, mime = h.frames(raw, at), "text/event-stream"
		} else {
			charset, plain = wire.Charset(mime)
		}
	} else if raw := content.Get("text").Text(); coding != "" && !readable(raw) {
		body = plainBody(h.decoded(base, bytesOf(raw), coding, mime, at))
	}
	if wide := wire.WideCharset(body); wide != "" {
		charset, plain = wide, false
	}
	if !plain && h.expects(base, mime) {
		h.out = append(h.out, skipped(h.name, at.Line, charsetReason, charset[:min(len(charset), maxCodingName)]))
	}
	if isStream(mime) {
		h.stream = h.openStream(base, body, at)
		return
	}
	if !h.llm(base, body, at, responseText) {
		h.unread(body, at)
		h.body(base, mcp.ServerToClient, body, at)
	}
}

// decoded removes the content coding of a body.
func (h *har) decoded(base scanner.Event, body []byte, coding, mime string, at scanner.Origin) []byte {
	plain, why := h.decoder.decode(body, coding)
	if why != "" && h.expects(base, mime) {
		h.out = append(h.out, skipped(h.name, at.Line, "%s", why))
	}
	return plain
}

// expects reports whether a body is likely to contain messages, judging by its type or endpoint.
func (h *har) expects(base scanner.Event, mime string) bool {
	return isJSON(mime) || isStream(mime) || h.mcp[base.Server]
}

// emptyBody is the maximum number of bytes that an empty body takes on the wire if it is compressed
// and sent in chunks.
const emptyBody = 32

// missing reports whether a body without text in the HAR probably had content.
func (h *har) missing(base scanner.Event, response wire.Value, mime string, saved bool) bool {
	if !h.expects(base, mime) {
		return false
	}
	size := response.Get("content").Get("size")
	if size.Kind() != wire.Number {
		return !saved && (isJSON(mime) || isStream(mime)) // the body may have had content
	}
	sent, _ := strconv.Atoi(string(response.Get("bodySize").Raw()))
	return string(size.Raw()) != "0" || sent > emptyBody
}

func isJSON(mime string) bool { return strings.Contains(strings.ToLower(mime), "json") }

func isStream(mime string) bool { return strings.Contains(strings.ToLower(mime), "event-stream") }

// body emits a frame for a body that is a message or belongs to an MCP endpoint.
func (h *har) body(base scanner.Event, d mcp.Direction, body []byte, at scanner.Origin) {
	switch {
	case len(body) == 0 || !h.mcp[base.Server] && !messageText(body):
	case h.max > 0 && int64(len(body)) > h.max:
		h.out = append(h.out, skipped(h.name, at.Line, "a body exceeds the limit of %d bytes (--max-message)", h.max))
	default:
		h.frame(base, d, body, at)
	}
}

// openStream opens a saved event stream. If any of its events is a message, or announces an
// endpoint, all become frames.
func (h *har) openStream(base scanner.Event, body []byte, at scanner.Origin) *eventStream {
	s := &eventStream{events: wire.NewSSEReader(bytes.NewReader(body), h.max), mcp: h.mcp[base.Server], base: base, at: at}
	for look := wire.NewSSEReader(bytes.NewReader(body), h.max); !s.mcp; {
		ev, err := look.Next()
		if err != nil {
			break
		}
		s.mcp = !ev.Oversize && (announces(ev) || messageText(plainBody(ev.Data)))
	}
	s.llm = !s.mcp && h.streamsLLM(body)
	if (s.mcp || s.llm) && wire.AmbiguousEvent(body, nil) {
		h.out = append(h.out, skipped(h.name, at.Line, wire.AmbiguousReason))
	}
	if s.at.Pointer = h.pointer(responseText); !s.llm {
		s.at.Pointer = ""
		if !s.mcp {
			h.unread(body, at)
		}
	}
	return s
}

// announces reports whether an event tells the client where to post its messages.
func announces(ev wire.SSEEvent) bool {
	return ev.Type == "endpoint" && !opensJSON(plainBody(ev.Data))
}

// streamed reads the next event in the stream.
func (h *har) streamed() {
	s := h.stream
	ev, err := s.events.Next()
	data := plainBody(ev.Data)
	if (s.mcp && !announces(ev) || s.llm) && wire.AmbiguousData(data) {
		h.out = append(h.out, skipped(h.name, s.at.Line, wire.AmbiguousReason))
	}
	switch {
	case err != nil:
		h.stream = nil
		if s.llm {
			h.talk.reader.End()
			h.talk.talk.flush()
		}
	case ev.Oversize:
		h.out = append(h.out, skipped(h.name, s.at.Line, "a server-sent event exceeds the limit of %d bytes (--max-message)", h.max))
	case s.llm:
		h.talk.data(&h.talk.reader, llm.Quoted(s.at, bytes.Clone(ev.Data)), s.at)
		h.talk.talk.flush()
	case s.mcp && !announces(ev) && len(data) > 0:
		h.frame(s.base, mcp.ServerToClient, bytes.Clone(data), s.at)
	}
}

func (h *har) frame(base scanner.Event, d mcp.Direction, body []byte, at scanner.Origin) {
	e := base
	e.Direction, e.Frame, e.Origin = d, body, at
	if d == mcp.ServerToClient && h.took > 0 && isResponse(body) {
		e.Time = e.Time.Add(h.took)
	}
	h.out = append(h.out, &e)
}

// isResponse reports whether a frame is a response, or a batch that begins with one.
func isResponse(frame []byte) bool {
	root, err := wire.Skim(frame, wire.MaxNodes)
	if list := root.Children(); root.Kind() == wire.Array && list.Next() {
		root = list.Value
	}
	has := memberKinds(root)
	return err == nil && has("method") == wire.Invalid && (has("result") != wire.Invalid || has("error") > wire.Null)
}

// opensJSON reports whether a text begins like an object or an array.
func opensJSON(text []byte) bool {
	return len(text) > 0 && (text[0] == '{' || text[0] == '[')
}
