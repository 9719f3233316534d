package proxy

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// Asking configures how the user is asked about a message whose verdict is [scanner.Prompt].
type Asking struct {
	// Timeout limits how long to wait for an answer. On expiry, the message is refused.
	Timeout time.Duration
	// Elsewhere asks the user outside the client if the client cannot ask. It stops when ctx is done.
	// It reports whether the message is allowed.
	Elsewhere func(ctx context.Context, q *Question) (allowed bool)
	// Decided is called with the decision about a message and who made it.
	Decided func(q *Question, allowed bool, by string)
}

// Question describes a held message to the user. Its strings are bounded and escaped, and
// recognised secrets in the arguments are masked.
type Question struct {
	Server    string
	Asks      string // who sent the message: client or server
	Method    string
	Target    string // tool, resource or prompt
	Arguments string // JSON, "" if there are none
	More      int    // further messages of the same batch
	Reason    string // given by the policy

	key  heldKey
	size int // bytes to hold
}

// These strings say who decided, or why nobody did.
const (
	byTimeout  = "nobody answered in time"
	byClient   = "the client"
	byCommand  = "mcpscan held"
	bySender   = "the sender cancelled it"
	byEnd      = "the connection ended"
	byFullness = "too many messages are waiting for an answer"
)

const (
	maxHeld       = 32  // messages waiting for an answer
	argumentChars = 600 // maximum length of the arguments in a question
	nameChars     = 200 // maximum length of other strings in a question, and of names in errors
)

// asks reports whether the proxy asks about a frame instead of refusing it at once.
func (g *gate) asks(out *scanner.Outcome) bool {
	return g.Asking != nil && !g.Observe && out.Decision.Verdict == scanner.Prompt
}

// questionOf returns the question about a frame. size is the number of bytes to hold.
func questionOf(at *scope, direction mcp.Direction, frame []byte, size int, out *scanner.Outcome) *Question {
	if at.mask != nil {
		frame = at.mask(frame)
	}
	q := &Question{Server: text.Visible(at.server, nameChars), Asks: "client", Reason: text.Visible(out.Decision.Reason, reasonChars),
		key: keyOf(at, direction, out.Messages[0].ID), size: size}
	if direction == mcp.ServerToClient {
		q.Asks = "server"
	}
	q.More = len(out.Messages) - 1
	for i := range out.Messages {
		m := &out.Messages[i]
		if m.Decision.Verdict != scanner.Prompt {
			continue
		}
		method, target, offset := m.Method, m.Target, m.Offset
		if m.Asked != nil {
			method, target, offset = m.Asked.Method, "", m.Asked.Offset
		}
		q.Method, q.Target = text.Visible(method, nameChars), text.Visible(target, nameChars)
		q.Arguments = argumentsOf(frame, offset)
		break
	}
	return q
}

// argumentsOf returns the arguments of the message at offset in frame.
func argumentsOf(frame []byte, offset int) string {
	frame = bytes.TrimLeft(wire.Lenient(frame), " \t\r\n") // offsets are relative to the first value
	if offset < 0 || offset > len(frame) {
		return ""
	}
	message, _ := wire.Skim(frame[offset:], wire.MaxNodes) // in a batch, more messages follow
	given := message.Get("params")
	if arguments := given.Get("arguments"); arguments.Kind() != wire.Invalid {
		given = arguments
	}
	if given.Kind() == wire.Invalid {
		return ""
	}
	return text.Visible(text.Mask(string(given.Raw())), argumentChars)
}

// String returns the question as one line.
func (q *Question) String() string {
	s := q.Method
	if q.Target != "" {
		s += fmt.Sprintf(" %q", q.Target)
	}
	if q.Asks == "server" {
		s += " from the server " + q.Server
	} else {
		s += " for the server " + q.Server
	}
	if q.More > 0 {
		s += fmt.Sprintf(", with %d more in the same batch", q.More)
	}
	return s
}

// text returns the question in full, for a user who sees nothing else.
func (q *Question) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "mcpscan is holding %s, because the policy requires approval: %s.", q, strings.TrimSuffix(q.Reason, "."))
	if q.Arguments != "" {
		b.WriteString(" Arguments: " + q.Arguments)
	}
	return b.String()
}

// held tracks the messages that are waiting for an answer.
type held struct {
	mu    sync.Mutex
	count int
	bytes int64
	by    map[heldKey]context.CancelCauseFunc
}

// heldKey identifies a message for cancellation, by the raw id that its sender gave it.
type heldKey struct {
	from                        mcp.Direction
	session, server, client, id string
}

// keyOf returns the key of the message with an id.
func keyOf(at *scope, from mcp.Direction, id string) heldKey {
	return heldKey{from, at.session, at.server, at.client, id}
}

// hold registers a message if there is room. done releases its slot.
func (h *held) hold(q *Question, most int64, cancel context.CancelCauseFunc) (done func(), ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.count >= maxHeld || h.bytes+int64(q.size) > most {
		return nil, false
	}
	if h.by == nil {
		h.by = map[heldKey]context.CancelCauseFunc{}
	}
	h.count++
	h.bytes += int64(q.size)
	if q.key.id != "" { // a notification cannot be cancelled
		h.by[q.key] = cancel
	}
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.count--
		h.bytes -= int64(q.size)
		delete(h.by, q.key)
	}, true
}

// cancel stops holding a message that its sender cancelled.
func (h *held) cancel(key heldKey) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if cancel := h.by[key]; cancel != nil {
		cancel(errCancelled)
	}
}

// endedBy returns the reason why nobody answered before ctx ended.
func endedBy(ctx context.Context) string {
	switch context.Cause(ctx) {
	case errCancelled:
		return bySender
	case context.DeadlineExceeded:
		return byTimeout
	}
	return byEnd
}

// asker asks through a client and reports whether the client answered.
type asker func(context.Context, *Question) (allowed, answered bool)

// wait asks about a frame and reports whether it is allowed and whether its sender is still waiting.
// client is nil if the client cannot ask.
func (g *gate) wait(ctx context.Context, q *Question, client asker) (allowed, waits bool) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done, ok := g.held.hold(q, g.MaxMessage, cancel)
	if !ok {
		g.Asking.Decided(q, false, byFullness)
		return false, true
	}
	defer done()
	ctx, stop := context.WithTimeout(ctx, g.Asking.Timeout)
	defer stop()
	by, answered := byClient, false
	if client != nil {
		allowed, answered = client(ctx, q)
	}
	if !answered && ctx.Err() == nil {
		by = byCommand
		allowed = g.Asking.Elsewhere(ctx, q)
	}
	if !allowed && !answered && ctx.Err() != nil {
		by = endedBy(ctx)
	}
	allowed = allowed && ctx.Err() == nil
	g.Asking.Decided(q, allowed, by)
	return allowed, by != bySender
}
