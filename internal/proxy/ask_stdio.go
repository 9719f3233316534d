package proxy

import (
	"bytes"
	"context"
	"errors"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// errCancelled is the context's cause when the sender of a held message cancels it.
var errCancelled = errors.New("cancelled by its sender")

// see inspects a client frame before the engine does. It reports whether the frame answers the proxy
// and must not reach the server.
func (p *pump) see(frame []byte) (ours bool) {
	if able, initializes := declares(frame); initializes {
		p.elicits.declared("", able)
	}
	return p.elicits.see("", frame)
}

// hold holds a line until it is allowed or refused. Later lines do not wait.
func (p *pump) hold(line []byte, out *scanner.Outcome) {
	line = bytes.Clone(line)
	q := questionOf(p.at, p.direction, frameOf(line), len(line), out)
	p.holding.run(func() {
		var client asker
		if p.elicits.able("") {
			client = func(ctx context.Context, q *Question) (bool, bool) { return p.elicits.ask(ctx, q, "", p.client.answer) }
		}
		allowed, waits := p.wait(p.asking, q, client)
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
		v, _ := skimAny(frame)
		if id := v.Get("params").Get("requestId").Raw(); len(id) > 0 {
			g.held.cancel(keyOf(at, from, string(id)))
		}
	}
}
