package proxy

import (
	"bytes"
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	gopath "path"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// Upstream is a server at a URL.
type Upstream struct {
	Name      string // as events name it
	URL       *url.URL
	Origin    scanner.Origin // of what is not recorded
	Transport http.RoundTripper
	Headers   map[string]string // for requests that lack them

	// Mask returns what replaces the secrets in the head of a request, ahead of the engine;
	// nil for none.
	Mask func(http.Header) func([]byte) []byte
	// Failed is told why the server could not be reached; nil for nobody.
	Failed func(reason string)
}

// maxExchanges bounds the HTTP requests that are answered at a time.
const maxExchanges = 8192

// HTTP is a proxy in front of a server at a URL. It has the paths of the server: what a
// client asks of a path is asked of the same path there. Only paths for messages and those of
// authentication lead to the server.
type HTTP struct {
	gate     *gate
	access   Access
	upstream Upstream
	prefix   string // of all paths, where the proxy has several servers; "" for those of the server
	path     string // for messages
	sessions *sessions
	reverse  *httputil.ReverseProxy
	current  atomic.Int64 // exchanges
	large    large

	answers sync.WaitGroup // of the proxy, on their way to the server
	waiting atomic.Int32   // of these
	ctx     context.Context
	stop    context.CancelFunc
}

// NewHTTP returns a proxy that is to be closed.
func NewHTTP(o Options, a Access, u Upstream) *HTTP {
	return newHTTP(&gate{Options: o}, a, u, newSessions())
}

func newHTTP(g *gate, a Access, u Upstream, s *sessions) *HTTP {
	h := &HTTP{gate: g, access: a, upstream: u, path: pathOf(u.URL), sessions: s, large: make(large, maxLarge)}
	h.ctx, h.stop = context.WithCancel(context.Background())
	h.reverse = &httputil.ReverseProxy{
		Rewrite: h.rewrite, Transport: u.Transport, FlushInterval: -1, ModifyResponse: h.respond, ErrorHandler: h.fail, BufferPool: &copyBuffers{},
		ErrorLog: log.New(io.Discard, "", 0), // what ends a connection ends it for the client too
	}
	return h
}

// Close ends judging, and gives up answers that are on their way to the server.
func (h *HTTP) Close() {
	h.gate.close()
	h.stop()
	h.answers.Wait()
}

// copyBuffers are what bodies are copied through. Each open stream has one.
type copyBuffers struct{ pool sync.Pool }

func (c *copyBuffers) Get() []byte {
	if b, ok := c.pool.Get().(*[]byte); ok {
		return *b
	}
	return make([]byte, smallBuffer)
}

func (c *copyBuffers) Put(b []byte) { c.pool.Put(&b) }

// pathOf is the path of a URL as a request has it.
func pathOf(u *url.URL) string {
	if p := u.EscapedPath(); p != "" {
		return p
	}
	return "/"
}

// exchangeKey is what a request has its exchange under.
type exchangeKey struct{}

// exchange is a request for messages and its response.
type exchange struct {
	*HTTP
	at    scope
	in    *http.Request
	asked map[string]bool // requests of the body without an answer yet, by id
	order []string        // the same in the order of the body
	begun bool            // the body begins a session
	sent  func()          // the body was sent
	kept  func()          // the response was
	lost  bool            // something was refused that nobody can tell the request of
	reply string          // URL for what answers the server, where it is not that of the request
}

// ServeHTTP answers a request of a client.
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if status, why := h.access.refuses(r); why != "" {
		if status == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", "Bearer")
		}
		writeError(w, status, nil, why)
		return
	}
	defer h.current.Add(-1)
	if h.current.Add(1) > maxExchanges {
		writeError(w, http.StatusServiceUnavailable, nil, "the proxy has too many requests to answer at a time")
		return
	}
	r.Header.Del("Upgrade") // some clients offer HTTP/2 with each request; nothing else than HTTP is passed on
	path := pathOf(r.URL)
	stream := h.sessions.streamOf(r.URL.RequestURI())
	switch {
	case r.Method == http.MethodConnect:
		writeError(w, http.StatusNotImplemented, nil, "the proxy passes on no other protocol than HTTP")
	case path == h.path || stream != "":
		h.exchange(w, r, stream)
	case isAuthentication(path) && h.prefix == "":
		at := h.scope("")
		at.session, _ = h.sessions.of(r, false)
		h.gate.note(&at, scanner.IgnoredEvent, "an HTTP exchange of authentication, passed on unread", scanner.Forward)
		h.reverse.ServeHTTP(w, r)
	default:
		writeError(w, http.StatusNotFound, nil, "the proxy has no such path; messages go to "+h.path)
	}
}

