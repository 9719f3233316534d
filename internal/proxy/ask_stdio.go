package proxy

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// errCancelled is the context's cause when the sender of a held message cancels it.
var errCancelled = errors.New("cancelled by its sender")

// stdioElicitor asks the user of a stdio client.
type stdioElicitor struct {
	*elicitor
	to   *side       // the client
	able atomic.Bool // the client declared elicitation in form mode
}

// see inspects a client frame before the engine does. It reports whether the frame answers the proxy
// and must not reach the server.
func (e *stdioElicitor) see(frame []byte) (ours bool) {
	if able, initializes := declares(frame); initializes {
		e.able.Store(able)
	}
	return e.elicitor.see("", frame)
}

func (e *stdioElicitor) ask(ctx context.Context, q *Question) (allowed, answered bool) {
	return e.elicitor.ask(ctx, q, "", e.to.answer)
}

// hold holds a line until it is allowed or refused. Later lines do not wait.
func (p *pump) hold(line []byte, out *scanner.Outcome) {
	line = bytes.Clone(line)
	frame := frameOf(line)
	if p.at.mask != nil {
		frame = p.at.mask(frame)
	}
	q := questionOf(p.at, p.direction, frame, out)
	key := keyOf(p.at, p.direction, out.Messages[0].ID)
	p.to.pending.Go(func() {
		var client func(context.Context, *Question) (bool, bool)
		if p.client.able.Load() {
			client = p.client.ask
		}
		allowed, waits := p.wait(p.ctx, key, q, len(line), client)
		switch {
		case allowed:
			_ = p.to.write(line) // fails only if the receiver is gone
		case waits:
			p.refuse(out)
		}
	})
}

// cancels stops holding the messages that a frame cancels.
func (g *gate) cancels(at *scope, from mcp.Direction, frame []byte, out *scanner.Outcome) {
	for i := range out.Messages {
		m := &out.Messages[i]
		if m.Method != "notifications/cancelled" || m.Offset != 0 { // cancellations inside a batch are ignored
			continue
		}
		v, _ := wire.Skim(frame, wire.MaxNodes)
		if id := v.Get("params").Get("requestId").Raw(); len(id) > 0 {
			g.held.cancel(keyOf(at, from, string(id)))
		}
	}
}
