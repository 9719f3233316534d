package proxy

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// Asking configures how the user is asked about a message whose verdict is [scanner.Prompt].
type Asking struct {
	// Timeout limits how long to wait for an answer. On expiry, the message is refused.
	Timeout time.Duration
	// Elsewhere asks the user outside the client if the client cannot ask. It stops when ctx is done.
	// It reports whether the message is allowed, and whether anybody answered.
	Elsewhere func(ctx context.Context, q *Question) (allowed, answered bool)
	// Decided is called with the decision about a message and who made it, never concurrently with
	// Options.Decided.
	Decided func(q *Question, allowed bool, by string)
}

// These strings say who decided, or why nobody did.
const (
	byTimeout  = "nobody answered in time"
	byClient   = "the client"
	byCommand  = "mcpscan held"
	byNobody   = "nobody could be asked"
	bySender   = "the sender cancelled it"
	byEnd      = "the connection ended"
	byFullness = "too many messages are waiting for an answer"
	byLength   = "it contains too many messages to show"
)

// maxHeld is the maximum number of messages waiting for an answer.
const maxHeld = 32

// asks reports whether the proxy asks about a frame instead of refusing it at once.
func (g *gate) asks(out *scanner.Outcome) bool {
	return g.Asking != nil && !g.Observe && out.Decision.Verdict == scanner.Prompt
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

// asker asks a user through the client. It reports whether the message is allowed, and whether the
// client answered.
type asker func(context.Context, *Question) (allowed, answered bool)

// wait asks about a frame and reports whether it is allowed and whether its sender is still waiting. If
// the frame is refused, the reasons in its outcome say by whom or why. client is nil if the client
// cannot ask.
func (g *gate) wait(ctx context.Context, q *Question, client asker) (allowed, waits bool) {
	allowed, by := g.decide(ctx, q, client)
	g.mu.Lock()
	if !g.closed {
		q.Event.Time = g.now()
	}
	g.Asking.Decided(q, allowed, by)
	g.mu.Unlock()
	if !allowed {
		q.refused(by)
	}
	return allowed, by != bySender
}

// decide asks about a frame and returns who decided, or why nobody did.
func (g *gate) decide(ctx context.Context, q *Question, client asker) (allowed bool, by string) {
	if q.incomplete {
		return false, byLength
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done, ok := g.held.hold(q, g.MaxMessage, cancel)
	if !ok {
		return false, byFullness
	}
	defer done()
	ctx, stop := context.WithTimeout(ctx, g.Asking.Timeout)
	defer stop()
	by, answered := byClient, false
	if client != nil && ctx.Err() == nil {
		allowed, answered = client(ctx, q)
	}
	if !answered && ctx.Err() == nil {
		by = byCommand
		allowed, answered = g.Asking.Elsewhere(ctx, q)
	}
	switch {
	case !allowed && answered:
		return false, by
	case ctx.Err() != nil:
		return false, endedBy(ctx)
	case !answered:
		return false, byNobody
	}
	return true, by
}

// refused adds who refused the frame, or why nobody allowed it, to the reasons why it needs approval.
func (q *Question) refused(by string) {
	switch by {
	case byClient, byCommand:
		by = "refused by " + by
	}
	add := func(d *scanner.Decision) {
		if d.Verdict == scanner.Prompt {
			d.Reason = by + ": " + cmp.Or(d.Reason, rule(d))
		}
	}
	add(&q.about.Decision)
	for i := range q.about.Messages {
		add(&q.about.Messages[i].Decision)
	}
}
