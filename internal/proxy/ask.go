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

// Asking says how somebody is asked about a message whose verdict is [scanner.Prompt].
type Asking struct {
	// Timeout is how long the answer may take. Without one in time, the message is refused.
	Timeout time.Duration
	// Elsewhere asks where the client cannot, until ctx ends, and reports whether the message
	// is allowed.
	Elsewhere func(ctx context.Context, q *Question) (allowed bool)
	// Told is told what became of a message, and who decided.
	Told func(q *Question, allowed bool, by string)
}

// Question is what somebody is asked. Its texts are bounded, visible, and without the secrets
// that were recognised.
type Question struct {
	Server    string
	Asks      string // client or server: who sent the message
	Method    string
	Target    string // tool, resource or prompt
	Arguments string // JSON, "" for none
	More      int    // messages of the same batch
	Reason    string // of the policy
}

// Who decided, beside the client.
const (
	byTimeout  = "nobody answered in time"
	byClient   = "the client"
	byCommand  = "mcpscan held"
	bySender   = "its sender cancelled it"
	byEnd      = "the connection ended"
	byFullness = "too many messages wait for an answer"
)

const (
	maxHeld       = 32  // messages that wait for an answer
	argumentChars = 600 // of the arguments in a question
	nameChars     = 200 // of other texts in it, and of names in errors
)

// asks reports whether somebody is to be asked about a frame, rather than its being refused at
// once.
func (g *gate) asks(out *scanner.Outcome) bool {
	return g.Asking != nil && !g.Observe && out.Decision.Verdict == scanner.Prompt
}

// questionOf is the question about a frame that is masked already.
func questionOf(at *scope, direction mcp.Direction, masked []byte, out *scanner.Outcome) *Question {
	q := &Question{Server: text.Visible(at.server, nameChars), Asks: "client", Reason: text.Visible(out.Decision.Reason, reasonChars)}
	if direction == mcp.ServerToClient {
		q.Asks = "server"
	}
	q.More = len(out.Messages) - 1
	for i := range out.Messages {
		m := &out.Messages[i]
		if m.Decision.Verdict != scanner.Prompt {
			continue
		}
		q.Method, q.Target = text.Visible(m.Method, nameChars), text.Visible(m.Target, nameChars)
		q.Arguments = argumentsOf(masked, m.Offset)
		break
	}
	return q
}

// argumentsOf are the arguments of the message that begins at an offset of a frame.
func argumentsOf(frame []byte, offset int) string {
	frame = bytes.TrimLeft(frame, " \t\r\n") // offsets are those from the first value on
	if offset < 0 || offset > len(frame) {
		return ""
	}
	message, _ := wire.Skim(frame[offset:], wire.MaxNodes) // a batch goes on behind it
	given := message.Get("params")
	if arguments := given.Get("arguments"); arguments.Kind() != wire.Invalid {
		given = arguments
	}
	if given.Kind() == wire.Invalid {
		return ""
	}
	return text.Visible(text.Mask(string(given.Raw())), argumentChars)
}

// String is the question as one line.
func (q *Question) String() string {
	s := q.Method
	if q.Target != "" {
		s += fmt.Sprintf(" %q", q.Target)
	}
	if q.Asks == "server" {
		s += " of the server " + q.Server
	} else {
		s += " for the server " + q.Server
	}
	if q.More > 0 {
		s += fmt.Sprintf(", with %d more messages", q.More)
	}
	return s
}

// text is the question for somebody who sees nothing else.
func (q *Question) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "mcpscan holds %s, because the policy prompts for it: %s.", q, strings.TrimSuffix(q.Reason, "."))
	if q.Arguments != "" {
		b.WriteString(" Arguments: " + q.Arguments)
	}
	return b.String()
}

// held are the messages that wait for an answer.
type held struct {
	mu    sync.Mutex
	count int
	bytes int64
	by    map[heldKey]context.CancelCauseFunc
}

// heldKey is what a message can be cancelled by: the sender's id, as it is written.
type heldKey struct {
	from                mcp.Direction
	session, server, id string
}

// keyOf is the key of a frame.
func keyOf(at *scope, from mcp.Direction, id string) heldKey {
	return heldKey{from, at.session, at.server, id}
}

// hold takes a frame in, if there is room for it. done gives up its place.
func (h *held) hold(key heldKey, size int, most int64, cancel context.CancelCauseFunc) (done func(), ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.count >= maxHeld || h.bytes+int64(size) > most {
		return nil, false
	}
	if h.by == nil {
		h.by = map[heldKey]context.CancelCauseFunc{}
	}
	h.count++
	h.bytes += int64(size)
	h.by[key] = cancel
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.count--
		h.bytes -= int64(size)
		delete(h.by, key)
	}, true
}

// cancel gives up a message that its sender cancels.
func (h *held) cancel(key heldKey) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if cancel := h.by[key]; cancel != nil {
		cancel(errCancelled)
	}
}

// endedBy says why nobody answered, when ctx has ended.
func endedBy(ctx context.Context) string {
	switch context.Cause(ctx) {
	case errCancelled:
		return bySender
	case context.DeadlineExceeded:
		return byTimeout
	}
	return byEnd
}

// wait asks somebody about a frame and reports whether it is allowed, and whether its sender
// still waits. client asks through the client, and is nil where it cannot be asked; it reports
// whether it answered.
func (g *gate) wait(ctx context.Context, key heldKey, q *Question, size int, client func(context.Context, *Question) (allowed, answered bool)) (allowed, waits bool) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done, ok := g.held.hold(key, size, g.MaxMessage, cancel)
	if !ok {
		g.Asking.Told(q, false, byFullness)
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
	g.Asking.Told(q, allowed, by)
	return allowed, by != bySender
}
