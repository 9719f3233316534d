package replay

import (
	"bytes"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// text keeps a line that is not part of a message. Clients do not parse it, but may display it.
func (h *httpText) text(line []byte, number int) {
	f := h.flow
	if len(f.text)+len(line) >= h.maxText() {
		h.flush(f)
	}
	if f.text == nil {
		f.textStart = number
	} else {
		f.text = append(f.text, '\n')
	}
	f.text = append(f.text, line...)
}

// maxText returns the size at which text outside messages is inspected without waiting for the end of
// the body.
func (h *httpText) maxText() int {
	if h.max > 0 && h.max < maxPartial {
		return int(h.max) + 1
	}
	return maxPartial
}

// The limits on reassembling a split message: its size, and the total number of bytes parsed,
// because the message is parsed again after each piece that could complete it.
const (
	maxPartial = 4 << 20
	maxParsed  = 64 << 20
)

// message emits a complete message, and keeps an incomplete one until the rest arrives.
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
		h.out = append(h.out, skipped(h.name, number, "a message exceeds the limit of %d bytes (--max-message)", h.max))
	} else if len(data) >= maxPartial || f.parsed >= maxParsed {
		h.flush(f)
	}
}

// flush emits the text and the message that are still pending. An incomplete message is inspected as
// text.
func (h *httpText) flush(f *flow) {
	if f.coding.data != nil {
		h.unpack(f)
	}
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
		h.settle(f.conn) // the head of this piece has been read
	case e.Session == h.session:
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
