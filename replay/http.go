package replay

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// HTTP exchanges saved as text, as `curl -i` and TCP loggers write them: heads
// and bodies one after another, a line ahead of each piece that says who sent
// it. Line ends may have been rewritten, so lengths and chunk sizes cannot be
// trusted: messages are taken line by line.
var segment = regexp.MustCompile(`^=+ (\S+) conn=(\d+) (client|server)->(?:client|server) \d+B =+$`)

func isSegment(line []byte) bool { return segment.Match(line) }

var (
	chunkSize    = regexp.MustCompile(`^[0-9a-fA-F]{1,8}$`)
	requestHead  = regexp.MustCompile(`^[A-Z]+ \S+ HTTP/\d`)
	responseHead = regexp.MustCompile(`^HTTP/\d(?:\.\d)? \d{3}`)
)

// httpText reads such a file.
type httpText struct {
	name  string
	doc   wire.Doc
	conns map[string]*conn
	order []*flow // as they were first seen, so that the events have one order
	conn  *conn   // to which the current line belongs
	flow  *flow
	head  bool // the line stands in a head
	last  int  // number of the line before
	out   chunk
}

// conn is what is known of a connection.
type conn struct {
	session string
	asked   []*scanner.Event // requests of which the answer may name the session
	sent    [2]flow          // by the client, by the server
}

// flow is what one side of a connection sends, piece by piece.
type flow struct {
	conn      *conn
	time      time.Time
	direction scanner.Direction
	partial   []byte // a message that a chunk or a segment boundary has cut
	start     int    // line on which it starts
	parsed    int    // bytes that were parsed to see whether it is whole
	sized     bool   // the line before was a chunk size, so this one is none
}

func openHTTP(name string, r io.Reader, o Options) (scanner.Source, error) {
	h := &httpText{name: name, conns: map[string]*conn{}}
	h.enter("", time.Time{}, scanner.ServerToClient)
	lines := wire.NewLineReader(bufio.NewReader(r), o.MaxMessage)
	for {
		l, err := lines.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("reading %s behind line %d: %w", name, h.last, err)
		}
		if l.Oversize {
			h.out = append(h.out, skipped(name, l.Number, "a line is longer than the limit of %d bytes (--max-message)", o.MaxMessage))
		} else {
			h.line(l.Data, l.Number)
		}
		h.last = l.Number
	}
	for _, f := range h.order {
		h.flush(f)
	}
	if h.out == nil {
		h.out = chunk{}
	}
	return &once{h.out}, nil
}

// enter goes on with what one side of a connection sends.
func (h *httpText) enter(id string, t time.Time, d scanner.Direction) {
	c := h.conns[id]
	if c == nil {
		c = &conn{session: baseName(h.name)}
		h.conns[id] = c
		for i, side := range [...]scanner.Direction{scanner.ClientToServer, scanner.ServerToClient} {
			c.sent[i] = flow{conn: c, direction: side}
			h.order = append(h.order, &c.sent[i])
		}
	}
	h.conn, h.flow, h.head = c, &c.sent[0], false
	if d == scanner.ServerToClient {
		h.flow = &c.sent[1]
	}
	h.flow.time = t
}

func (h *httpText) line(data []byte, number int) {
	blank := number > h.last+1 // it ends a head, and the reader leaves it out
	switch m := segment.FindSubmatch(data); {
	case m != nil:
		t, _ := parseTime(string(m[1]))
		d := scanner.ServerToClient
		if string(m[3]) == "client" {
			d = scanner.ClientToServer
		}
		h.enter(string(m[2]), t, d)
	case bytes.HasPrefix(data, []byte("### curl")):
		h.flush(h.flow)
		delete(h.conns, "")
		h.enter("", time.Time{}, scanner.ServerToClient)
	case requestHead.Match(data):
		h.flush(h.flow)
		h.conn.session, h.conn.asked, h.head = baseName(h.name), nil, true
	case responseHead.Match(data):
		h.flush(h.flow)
		h.head = true
	case h.head && !blank && h.field(data):
	default:
		h.head = false
		h.body(data, number)
	}
}

// field reads a line of a head, and reports whether it is one.
func (h *httpText) field(data []byte) bool {
	name, value, ok := bytes.Cut(data, []byte(":"))
	if !ok || bytes.ContainsAny(name, " \t\"{[") {
		return false
	}
	if strings.EqualFold(string(name), "mcp-session-id") {
		h.conn.enterSession(string(bytes.TrimSpace(value)), baseName(h.name))
	}
	return true
}

// enterSession names the session of an exchange, unless the request has named
// it: no answer may move a request. Initialize is sent before there is a session.
func (c *conn) enterSession(id, none string) {
	if c.session != none {
		return
	}
	c.session = id
	for _, e := range c.asked {
		e.Session = id
	}
}

// body takes the messages out of a body.
func (h *httpText) body(data []byte, number int) {
	f := h.flow
	if f.partial != nil && !f.sized && chunkSize.Match(data) {
		f.sized = true
		return
	}
	f.sized = false
	rest, inEvent := bytes.CutPrefix(data, []byte("data:"))
	text := bytes.TrimSpace(rest)
	opens := len(text) > 0 && (text[0] == '{' || text[0] == '[')
	if f.partial != nil && opens && h.doc.Parse(text) == nil && isMessage(&h.doc, 0) {
		h.flush(f) // what has been cut was never finished
	}
	switch {
	case f.partial != nil && inEvent: // the lines of one event
		h.message(append(append(f.partial, '\n'), rest...), f.start)
	case f.partial != nil:
		h.message(append(f.partial, data...), f.start)
	case opens:
		h.message(bytes.Clone(bytes.TrimLeft(rest, " \t")), number) // blanks at its end may stand inside a string
	}
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
	if len(data) >= maxPartial || f.parsed >= maxParsed {
		h.flush(f)
	}
}

// flush makes an event of a message. One of which the rest did not come is
// inspected as it is.
func (h *httpText) flush(f *flow) {
	if f.partial == nil {
		return
	}
	e := &scanner.Event{Time: f.time, Direction: f.direction, Transport: "http", Session: f.conn.session, Server: baseName(h.name),
		Frame: bytes.TrimSpace(f.partial), Origin: scanner.Origin{File: h.name, Line: f.start, Column: 1}}
	f.partial, f.parsed, f.sized = nil, 0, false
	h.out = append(h.out, e)
	if f.direction == scanner.ClientToServer {
		f.conn.asked = append(f.conn.asked, e)
	}
}
