package proxy

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

const (
	maxShown      = 16       // messages in a question; at least as many as the engine judges in one result
	argumentChars = 16 << 10 // maximum length of the arguments, and of the other members, of one of these
	elicitedChars = 4 << 10  // likewise in an elicitation, which a client shows as a whole
	nameChars     = 200      // maximum length of names in a question and in errors
)

// Question describes a held line or body to the user. Its strings are bounded and escaped, and
// recognised secrets in the arguments and the other members are masked.
type Question struct {
	Server   string
	Asks     string            // who sent it: client or server
	Messages []QuestionMessage // those that need approval
	More     int               // further messages of the same batch
	Reason   string            // given by the policy
	Event    *scanner.Event    // the answer as an event: session, server, transport and, unless the connection has ended, time

	about      *scanner.Outcome
	key        heldKey
	size       int  // bytes to hold
	incomplete bool // more messages need approval than Messages can hold
}

// QuestionMessage is a message that needs approval, or a request in a result.
type QuestionMessage struct {
	Method    string `json:"method"`
	Target    string `json:"target"`    // tool, resource or prompt
	Arguments string `json:"arguments"` // JSON, "" if there are none
	Other     string `json:"other"`     // other members of the message, such as _meta: JSON without braces, "" if there are none
	ID        string `json:"-"`         // JSON-RPC ID of the message, as JSON; "" for a notification
}

// questionOf returns the question about a frame. size is the number of bytes to hold.
func questionOf(at *scope, direction mcp.Direction, frame []byte, size int, out *scanner.Outcome) *Question {
	frame = bytes.TrimLeft(wire.Lenient(at.mask(frame)), " \t\r\n") // offsets are relative to the first value
	q := &Question{Server: text.Visible(at.server, nameChars), Asks: "client", Reason: text.Visible(out.Decision.Reason, reasonChars),
		Event: at.event(scanner.IgnoredEvent), about: out, key: keyOf(at, direction, out.Messages[0].ID), size: size}
	if direction == mcp.ServerToClient {
		q.Asks = "server"
	}
	for i := range out.Messages {
		m := &out.Messages[i]
		switch {
		case m.Decision.Verdict != scanner.Prompt:
			q.More++
		case m.Asked == nil:
			q.add(frame, m.Offset, QuestionMessage{Method: m.Method, Target: m.Target, ID: m.ID})
		default:
			for _, a := range m.Prompted {
				q.add(frame, a.Offset, QuestionMessage{Method: a.Method, ID: m.ID})
			}
		}
	}
	return q
}

// add adds the message at offset in frame.
func (q *Question) add(frame []byte, offset int, m QuestionMessage) {
	if len(q.Messages) == maxShown {
		q.More++
		q.incomplete = true
		return
	}
	m.Method, m.Target = text.Visible(m.Method, nameChars), text.Visible(m.Target, nameChars)
	if 0 <= offset && offset < len(frame) {
		message, _ := wire.Skim(frame[offset:], wire.MaxNodes) // in a batch, more messages follow
		m.members(message)
	}
	q.Messages = append(q.Messages, m)
}

// members sets the arguments and the other members: the user approves all of them.
func (m *QuestionMessage) members(message wire.Value) {
	given := message.Get("params")
	other := appendOther(nil, message, "jsonrpc", "id", "method", "params")
	if arguments := given.Get("arguments"); arguments.Kind() != wire.Invalid {
		other = appendOther(other, given, "arguments", "name")
		given = arguments
	}
	if given.Kind() != wire.Invalid {
		m.Arguments = Excerpt(text.Mask(string(given.Raw())), argumentChars)
	}
	m.Other = Excerpt(text.Mask(string(other)), argumentChars)
}

// Excerpt escapes everything in s that is not plainly printable; see [text.Visible]. If the result is
// longer than limit characters, Excerpt leaves out the middle and says how much is missing, so that the
// user who approves a message knows that there is more.
func Excerpt(s string, limit int) string {
	whole := []rune(text.Visible(s, math.MaxInt))
	if len(whole) <= limit {
		return string(whole)
	}
	head, tail := limit/2, limit-limit/2
	return fmt.Sprintf("%s … [%d characters left out] … %s", string(whole[:head]), len(whole)-limit, string(whole[len(whole)-tail:]))
}

// appendOther appends the members of v except those with these names. If several members have the same
// name, only the last one is left out, because only that one is shown elsewhere.
func appendOther(b []byte, v wire.Value, names ...string) []byte {
	var shown []int
	for _, name := range names {
		shown = append(shown, v.Get(name).Start())
	}
	for c := v.Children(); c.Next(); {
		if slices.Contains(shown, c.Value.Start()) {
			continue
		}
		if len(b) > 0 {
			b = append(b, ", "...)
		}
		b = append(wire.AppendString(b, []byte(c.Value.Key())), ':')
		b = append(b, c.Value.Raw()...)
	}
	return b
}

// String names the message.
func (m *QuestionMessage) String() string {
	if m.Target == "" {
		return m.Method
	}
	return fmt.Sprintf("%s %q", m.Method, m.Target)
}

// String returns the question as one line.
func (q *Question) String() string {
	var b strings.Builder
	for i := range q.Messages {
		switch {
		case i > 0 && i == len(q.Messages)-1:
			b.WriteString(" and ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(q.Messages[i].String())
	}
	if q.Asks == "server" {
		b.WriteString(" from the server " + q.Server)
	} else {
		b.WriteString(" for the server " + q.Server)
	}
	if q.More > 0 {
		fmt.Fprintf(&b, ", with %d more in the same batch", q.More)
	}
	return b.String()
}

// text returns the question in full, for a user who sees nothing else.
func (q *Question) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "mcpscan is holding %s, because the policy requires approval: %s.", q, strings.TrimSuffix(q.Reason, "."))
	for i := range q.Messages {
		m := &q.Messages[i]
		if len(q.Messages) > 1 {
			fmt.Fprintf(&b, " %d. %s.", i+1, m)
		}
		if m.Arguments != "" {
			b.WriteString(" Arguments: " + Excerpt(m.Arguments, elicitedChars))
		}
		if m.Other != "" {
			b.WriteString(" Other members: " + Excerpt(m.Other, elicitedChars))
		}
	}
	return b.String()
}
