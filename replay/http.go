package replay

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// HTTP exchanges saved as text, as `curl -i` and TCP loggers write them: heads
// and bodies one after another, a line ahead of each piece that says who sent
// it and how many bytes. Line ends may have been rewritten, so lengths and chunk
// sizes cannot be trusted to the byte: messages are taken line by line. But a
// piece cannot end before its bytes do, so no body can pass itself off as one of
// the other side.
var segment = lazyregexp.New(`^=+ (\S+) conn=(\d+) (client|server)->(?:client|server) (\d{1,15})B =+$`)

func isSegment(line []byte) bool { return segment.Match(line) }

var (
	closedLine   = lazyregexp.New(`^=+ [0-9TZ:.+-]+ conn=\d+ closed =+$`)
	streamField  = lazyregexp.New(`^(?:id|event|retry|data)?:|^data$`)
	chunkSize    = lazyregexp.New(`^[0-9a-fA-F]{1,8}$`)
	requestHead  = lazyregexp.New(`^[A-Z]+ \S+ HTTP/\d`)
	responseHead = lazyregexp.New(`^HTTP/\d(?:\.\d)? \d{3}`)
)

// httpText reads such a file.
type httpText struct {
	name  string
	max   int64
	lines *wire.LineReader
	doc   wire.Doc
	inner map[int]bool // lines that look like the start of a piece and are part of one
	conns map[string]*conn
	order []*flow // as they were first seen, so that the events have one order
	conn  *conn   // to which the current line belongs
	flow  *flow
	head  bool // the line is in a head
	last  int  // number of the line before
	out   chunk
	size  int // of the frames in out, in bytes
	asked int // events in out that a later head may still move to another session
}

// maxHeld bounds the frames that wait for a head to name their session, in bytes. A request
// whose answer comes later than that stays in the session of the file.
const maxHeld = 8 << 20

// conn is what is known of a connection.
type conn struct {
	session string
	asked   []*scanner.Event // requests of which the answer may name the session
	head    *mcp.HTTPHead
	sent    [2]flow // by the client, by the server
}

// flow is what one side of a connection sends, piece by piece.
type flow struct {
	conn      *conn
	time      time.Time
	direction mcp.Direction
	partial   []byte // a message that a chunk or a segment boundary has cut
	start     int    // line on which it starts
	parsed    int    // bytes that were parsed to see whether it is whole
	sized     bool   // the line before was a chunk size, so this one is none
	stream    bool   // the head said that the body is an event stream
	accepted  bool   // the head said that there is nothing to say
	endpoint  bool   // the next data of the stream is an address
	text      []byte // lines of a body that are no message
	textStart int    // line on which they start
}

func openHTTP(name string, r io.Reader, o Options) (scanner.Source, error) {
	data, broken := readAll(name, r)
	if data == nil && broken != nil {
		return nil, broken
	}
	h := &httpText{name: name, max: o.MaxMessage, conns: map[string]*conn{}, inner: innerSegments(data)}
	h.enter("", time.Time{}, mcp.ServerToClient)
	h.lines = wire.NewLineReader(bytes.NewReader(data), o.MaxMessage)
	source := &made{next: h.next}
	if broken != nil {
		source.broken = skipped(name, bytes.Count(data, []byte("\n"))+1, "%v", broken)
	}
	return source, nil
}

// next makes the events of the next lines.
func (h *httpText) next() (chunk, bool) {
	for h.lines != nil && (len(h.out) == 0 || h.asked > 0 && h.size < maxHeld) {
		l, err := h.lines.Next()
		switch {
		case err != nil: // the end: all is in memory
			h.lines = nil
			for _, f := range h.order {
				h.flush(f)
			}
		case l.Oversize:
			h.out = append(h.out, skipped(h.name, l.Number, "a line is over the limit of %d bytes (--max-message)", h.max))
		default:
			h.line(l.Data, l.Number)
		}
		h.last = max(h.last, l.Number)
	}
	if h.asked > 0 {
		for _, f := range h.order {
			h.decided(f.conn)
		}
	}
	events := h.out
	h.out, h.size = nil, 0
	return events, len(events) > 0
}

