package proxy

import (
	"bytes"
	"context"
	"crypto/rand"
	"strconv"
	"sync"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// elicitor asks users through their clients with a form-mode elicitation/create request, as a server
// would.
type elicitor struct {
	prefix string // beginning of the raw id of each question

	mu      sync.Mutex
	count   int
	waiting map[string]*question // by raw id
	known   recent               // clients that can ask their users, by session
}

// question is an elicitation request that awaits its answer. Only the client that received the
// request can answer it.
type question struct {
	client string
	answer chan wire.Value
}

// newElicitor returns an elicitor whose ids no server can guess or reuse.
func newElicitor() *elicitor {
	return &elicitor{prefix: `"mcpscan-` + rand.Text() + `-`, waiting: map[string]*question{}}
}

// able reports whether a client can ask its user.
func (e *elicitor) able(client string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.known.find(client) != ""
}

// declared remembers whether a new session's client can ask its user.
func (e *elicitor) declared(client string, able bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.known.forget(client); able {
		e.known.keep(client, "able")
	}
}

// see inspects a frame from a client before the engine does. It reports whether the frame answers
// the proxy and must not reach the server.
func (e *elicitor) see(client string, frame []byte) (ours bool) {
	if !bytes.Contains(frame, []byte(e.prefix)) {
		return false
	}
	v, err := skimAny(frame)
	if err != nil {
		return false
	}
	for m := range messagesOf(v) {
		ours = e.answers(client, m) || ours
	}
	return ours
}

// declares reports whether a frame is an initialize request, and whether its client supports form
// elicitation.
func declares(frame []byte) (able, initializes bool) {
	if !bytes.Contains(frame, []byte(`"initialize"`)) {
		return false, false
	}
	v, err := skimAny(frame)
	if err != nil {
		return false, false
	}
	if method, _ := v.Str("method"); method != "initialize" {
		return false, false
	}
	can := v.Get("params").Get("capabilities").Get("elicitation")
	return can.Get("form").Kind() == wire.Object || can.Kind() == wire.Object && can.Get("url").Kind() == wire.Invalid, true
}

// answers delivers v to the waiting question, and reports whether v answers a question from the proxy.
func (e *elicitor) answers(client string, v wire.Value) bool {
	id := v.Get("id").Raw()
	if v.Get("method").Kind() != wire.Invalid || !bytes.HasPrefix(id, []byte(e.prefix)) {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if asked := e.waiting[string(id)]; asked != nil && asked.client == client {
		delete(e.waiting, string(id))
		own, err := wire.Skim(bytes.Clone(v.Raw()), wire.MaxNodes)
		if err == nil {
			asked.answer <- own
		}
		close(asked.answer)
	}
	return true // a late answer is not for the server either
}

// ask asks a client's user; send sends the client a message. Only an explicit yes allows the held
// message: some clients accept every elicitation.
func (e *elicitor) ask(ctx context.Context, q *Question, client string, send func([]byte)) (allowed, answered bool) {
	asked := &question{client, make(chan wire.Value, 1)}
	e.mu.Lock()
	e.count++
	id := e.prefix + strconv.Itoa(e.count) + `"`
	e.waiting[id] = asked
	e.mu.Unlock()
	b := []byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"elicitation/create","params":{"message":`)
	b = wire.AppendString(b, []byte(q.text()))
	b = append(b, `,"requestedSchema":{"type":"object","properties":{"allow":{"type":"boolean","title":"Allow once","description":"Unless you allow it, mcpscan refuses it.","default":false}},"required":["allow"]}}}`...)
	send(b)
	select {
	case v := <-asked.answer:
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
		send([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"an answer is no longer needed"}}`))
		return false, false
	}
}
