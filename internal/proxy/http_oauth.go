package proxy

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	gopath "path"
	"strings"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// isAuthentication reports whether MCP clients use a path for authentication: a metadata path, or a
// default endpoint of servers without metadata.
func isAuthentication(path string) bool {
	switch path {
	case "/authorize", "/token", "/register", "/revoke":
		return true
	}
	plain, err := url.PathUnescape(path)
	return err == nil && strings.HasPrefix(plain, "/.well-known/") && gopath.Clean(plain) == strings.TrimSuffix(plain, "/") && !strings.Contains(plain, `\`)
}

// authenticate forwards a request to an authentication path, without inspecting it. It refuses a body
// with messages: otherwise, a server could evade inspection by having clients send messages to such a
// path.
func (h *HTTP) authenticate(w http.ResponseWriter, r *http.Request) {
	at := h.scope("")
	at.session, _ = h.sessions.of(r, false)
	body, more, done, err := h.large.read(r.Context(), r.Body, r.ContentLength, h.gate.MaxMessage)
	defer done()
	ids, message := messagesIn(frameOf(body))
	_, malformed := wire.Skim(wire.Lenient(body), wire.MaxNodes)
	why := ""
	switch {
	case err != nil:
		writeError(w, http.StatusBadRequest, nil, "the request ended early")
		return
	case wire.WideCharset(body) != "":
		writeError(w, http.StatusUnsupportedMediaType, nil, onlyUTF8)
		return
	case message, malformed != nil && wire.ObjectAfter(body, "\r\n}\u2028\u2029"): // some receivers find a message in it: see ambiguity
		why = "a message sent to an authentication path"
	case more:
		why = tooLongReason(mcp.ClientToServer, h.gate.MaxMessage)
	}
	switch {
	case why == "":
		h.gate.note(&at, scanner.IgnoredEvent, "an HTTP authentication exchange, forwarded without inspection", scanner.Forward)
	case h.gate.refuses(&at, why):
		writeError(w, http.StatusNotFound, ids, "the proxy does not forward this: "+why+"; send messages to "+h.path)
		return
	}
	if len(body) > 0 {
		r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), r.Body))
	}
	h.reverse.ServeHTTP(w, r)
}

// messagesIn reports whether a body contains a JSON-RPC message, and returns the ids of its requests.
func messagesIn(body []byte) (ids []string, found bool) {
	for _, m := range outline(body) {
		if m.Kind == mcp.Request {
			ids = append(ids, m.ID)
		}
		found = found || m.Kind != mcp.Malformed
	}
	return ids, found
}