// innerSegments finds the lines that look like the start of a piece and stand
// inside the bytes of one. Line ends may have been rewritten from CRLF to LF, so
// a piece has at most its bytes here, and at least those without one for each
// line. Where that leaves the end open, it is the last line of this look that the
// bytes reach to: nobody but the sender of a piece gains by an earlier one.
func innerSegments(data []byte) map[int]bool {
	type mark struct{ line, start, end, size int } // in bytes with LF line ends
	var marks []mark
	at, number := 0, 0
	for rest := data; len(rest) > 0; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		line = bytes.TrimSuffix(line, []byte("\r"))
		number++
		if m := segment.FindSubmatch(line); m != nil {
			size, _ := strconv.Atoi(string(m[4]))
			marks = append(marks, mark{number, at, at + len(line) + 1, size})
		}
		at += len(line) + 1
	}
	inner := map[int]bool{}
	for now, i := 0, 1; i < len(marks); i++ {
		p, m, next := marks[now], marks[i], at
		if i+1 < len(marks) {
			next = marks[i+1].start
		}
		have, lines := m.start-p.end, m.line-p.line-1
		if have < p.size && (have+lines < p.size || next-p.end <= p.size+1) {
			inner[m.line] = true
			continue
		}
		now = i
	}
	return inner
}

// enter goes on with what one side of a connection sends.
func (h *httpText) enter(id string, t time.Time, d mcp.Direction) {
	c := h.conns[id]
	if c == nil {
		c = &conn{session: baseName(h.name)}
		h.conns[id] = c
		for i, side := range [...]mcp.Direction{mcp.ClientToServer, mcp.ServerToClient} {
			c.sent[i] = flow{conn: c, direction: side}
			h.order = append(h.order, &c.sent[i])
		}
	}
	h.conn, h.flow, h.head = c, &c.sent[0], false
	if d == mcp.ServerToClient {
		h.flow = &c.sent[1]
	}
	h.flow.time = t
}

func (h *httpText) line(data []byte, number int) {
	blank := number > h.last+1 // it ends a head, and the reader leaves it out
	m := segment.FindSubmatch(data)
	if m != nil && h.inner[number] {
		h.out = append(h.out, skipped(h.name, number, "a line inside a piece looks like the start of another piece: it was read as part of the first"))
		m = nil
	}
	switch {
	case m != nil:
		t, _ := parseTime(string(m[1]))
		d := mcp.ServerToClient
		if string(m[3]) == "client" {
			d = mcp.ClientToServer
		}
		h.enter(string(m[2]), t, d)
	case closedLine.Match(data):
	case bytes.HasPrefix(data, []byte("### curl")):
		h.flush(h.flow)
		h.decided(h.conn)
		delete(h.conns, "")
		h.enter("", time.Time{}, mcp.ServerToClient)
	case h.flow.direction == mcp.ClientToServer && requestHead.Match(data):
		h.startHead()
		h.decided(h.conn)
		h.conn.session, h.conn.head = baseName(h.name), &mcp.HTTPHead{}
	case h.flow.direction == mcp.ServerToClient && responseHead.Match(data):
		h.startHead()
		h.flow.accepted = bytes.Contains(data, []byte(" 202"))
	case h.head && !blank && h.field(data):
	default:
		h.head = false
		for piece := range bytes.SplitSeq(data, []byte("\r")) { // a lone CR ends a line of an event stream
			if len(bytes.TrimSpace(piece)) > 0 {
				h.body(piece, number)
			}
		}
	}
}

func (h *httpText) startHead() {
	h.flush(h.flow)
	h.head, h.flow.stream, h.flow.accepted, h.flow.endpoint = true, false, false, false
}

// field reads a line of a head, and reports whether it is one.
func (h *httpText) field(data []byte) bool {
	name, value, ok := bytes.Cut(data, []byte(":"))
	if !ok || len(name) == 0 || bytes.ContainsAny(name, " \t\"{[\r\xEF") || bytes.EqualFold(name, []byte("data")) || bytes.IndexByte(value, '\r') >= 0 {
		return false
	}
	if strings.EqualFold(string(name), "content-type") {
		h.flow.stream = isStream(string(value))
	}
	if h.conn.head != nil {
		h.conn.head.Field(h.flow.direction == mcp.ClientToServer, string(name), string(bytes.TrimSpace(value)))
	}
	if strings.EqualFold(string(name), "mcp-session-id") {
		h.enterSession(h.conn, string(bytes.TrimSpace(value)))
	}
	return true
}

// enterSession names the session of an exchange, unless the request has named
// it: no answer may move a request. Initialize is sent before there is a session.
func (h *httpText) enterSession(c *conn, id string) {
	if c.session != baseName(h.name) {
		return
	}
	c.session = id
	for _, e := range c.asked {
		e.Session = id
	}
	h.decided(c)
}

