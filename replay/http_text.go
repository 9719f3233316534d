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

// TCP loggers and `curl -i` save HTTP exchanges as text: heads and bodies in sequence. segment
// matches the line that a TCP logger writes before each piece, with the piece's sender and size.
// Line endings may have been rewritten, which makes lengths and chunk sizes inexact, so messages
// are read line by line. A piece cannot end before its size is reached, so that no body can pose as
// a message from the other side.
var segment = lazyregexp.New(`^=+ (\S+) conn=(\d+) (client|server)->(?:client|server) (\d{1,15})B =+$`)

func isSegment(line []byte) bool { return segment.Match(line) }

var (
	closedLine   = lazyregexp.New(`^=+ [0-9TZ:.+-]+ conn=\d+ closed =+$`)
	streamField  = lazyregexp.New(`^(?:id|event|retry|data)?:|^data$`)
	chunkSize    = lazyregexp.New(`^[0-9a-fA-F]{1,8}$`)
	requestHead  = lazyregexp.New(`^[A-Z]+ \S+ HTTP/\d`)
	responseHead = lazyregexp.New(`^HTTP/\d(?:\.\d)? \d{3}`)
)

// httpText reads HTTP exchanges saved as text.
type httpText struct {
	name    string
	session string // for exchanges that name no session
	max     int64
	data    []byte
	lines   *wire.LineReader
	doc     wire.Doc

	inner   map[int]bool // lines inside a piece that look like the start of another one
	pieces  []int        // offsets of the lines before the pieces
	sized   int          // end offset of the current piece according to its stated size; 0 if none is stated
	skip    int          // offset of the end of the encoded body that was read last
	plain   int          // offset up to which the current piece is text, if a head in it names a content coding
	decoder *decoder

	conns map[string]*conn
	order []*flow // flows in order of appearance, so that the order of events is deterministic
	conn  *conn   // connection of the current line
	flow  *flow
	head  bool // the current line is in a head
	last  int  // number of the previous line
	out   chunk
	size  int // total size of the frames in out
	asked int // events in out that a later head may move to another session
}

// maxHeld is the maximum total size of the frames waiting for a head that names their session. A
// request that is still waiting at this limit stays in the session named after the file.
const maxHeld = 8 << 20

// conn is the state of a connection.
type conn struct {
	session string
	asked   []*scanner.Event // requests whose response may name the session
	head    *mcp.HTTPHead
	sent    [2]flow // by the client and by the server
}

// flow is the state of one direction of a connection, whose data arrives piece by piece.
type flow struct {
	conn      *conn
	time      time.Time
	direction mcp.Direction
	partial   []byte // the beginning of a message split by a chunk or a segment boundary
	start     int    // line on which it starts
	parsed    int    // bytes parsed so far to find its end
	sized     bool   // the previous line was a chunk size, so this one is not
	headed    bool   // a head preceded the body; the file may begin within a body
	stream    bool   // the head declared the body as an event stream
	accepted  bool   // the head declared an empty response
	endpoint  bool   // the next data of the stream is a URL
	coding    coding
	text      []byte // lines of a body that are not messages
	textStart int    // line on which they start
}

func openHTTP(name string, r io.Reader, o Options) (scanner.Source, error) {
	data, broken := readAll(name, r)
	if data == nil && broken != nil {
		return nil, broken
	}
	h := &httpText{name: name, session: o.Session, max: o.MaxMessage, data: data, conns: map[string]*conn{}, decoder: newDecoder(o.MaxMessage)}
	h.inner, h.pieces = innerSegments(data)
	h.enter("", time.Time{}, mcp.ServerToClient)
	h.lines = wire.NewLineReader(bytes.NewReader(data), o.MaxMessage)
	source := &made{next: h.next}
	if broken != nil {
		source.broken = skipped(name, bytes.Count(data, []byte("\n"))+1, "%v", broken)
	}
	return source, nil
}

