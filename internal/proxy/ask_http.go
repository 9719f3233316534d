package proxy

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// allowed asks about a client request: over its response stream if the client can ask its user, or
// else outside the client. It returns the writer for the response, or nil if the client cancelled the
// request and the response has ended without a message.
func (x *exchange) allowed(w http.ResponseWriter, body []byte, out *scanner.Outcome) (allowed bool, to http.ResponseWriter) {
	var client asker
	if x.readsEvents() && len(x.ids) > 0 && x.elicits.able(x.client()) {
		held := &heldWriter{ResponseWriter: w, ids: x.ids}
		client = func(ctx context.Context, q *Question) (bool, bool) {
			held.begin()
			return x.elicits.ask(ctx, q, x.client(), held.event)
		}
		w = held
	}
	allowed, waits := x.gate.wait(x.in.Context(), questionOf(&x.at, mcp.ClientToServer, frameOf(body), len(body), out), client)
	if !waits && x.withdrawn(w) {
		return false, nil
	}
	return allowed, w
}

// withdrawn ends the response to a cancelled request without an answer, because the client no longer
// expects one. It reports whether that is possible: a JSON response cannot be empty.
func (x *exchange) withdrawn(w http.ResponseWriter) bool {
	held, _ := w.(*heldWriter)
	switch {
	case held != nil && held.begun:
	case x.at.transport == "sse": // answers arrive on another stream
		w.WriteHeader(http.StatusAccepted)
	case accepts(x.in.Header).listed:
		w.Header().Set("Content-Type", eventStream)
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusOK)
	default:
		return false
	}
	return true
}

// readsEvents reports whether the client accepts an event stream as the response, and answers
// requests in it. In HTTP+SSE, responses arrive on another stream, and in protocol versions without
// sessions, servers send no requests.
func (x *exchange) readsEvents() bool {
	return accepts(x.in.Header).streams && x.in.Header.Get("Accept") != "" && x.at.transport == "http" && x.in.Header.Get(headerVersion) < versionStateless
}

// client returns the key of this exchange's client session.
func (x *exchange) client() string {
	if id := sessionID(x.in); id != "" {
		return idKey(id)
	}
	return x.sessions.askerKey(x.in)
}

// heldWriter writes the response to a held request. If the proxy has asked the client, it has begun an
// event stream for its question, and writes the server's response as the last events of this stream.
type heldWriter struct {
	http.ResponseWriter
	ids   []string // of the requests
	begun bool

	head    http.Header // headers of the server's response; the client does not get them
	status  int
	streams bool // the response is an event stream
	skips   bool // the response is neither an event stream nor JSON
	wrote   bool
}

// begin starts the event stream.
func (h *heldWriter) begin() {
	head := h.ResponseWriter.Header()
	head.Set("Content-Type", eventStream)
	head.Set("Cache-Control", "no-store")
	h.ResponseWriter.WriteHeader(http.StatusOK)
	h.begun, h.head = true, http.Header{}
}

// event sends a message from the proxy.
func (h *heldWriter) event(message []byte) {
	_, _ = h.ResponseWriter.Write(appendMessage(nil, message)) // fails only if the client is gone
	_ = http.NewResponseController(h.ResponseWriter).Flush()
}

// Header returns the headers of the response.
func (h *heldWriter) Header() http.Header {
	if h.begun {
		return h.head
	}
	return h.ResponseWriter.Header()
}

// WriteHeader begins the response.
func (h *heldWriter) WriteHeader(status int) {
	if !h.begun {
		h.ResponseWriter.WriteHeader(status)
		return
	}
	if status < http.StatusOK {
		return
	}
	kind := strings.ToLower(h.head.Get("Content-Type"))
	h.status, h.streams = status, strings.HasPrefix(kind, eventStream)
	h.skips = !h.streams && !strings.Contains(kind, "json")
}

// Write writes a part of the response. A JSON body becomes the data of one event.
func (h *heldWriter) Write(p []byte) (int, error) {
	switch {
	case !h.begun || h.streams:
		return h.ResponseWriter.Write(p)
	case h.status == 0:
		h.WriteHeader(http.StatusOK)
		return h.Write(p)
	case h.skips || len(p) == 0:
		return len(p), nil
	}
	data := p
	if !h.wrote {
		h.wrote = true
		if _, err := h.ResponseWriter.Write([]byte("event: message\ndata: ")); err != nil {
			return 0, err
		}
	}
	data = bytes.ReplaceAll(data, []byte("\r"), []byte(" ")) // line endings in JSON are white space
	data = bytes.ReplaceAll(data, []byte("\n"), []byte("\ndata: "))
	_, err := h.ResponseWriter.Write(data)
	return len(p), err
}

// Unwrap returns the underlying writer, for flushing.
func (h *heldWriter) Unwrap() http.ResponseWriter { return h.ResponseWriter }

// finish ends the event that carries a JSON response.
func (h *heldWriter) finish() {
	switch {
	case !h.begun || h.streams:
	case h.wrote:
		_, _ = h.ResponseWriter.Write([]byte("\n\n"))
	default:
		h.event(failed(h.ids, fmt.Sprintf("mcpscan: the server answered with status %d but no message", h.status), failedCode))
	}
}