// decided leaves the requests of a connection in the session in which they are.
func (h *httpText) decided(c *conn) {
	h.asked -= len(c.asked)
	c.asked = nil
}

// body takes the messages out of a body.
func (h *httpText) body(data []byte, number int) {
	f := h.flow
	if f.partial != nil && !f.sized && chunkSize.Match(data) {
		f.sized = true
		return
	}
	f.sized = false
	data = bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
	rest, inEvent := bytes.CutPrefix(data, []byte("data:"))
	text := plainBody(rest)
	opens := opensJSON(text)
	if f.partial != nil && opens && h.doc.Parse(text) == nil && isMessage(&h.doc, 0) {
		h.flush(f) // what has been cut was never finished
	}
	switch {
	case f.partial != nil && inEvent: // the lines of one event
		h.message(append(append(f.partial, '\n'), rest...), f.start)
	case f.partial != nil && f.stream && streamField.Match(data): // no client takes it for a part of the data
	case f.partial != nil:
		h.message(append(f.partial, data...), f.start)
	case opens:
		h.flush(f)
		rest = bytes.TrimPrefix(bytes.TrimLeft(rest, " \t"), []byte("\xEF\xBB\xBF"))
		h.message(bytes.Clone(bytes.TrimLeft(rest, " \t")), number) // blanks at its end may be inside a string
	case inEvent && (f.endpoint || len(text) == 0):
		f.endpoint = false
	case !inEvent && streamField.Match(data) && (f.stream || !bytes.HasPrefix(data, []byte(":"))):
		if kind, ok := bytes.CutPrefix(data, []byte("event:")); ok {
			f.endpoint = string(bytes.TrimSpace(kind)) == "endpoint"
		}
	case !inEvent && chunkSize.Match(bytes.TrimSpace(data)):
	case f.accepted && string(text) == "Accepted": // what servers say that have nothing to say
	default:
		h.text(text, number)
	}
}

// text keeps a line that is no part of a message: no client takes it for one,
// but a client may show it.
func (h *httpText) text(line []byte, number int) {
	f := h.flow
	if len(f.text)+len(line) >= h.limit() {
		h.flush(f)
	}
	if f.text == nil {
		f.textStart = number
	} else {
		f.text = append(f.text, '\n')
	}
	f.text = append(f.text, line...)
}

// limit is how much of one message is held together.
func (h *httpText) limit() int {
	if h.max > 0 && h.max < maxPartial {
		return int(h.max) + 1
	}
	return maxPartial
}

// The bounds of putting a cut message together again: each piece that may be
// the last costs a parse.
const (
	maxPartial = 4 << 20
	maxParsed  = 64 << 20
)

// message keeps a message that is whole, and waits for the rest of one that is not.
func (h *httpText) message(data []byte, number int) {
	f := h.flow
	f.partial, f.start = data, number
	if end := bytes.TrimRight(data, " \t"); end[len(end)-1] == '}' || end[len(end)-1] == ']' {
		if f.parsed += len(data); h.doc.Parse(data) == nil {
			h.flush(f)
			return
		}
	}
	if h.max > 0 && int64(len(data)) > h.max {
		f.partial, f.parsed, f.sized = nil, 0, false
		h.out = append(h.out, skipped(h.name, number, "a message is over the limit of %d bytes (--max-message)", h.max))
	} else if len(data) >= maxPartial || f.parsed >= maxParsed {
		h.flush(f)
	}
}

// flush makes events of a message and of the text around it. A message of which
// the rest did not come is inspected as it is.
func (h *httpText) flush(f *flow) {
	if f.text != nil {
		h.emit(f, f.text, f.textStart)
		f.text = nil
	}
	if f.partial == nil {
		return
	}
	e := h.emit(f, bytes.TrimSpace(f.partial), f.start)
	f.partial, f.parsed, f.sized = nil, 0, false
	switch {
	case f.direction == mcp.ServerToClient:
		h.decided(f.conn) // its head has been read
	case e.Session == baseName(h.name):
		f.conn.asked = append(f.conn.asked, e)
		h.asked++
	}
}

func (h *httpText) emit(f *flow, frame []byte, number int) *scanner.Event {
	e := &scanner.Event{Time: f.time, Direction: f.direction, Transport: "http", Session: f.conn.session, Server: baseName(h.name),
		Frame: frame, HTTP: f.conn.head, Origin: scanner.Origin{File: h.name, Line: number, Column: 1}}
	h.out, h.size = append(h.out, e), h.size+len(frame)
	return e
}
