package proxy

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"strconv"
	"sync"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// errCancelled is the cause when the sender of a held message cancels it.
var errCancelled = errors.New("cancelled by its sender")

// elicitor asks the user through a stdio client with a form-mode elicitation/create request, as a
// server would.
type elicitor struct {
	to     *side // the client
	prefix string

	mu      sync.Mutex
	able    bool // the client declared elicitation in form mode
	count   int
	waiting map[string]chan wire.Value // answers, by raw id
}

// newElicitor returns an elicitor whose ids no server can guess or reuse.
func newElicitor(to *side) *elicitor {
	return &elicitor{to: to, prefix: `"mcpscan-` + rand.Text() + `-`, waiting: map[string]chan wire.Value{}}
}

// see inspects a client frame before the engine does. It reports whether the frame answers the proxy
// and must not reach the server.
func (e *elicitor) see(frame []byte) (ours bool) {
	asked := bytes.Contains(frame, []byte(e.prefix))
	if !asked && !bytes.Contains(frame, []byte(`"initialize"`)) {
		return false
	}
	v, err := wire.Skim(frame, wire.MaxNodes)
	if err != nil {
		return false
	}
	if !asked {
		e.declares(v)
		return false
	}
	if v.Kind() == wire.Array { // versions with elicitation have no batches
		for c := v.Children(); c.Next(); {
			ours = e.answers(c.Value) || ours
		}
		return ours
	}
	return e.answers(v)
}

// declares records whether the client supports form elicitation.
func (e *elicitor) declares(v wire.Value) {
	if method, _ := v.Str("method"); method != "initialize" {
		return
	}
	can := v.Get("params").Get("capabilities").Get("elicitation")
	form := can.Get("form").Kind() == wire.Object || can.Kind() == wire.Object && can.Get("url").Kind() == wire.Invalid
	e.mu.Lock()
	defer e.mu.Unlock()
	e.able = form
}

// answers delivers an answer to the question that waits for it, and reports whether v answers the
// proxy.
func (e *elicitor) answers(v wire.Value) bool {
	id := v.Get("id").Raw()
	if v.Get("method").Kind() != wire.Invalid || !bytes.HasPrefix(id, []byte(e.prefix)) {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if answer := e.waiting[string(id)]; answer != nil {
		delete(e.waiting, string(id))
		own, err := wire.Skim(bytes.Clone(v.Raw()), wire.MaxNodes)
		if err == nil {
			answer <- own
		}
		close(answer)
	}
	return true // a late answer is not for the server either
}

// can reports whether the client can ask its user.
func (e *elicitor) can() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.able
}

// ask asks the user. Only an explicit yes allows the message: some clients accept every elicitation.
func (e *elicitor) ask(ctx context.Context, q *Question) (allowed, answered bool) {
	answer := make(chan wire.Value, 1)
	e.mu.Lock()
	e.count++
	id := e.prefix + strconv.Itoa(e.count) + `"`
	e.waiting[id] = answer
	e.mu.Unlock()
	b := []byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"elicitation/create","params":{"message":`)
	b = wire.AppendString(b, []byte(q.text()))
	b = append(b, `,"requestedSchema":{"type":"object","properties":{"allow":{"type":"boolean","title":"Allow once","description":"Unless you allow it, mcpscan refuses it.","default":false}},"required":["allow"]}}}`...)
	e.to.answer(b)
	select {
	case v := <-answer:
		result := v.Get("result")
		if result.Kind() != wire.Object { // an error: the client cannot ask
			return false, false
		}
		action, _ := result.Str("action")
		return action == "accept" && string(result.Get("content").Get("allow").Raw()) == "true", true
	case <-ctx.Done():
		e.mu.Lock()
		delete(e.waiting, id)
		e.mu.Unlock()
		e.to.answer([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"an answer is no longer needed"}}`))
		return false, false
	}
}

// hold keeps a line back until it is allowed or refused. The lines after it do not wait.
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
		if p.client.can() {
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