// isAuthentication reports a path that clients of MCP look for authentication at: the
// metadata, and what stands in for it where a server has none.
func isAuthentication(path string) bool {
	switch path {
	case "/authorize", "/token", "/register", "/revoke":
		return true
	}
	plain, err := url.PathUnescape(path)
	return err == nil && strings.HasPrefix(plain, "/.well-known/") && gopath.Clean(plain) == strings.TrimSuffix(plain, "/") && !strings.Contains(plain, `\`)
}

// scope returns the scope of what has no messages yet.
func (h *HTTP) scope(session string) scope {
	return scope{session: session, server: h.upstream.Name, transport: "http", origin: h.upstream.Origin}
}

// exchange passes on a request for messages. stream is the session of the event stream that
// its URL belongs to.
func (h *HTTP) exchange(w http.ResponseWriter, r *http.Request, stream string) {
	x := &exchange{HTTP: h, in: r, at: h.scope(stream), kept: func() {}}
	x.at.head = headOf(r)
	if h.upstream.Mask != nil {
		x.at.mask = h.upstream.Mask(r.Header)
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		writeError(w, http.StatusUnsupportedMediaType, nil, "the proxy reads no encoded messages: send the body without Content-Encoding")
		return
	}
	if _, why := formOf(http.Header{"Content-Type": r.Header.Values("Content-Type")}); why != "" {
		writeError(w, http.StatusUnsupportedMediaType, nil, "the proxy reads messages in UTF-8 only, and of one content type")
		return
	}
	body, more, done, err := h.large.read(r.Context(), r.Body, h.gate.MaxMessage)
	defer done()
	if err != nil {
		writeError(w, http.StatusBadRequest, nil, "the request broke off")
		return
	}
	said := skim(frameOf(body))
	shared := false
	if stream == "" {
		x.at.session, shared = h.sessions.of(r, said.begins)
	} else {
		x.at.transport = "sse"
	}
	if shared {
		var leave func()
		x.at.session, leave = h.sessions.enter(x.at.session, h.upstream.Name, said.ids)
		defer leave()
	}
	x.sent, x.begun, x.order, x.asked = done, said.begins, said.ids, make(map[string]bool, len(said.ids))
	for _, id := range said.ids {
		x.asked[id] = true
	}
	send := body
	switch {
	case more:
		if !x.tooLong(mcp.ClientToServer) {
			writeError(w, http.StatusRequestEntityTooLarge, nil, "the message is longer than the proxy judges (--max-message), and fail_closed is set")
			return
		}
	case len(frameOf(body)) > 0:
		if send = x.judgeRequest(w, body); send == nil {
			return
		}
	}
	out := r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x))
	out.ContentLength = int64(len(send))
	switch {
	case more:
		out.ContentLength = r.ContentLength
		out.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), r.Body))
	case len(send) > 0 || r.ContentLength != 0:
		out.Body = io.NopCloser(bytes.NewReader(send))
	}
	defer func() { x.kept() }()
	h.reverse.ServeHTTP(w, out)
}

// judgeRequest decides about the body of a request and returns what the server gets of it;
// nil where it gets nothing, and the client has its answer.
func (x *exchange) judgeRequest(w http.ResponseWriter, body []byte) []byte {
	pass, out, do := x.gate.judge(&x.at, mcp.ClientToServer, frameOf(body))
	switch do {
	case scanner.Forward:
		if x.gate.Asking != nil {
			x.gate.cancels(&x.at, mcp.ClientToServer, frameOf(body), out)
		}
		return body
	case scanner.Rewrite:
		return append(pass, lineEnd(body)...)
	}
	if x.gate.asks(out) && x.allowed(body, out) {
		return body
	}
	sender, receiver := answers(out)
	switch {
	case sender == nil && receiver != nil:
		return receiver // the server waits for an answer, and this is it
	case receiver != nil:
		x.tell(&x.at, x.in.Header, receiver)
	}
	status := http.StatusOK
	switch {
	case out.Decision.Rule == contradiction, sender == nil && out.Decision.Verdict < scanner.Prompt:
		status = http.StatusBadRequest
	case sender == nil: // a notification: its sender is told by the status
		status = http.StatusForbidden
	}
	if sender == nil {
		sender = nobody(out)
	}
	writeJSON(w, status, sender)
	return nil
}

// tooLong counts a message that is too long to be judged, and reports whether it is passed on.
func (x *exchange) tooLong(from mcp.Direction) bool {
	reason := tooLongReason(from, x.gate.MaxMessage)
	if x.gate.FailClosed && !x.gate.Observe {
		x.gate.skip(&x.at, reason, scanner.Refuse)
		return false
	}
	x.gate.skip(&x.at, reason, scanner.Forward)
	return true
}

// headOf is the head of a request for the engine. Where a field is there twice, the two do not
// agree with the body, whichever the server reads.
func headOf(r *http.Request) *mcp.HTTPHead {
	head := &mcp.HTTPHead{}
	for _, name := range [...]string{"Mcp-Method", "Mcp-Name", headerVersion, "Authorization"} {
		if values := r.Header.Values(name); len(values) > 0 {
			head.Field(true, name, strings.Join(values, ", "))
		}
	}
	return head
}

// rewrite makes the request to the server of that of the client.
func (h *HTTP) rewrite(p *httputil.ProxyRequest) {
	to := p.Out.URL
	to.Scheme, to.Host, to.User = h.upstream.URL.Scheme, h.upstream.URL.Host, h.upstream.URL.User
	to.RawQuery = p.In.URL.RawQuery
	if messages := pathOf(p.In.URL) == h.path; messages {
		to.Path, to.RawPath = h.upstream.URL.Path, h.upstream.URL.RawPath
		if own := h.upstream.URL.RawQuery; own != "" && to.RawQuery != own {
			to.RawQuery = strings.TrimSuffix(own+"&"+to.RawQuery, "&")
		}
	} else {
		to.RawPath = strings.TrimPrefix(pathOf(p.In.URL), h.prefix)
		to.Path, _ = url.PathUnescape(to.RawPath)
	}
	p.Out.Host = ""
	h.access.strip(p.Out.Header)
	if user := to.User; user != nil && p.Out.Header.Get("Authorization") == "" {
		password, _ := user.Password()
		p.Out.SetBasicAuth(user.Username(), password)
	}
	for _, name := range [...]string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		if values := p.In.Header[name]; len(values) > 0 {
			p.Out.Header[name] = values
		}
	}
	h.upstream.complete(p.Out)
	if exchangeOf(p.In) != nil {
		p.Out.Header.Del("Accept-Encoding") // what is encoded cannot be judged as it comes
	}
}

// complete gives a request the headers of the configuration that it lacks.
func (u *Upstream) complete(r *http.Request) {
	for name, value := range u.Headers {
		switch {
		case strings.EqualFold(name, "Host"):
			r.Host = value
		case r.Header.Get(name) == "":
			r.Header.Set(name, value)
		}
	}
}

// exchangeOf returns the exchange of a request, nil where it has no messages.
func exchangeOf(r *http.Request) *exchange {
	x, _ := r.Context().Value(exchangeKey{}).(*exchange)
	return x
}