// next returns the events from the following lines.
func (h *httpText) next() (chunk, bool) {
	for h.lines != nil && (len(h.out) == 0 || h.asked > 0 && h.size < maxHeld) {
		l, err := h.lines.Next()
		switch {
		case err != nil: // EOF, because everything is in memory
			h.lines = nil
			for _, f := range h.order {
				h.flush(f)
			}
			if n := len(h.pieces); n > 0 {
				if missing := h.sized - len(h.data); missing > bytes.Count(h.data[h.pieces[n-1]:], []byte("\n")) { // a line may have lost a CR
					h.out = append(h.out, skipped(h.name, h.last, "the file ends %d bytes before the stated end of its last section", missing))
				}
			}
		case l.Offset < int64(h.skip) || l.Oversize && h.encoded(int(l.Offset), l.Number):
		case l.Oversize:
			h.out = append(h.out, skipped(h.name, l.Number, "a line exceeds the limit of %d bytes (--max-message)", h.max))
		default:
			h.line(l.Data, int(l.Offset), l.Number)
		}
		h.last = max(h.last, l.Number)
	}
	if h.asked > 0 {
		for _, f := range h.order {
			h.settle(f.conn)
		}
	}
	events := h.out
	h.out, h.size = nil, 0
	return events, len(events) > 0
}

// innerSegments finds lines that look like the start of a piece but lie inside one. Line endings
// may have been rewritten from CRLF to LF, so a piece has at most its stated size here, and at
// least that size minus one byte per line. If several such lines could end a piece, the piece ends
// at the last one within its size, because an earlier end would benefit only the piece's sender. It
// also returns the offsets of the lines that do start a piece.
func innerSegments(data []byte) (inner map[int]bool, pieces []int) {
	type mark struct{ line, offset, start, end, size int } // start and end are the positions if every line ends in LF
	var marks []mark
	at, number := 0, 0
	for rest := data; len(rest) > 0; {
		offset := len(data) - len(rest)
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		line = bytes.TrimSuffix(line, []byte("\r"))
		number++
		if m := segment.FindSubmatch(line); m != nil {
			size, _ := strconv.Atoi(string(m[4]))
			marks = append(marks, mark{number, offset, at, at + len(line) + 1, size})
		}
		at += len(line) + 1
	}
	inner = map[int]bool{}
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
	for _, m := range marks {
		if !inner[m.line] {
			pieces = append(pieces, m.offset)
		}
	}
	return inner, pieces
}

// enter makes one side of a connection the current sender.
func (h *httpText) enter(id string, t time.Time, d mcp.Direction) {
	c := h.conns[id]
	if c == nil {
		c = &conn{session: h.session}
		h.conns[id] = c
		for i, side := range [...]mcp.Direction{mcp.ClientToServer, mcp.ServerToClient} {
			c.sent[i] = flow{conn: c, direction: side}
			h.order = append(h.order, &c.sent[i])
		}
	}
	h.conn, h.flow, h.head, h.sized = c, &c.sent[0], false, 0
	if d == mcp.ServerToClient {
		h.flow = &c.sent[1]
	}
	h.flow.time = t
}

