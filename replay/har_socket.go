package replay

import (
	"encoding/base64"
	"strconv"

	"github.com/mcpscan/mcpscan/internal/llm"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// socketMessages is the member of an entry in which browsers save the messages of a WebSocket. It is
// not part of HAR 1.2.
const socketMessages = "_webSocketMessages"

// socket is a WebSocket that an entry opened.
type socket struct {
	messages *wire.Children
	base     scanner.Event
	nth      int // index of the next message
}

// openSocket opens the WebSocket of an entry, or returns nil if there is none.
func (h *har) openSocket(base scanner.Event, entry wire.Value) *socket {
	list := entry.Get(socketMessages)
	if list.Kind() != wire.Array {
		if status := entry.Get("response").Get("status"); string(status.Raw()) == "101" && h.mcp[base.Server] {
			h.out = append(h.out, skipped(h.name, h.place(entry).Line, "the HAR lacks the messages of a WebSocket"))
		}
		return nil
	}
	base.HTTP = nil // the header belongs to the handshake
	return &socket{messages: list.Children(), base: base}
}

// asksOverSocket reports whether the client of an entry sent an MCP message on its WebSocket.
func asksOverSocket(entry wire.Value) bool {
	list := entry.Get(socketMessages)
	for c := list.Children(); list.Kind() == wire.Array && c.Next(); {
		if kind, _ := c.Value.Str("type"); kind == "send" {
			if data, err := socketData(c.Value); err == nil && messageText(plainBody(data)) {
				return true
			}
		}
	}
	return false
}

// socketData returns the payload of a WebSocket message. Browsers save binary payloads in base64.
func socketData(message wire.Value) ([]byte, error) {
	data := message.Get("data")
	if data.Kind() != wire.String {
		return nil, nil
	}
	if string(message.Get("opcode").Raw()) == "2" {
		return base64.StdEncoding.AppendDecode(nil, data.Text())
	}
	return data.Text(), nil
}

// socketMessage reads the next message on the current WebSocket.
func (h *har) socketMessage() {
	s := h.socket
	if !s.messages.Next() {
		h.socket = nil
		return
	}
	message, part := s.messages.Value, "/"+socketMessages+"/"+strconv.Itoa(s.nth)+"/data"
	s.nth++
	base, direction := s.base, mcp.ServerToClient
	switch kind, _ := message.Str("type"); kind {
	case "send":
		direction = mcp.ClientToServer
	case "error": // the browser's own
		return
	}
	if sent, ok := timeOf(string(message.Get("time").Raw())); ok {
		base.Time = sent
	}
	at := h.place(message)
	data, err := socketData(message)
	if err != nil {
		h.out = append(h.out, skipped(h.name, at.Line, "the HAR declares a WebSocket message as binary, but it is not in base64"))
		return
	}
	h.talk.reader.Within(llm.Record{Time: base.Time})
	if body := plainBody(data); !h.llm(base, body, at, part) {
		h.body(base, direction, body, at)
	}
}
