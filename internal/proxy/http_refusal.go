package proxy

import (
	"context"
	"net/http"
	"sync"

	"github.com/mcpscan/mcpscan/scanner"
)

// refuse answers a refused HTTP request. sender is the error response, or nil if no message in the
// request awaits an answer.
func (x *exchange) refuse(w http.ResponseWriter, sender []byte, out *scanner.Outcome) {
	if x.at.transport == "sse" && sender != nil && x.streams.send(x.in, sender) {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	status := http.StatusOK
	switch {
	case out.Decision.Rule == contradiction, sender == nil && out.Decision.Verdict < scanner.Prompt:
		status = http.StatusBadRequest
	case sender == nil: // a notification: its sender sees only the status
		status = http.StatusForbidden
	}
	if sender == nil {
		sender = withoutRequest(out)
	}
	writeJSON(w, status, sender)
	if held, ok := w.(*heldWriter); ok {
		held.finish()
	}
}

// openStreams finds the open event stream of an HTTP+SSE session, by the URL to which the session's
// messages are posted. Clients read the answers from the stream, and ignore the responses to their
// posts. If several streams have the same URL, it finds the latest.
type openStreams struct {
	mu sync.Mutex
	by map[string]*holding
}

// open adds a stream.
func (o *openStreams) open(key string, h *holding) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.by == nil {
		o.by = map[string]*holding{}
	}
	o.by[key] = h
}

// close removes a stream.
func (o *openStreams) close(key string, h *holding) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.by[key] == h {
		delete(o.by, key)
	}
}

// send sends a message on the stream that a post belongs to, and reports whether the stream took it.
func (o *openStreams) send(post *http.Request, message []byte) bool {
	o.mu.Lock()
	h := o.by[urlKey(post.URL.RequestURI())]
	o.mu.Unlock()
	return h != nil && h.send(post.Context(), appendMessage(nil, message))
}

// send waits until the stream takes an event. It returns false if the stream or ctx ends first.
func (h *holding) send(ctx context.Context, event []byte) bool {
	select {
	case h.answers <- event:
		return true
	case <-h.ctx.Done():
	case <-ctx.Done():
	}
	return false
}