func (h *httpText) line(data []byte, offset, number int) {
	blank := number > h.last+1 // a blank line, which the line reader omits, ends a head
	m := segment.FindSubmatch(data)
	if m != nil && h.inner[number] {
		h.out = append(h.out, skipped(h.name, number, "a line inside a section looks like the start of another section: it was read as part of the section that contains it"))
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
		if size, err := strconv.Atoi(string(m[4])); err == nil {
			h.sized = offset + len(data) + len("\n") + size
			if bytes.HasPrefix(h.data[offset+len(data):], []byte("\r")) {
				h.sized++
			}
		}
	case closedLine.Match(data):
	case bytes.HasPrefix(data, []byte("### curl")):
		h.flush(h.flow)
		h.settle(h.conn)
		delete(h.conns, "")
		h.enter("", time.Time{}, mcp.ServerToClient)
	case h.flow.direction == mcp.ClientToServer && requestHead.Match(data):
		h.startHead()
		h.settle(h.conn)
		h.conn.session, h.conn.head = h.session, &mcp.HTTPHead{}
	case h.flow.direction == mcp.ServerToClient && responseHead.Match(data):
		h.startHead()
		h.flow.accepted = bytes.Contains(data, []byte(" 202"))
	case h.head && !blank && h.field(data):
	default:
		if h.head = false; h.encoded(offset, number) {
			return
		}
		for piece := range bytes.SplitSeq(data, []byte("\r")) { // a lone CR ends a line of an event stream
			if len(bytes.TrimSpace(piece)) > 0 {
				h.body(piece, number)
			}
		}
	}
}

func (h *httpText) startHead() {
	h.flush(h.flow)
	h.head, h.flow.headed, h.flow.stream, h.flow.accepted, h.flow.endpoint = true, true, false, false, false
	h.flow.coding = coding{length: -1}
}

// field reads a line in a head, and reports whether it is a header field.
func (h *httpText) field(data []byte) bool {
	name, value, ok := bytes.Cut(data, []byte(":"))
	if !ok || len(name) == 0 || bytes.ContainsAny(name, " \t\"{[\r\xEF") || bytes.EqualFold(name, []byte("data")) || bytes.IndexByte(value, '\r') >= 0 {
		return false
	}
	if strings.EqualFold(string(name), "content-type") {
		h.flow.stream = isStream(string(value))
	}
	h.flow.coding.field(strings.ToLower(string(name)), string(bytes.TrimSpace(value)))
	if h.conn.head != nil {
		h.conn.head.Field(h.flow.direction == mcp.ClientToServer, string(name), string(bytes.TrimSpace(value)))
	}
	if strings.EqualFold(string(name), "mcp-session-id") {
		h.enterSession(h.conn, string(bytes.TrimSpace(value)))
	}
	return true
}

// enterSession sets the session of the current exchange to the ID in a header field, unless an
// earlier field named one: a response must not change the session of its request. Only an initialize
// request has no session ID yet, so its response names the session.
func (h *httpText) enterSession(c *conn, id string) {
	if c.session != h.session {
		return
	}
	c.session = id
	for _, e := range c.asked {
		e.Session = id
	}
	h.settle(c)
}

// settle makes the session of a connection's waiting requests final: later heads no longer change
// it.
func (h *httpText) settle(c *conn) {
	h.asked -= len(c.asked)
	c.asked = nil
}

// body reads a line of a body.
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
		h.flush(f) // the partial message was never completed
	}
	switch {
	case f.partial != nil && inEvent: // further lines of the same event
		h.message(append(append(f.partial, '\n'), rest...), f.start)
	case f.partial != nil && f.stream && streamField.Match(data): // clients do not read the field as data
	case f.partial != nil:
		h.message(append(f.partial, data...), f.start)
	case opens:
		h.flush(f)
		rest = bytes.TrimPrefix(bytes.TrimLeft(rest, " \t"), []byte("\xEF\xBB\xBF"))
		h.message(bytes.Clone(bytes.TrimLeft(rest, " \t")), number) // trailing blanks may be inside a string
	case inEvent && (f.endpoint || len(text) == 0):
		f.endpoint = false
	case !inEvent && streamField.Match(data) && (f.stream || !f.headed && !bytes.HasPrefix(data, []byte(":"))):
		if kind, ok := bytes.CutPrefix(data, []byte("event:")); ok {
			f.endpoint = string(bytes.TrimSpace(kind)) == "endpoint"
		}
	case !inEvent && chunkSize.Match(bytes.TrimSpace(data)):
	case f.accepted && string(text) == "Accepted": // servers send this as an empty response
	default:
		h.text(text, number)
	}
}
