package replay

import (
	"bufio"
	"bytes"
	"errors"
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

var chunkSize = regexp.MustCompile(`^[0-9a-fA-F]{1,8}$`)

// httpText reads such a file.
type httpText struct {
	name    string
	doc     wire.Doc
	at      scanner.Event // what is known of the current piece
	partial []byte        // a message that a chunk boundary has cut
	start   int           // line on which it starts
	pieces  int           // of which it is made so far
	out     chunk
}

func openHTTP(name string, r io.Reader, o Options) (scanner.Source, error) {
	h := &httpText{name: name}
	h.piece(time.Time{}, scanner.ServerToClient)
	lines := wire.NewLineReader(bufio.NewReader(r), o.MaxMessage)
	for {
		l, err := lines.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if l.Oversize {
			h.out = append(h.out, skipped(name, l.Number, "a line is longer than the limit of %d bytes (--max-message)", o.MaxMessage))
			continue
		}
		h.line(l.Data, l.Number)
	}
	h.flush()
	if h.out == nil {
		h.out = chunk{}
	}
	return &once{h.out}, nil
}

// piece starts a new piece of the exchange.
func (h *httpText) piece(t time.Time, d scanner.Direction) {
	h.at = scanner.Event{Time: t, Direction: d, Transport: "http", Session: baseName(h.name), Server: baseName(h.name)}
}

func (h *httpText) line(data []byte, number int) {
	if m := segment.FindSubmatch(data); m != nil {
		h.flush()
		t, _ := parseTime(string(m[1]))
		d := scanner.ServerToClient
		if string(m[3]) == "client" {
			d = scanner.ClientToServer
		}
		h.piece(t, d)
		return
	}
	if name, value, ok := bytes.Cut(data, []byte(":")); ok && strings.EqualFold(string(name), "mcp-session-id") {
		h.at.Session = string(bytes.TrimSpace(value))
		return
	}
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("data:")))
	switch {
	case h.partial != nil:
		if !chunkSize.Match(data) {
			h.message(append(h.partial, data...), h.start)
		}
	case len(data) > 1 && (data[0] == '{' || data[0] == '['):
		h.message(bytes.Clone(data), number)
	}
}

// The bounds of putting a cut message together again: each piece costs a parse.
const (
	maxPartial = 4 << 20
	maxPieces  = 64
)

// message keeps a message that is whole, and waits for the rest of one that is not.
func (h *httpText) message(data []byte, number int) {
	if h.pieces++; h.doc.Parse(data) != nil && len(data) < maxPartial && h.pieces < maxPieces {
		h.partial, h.start = data, number
		return
	}
	h.partial, h.pieces = nil, 0
	e := h.at
	e.Frame, e.Origin = data, scanner.Origin{File: h.name, Line: number, Column: 1}
	h.out = append(h.out, &e)
}

// flush gives up on a message whose rest did not come: it is inspected as it is.
func (h *httpText) flush() {
	if h.partial == nil {
		return
	}
	e := h.at
	e.Frame, e.Origin = h.partial, scanner.Origin{File: h.name, Line: h.start, Column: 1}
	h.out = append(h.out, &e)
	h.partial, h.pieces = nil, 0
}
