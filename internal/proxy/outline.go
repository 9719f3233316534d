package proxy

import (
	"bytes"
	"fmt"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// exceeding is the decision about a frame that exceeds a limit of the parser. Without it, a sender
// could evade every check by adding values to a message.
var exceeding = scanner.Decision{Verdict: scanner.Block, Rule: "parser-limit",
	Reason: fmt.Sprintf("the message cannot be judged, because it is nested deeper than %d levels or has more than %d values", wire.MaxDepth, wire.MaxNodes)}

// outline returns the messages of a frame that cannot be parsed, with only the fields that an answer to
// them needs.
func outline(frame []byte) (list []scanner.Judged) {
	add := func(message []byte, batch int) {
		list = append(list, scanner.Judged{Message: envelope(message, batch)})
	}
	if frame = bytes.TrimSpace(wire.Lenient(frame)); !bytes.HasPrefix(frame, []byte("[")) {
		add(frame, 0)
		return list
	}
	for _, message := range wire.Items(frame) {
		if len(list) == maxBatch {
			break
		}
		add(message, len(list)+1)
	}
	return list
}

// envelope reads the id, method and kind of a message.
func envelope(message []byte, batch int) *scanner.Message {
	m, answers := &scanner.Message{Kind: mcp.Malformed, Batch: batch}, false
	for key, raw := range wire.Items(message) {
		switch value, err := wire.Skim(raw, 1); stringOf(key) {
		case "id":
			if m.ID = ""; err == nil && (value.Kind() == wire.Number || value.Kind() == wire.String) {
				m.ID = string(raw)
			}
		case "method":
			m.Method = stringOf(raw)
		case "result", "error":
			answers = true
		}
	}
	switch {
	case m.Method != "" && m.ID != "":
		m.Kind = mcp.Request
	case m.Method != "":
		m.Kind = mcp.Notification
	case answers:
		m.Kind = mcp.Response
	}
	return m
}

// stringOf returns the text of a string literal, or "" for any other value.
func stringOf(literal []byte) string {
	v, err := wire.Skim(literal, 1)
	if err != nil || v.Kind() != wire.String {
		return ""
	}
	return string(v.Text())
}
