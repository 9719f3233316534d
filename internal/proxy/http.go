package proxy

import (
	"bytes"
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// Upstream is a server reached by URL, or one that the proxy starts.
type Upstream struct {
	Name      string // its name in events
	URL       *url.URL
	Origin    scanner.Origin // origin of events that are not recorded
	Transport http.RoundTripper
	Command   *Command          // for a server that the proxy starts, instead of URL and Transport; otherwise nil
	Headers   map[string]string // added to requests that lack them; Host always replaces the request's

	// Given returns the secrets that the server is given, including those in a request's headers. They
	// are masked in everything that is kept. Given may be nil.
	Given func(http.Header) text.Secrets
	// Failed, if not nil, is called with the reason why the server gave no usable response.
	Failed func(reason string)
}

// maxExchanges is the maximum number of HTTP requests served at a time.
const maxExchanges = 8192

// HTTP is a proxy in front of one server. It mirrors the server's paths; with a prefix, the path PREFIX
// leads to the server's URL, and PREFIX/PATH to /PATH. Only message and authentication paths are forwarded.
type HTTP struct {
	gate     *gate
	access   Access
	upstream Upstream
	prefix   string // prefix of all paths if the proxy has several servers, otherwise ""
	path     string // path for messages
	sessions *sessions
	elicits  *elicitor
	streams  openStreams
	reverse  *httputil.ReverseProxy
	current  atomic.Int64 // exchanges in progress
	large    *large
	bridge   *bridge // bridge to the server if the proxy starts it, otherwise nil

	answers sync.WaitGroup // answers being sent to the server, and the watch for new approvals
	waiting atomic.Int32   // number of these answers
	ctx     context.Context
	stop    context.CancelFunc
}

// NewHTTP returns a proxy. The caller must close it.
func NewHTTP(o Options, a Access, u Upstream) *HTTP {
	return newHTTP(&gate{Options: o}, a, u, newSessions())
}

func newHTTP(g *gate, a Access, u Upstream, s *sessions) *HTTP {
	if u.Command != nil {
		u.URL = commandURL
	}
	h := &HTTP{gate: g, access: a, upstream: u, path: pathOf(u.URL), sessions: s, elicits: newElicitor(), large: newLarge()}
	h.ctx, h.stop = context.WithCancel(context.Background())
	if g.Approvals != nil {
		h.answers.Go(func() { g.watch(h.ctx, h.scope(firstSession)) })
	}
	if u.Command != nil {
		h.bridge = newBridge(h)
		h.upstream.Transport = h.bridge
	}
	h.upstream.Transport = withinOrigin{h.upstream.Transport}
	h.reverse = &httputil.ReverseProxy{ // no FlushInterval: ReverseProxy flushes streams anyway, and sends a whole body in one write
		Rewrite: h.rewrite, Transport: h.upstream.Transport, ModifyResponse: h.respond, ErrorHandler: h.fail, BufferPool: &copyBuffers{},
		ErrorLog: log.New(io.Discard, "", 0), // the client sees connection errors itself
	}
	return h
}

// Close stops inspecting messages, abandons answers on their way to the server, and ends the
// processes that the proxy started.
func (h *HTTP) Close() {
	h.gate.close()
	h.stop()
	h.answers.Wait()
	if h.bridge != nil {
		h.bridge.close()
	}
}

// copyBuffers pools the buffers through which bodies are copied. Each open stream uses one buffer.
type copyBuffers struct{ pool sync.Pool }

func (c *copyBuffers) Get() []byte {
	if b, ok := c.pool.Get().(*[]byte); ok {
		return *b
	}
	return make([]byte, smallBuffer)
}

func (c *copyBuffers) Put(b []byte) { c.pool.Put(&b) }

// pathOf returns the escaped path of a URL, or "/" if it is empty.
func pathOf(u *url.URL) string {
	if p := u.EscapedPath(); p != "" {
		return p
	}
	return "/"
}

// exchangeKey is the context key of a request's exchange.
type exchangeKey struct{}

// exchange is an HTTP request that carries messages, and its response.
type exchange struct {
	*HTTP
	at     scope
	in     *http.Request
	ids    []string        // ids of the requests in the body, in the same order
	open   map[string]bool // which of these requests are unanswered
	begins bool            // the body begins a session
	canAsk bool            // the client declares in the body that it can ask its user
	sent   func()          // called after the body was sent
	kept   func()          // called after the response was sent
	lost   bool            // a refused message cannot be matched to a request
	reply  string          // URL for answers to the server, if it differs from the request's URL
}

// ServeHTTP handles a client request.
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
		writeError(w, http.StatusServiceUnavailable, nil, "the proxy is handling too many requests; try again later")
		return
	}
	w.Header()["Content-Type"] = nil // a response without a content type must not get one
	r.Header.Del("Upgrade")          // some clients offer an upgrade to HTTP/2 with each request; upgrades are not forwarded
	if coding := strings.Join(r.Header.Values("Content-Encoding"), ", "); coding != "" && !strings.EqualFold(coding, "identity") {
		writeError(w, http.StatusUnsupportedMediaType, nil, "the proxy does not read encoded messages: send the body without Content-Encoding")
		return
	}
	if !readableType(r) {
		writeError(w, http.StatusUnsupportedMediaType, nil, onlyUTF8)
		return
	}
	path := pathOf(r.URL)
	stream := h.sessions.streamOf(r.URL.RequestURI())
	switch {
	case r.Method == http.MethodConnect:
		writeError(w, http.StatusNotImplemented, nil, "the proxy does not support CONNECT; send plain HTTP requests")
	case path == h.path || stream != "":
		h.exchange(w, r, stream)
	case isAuthentication(path) && h.prefix == "":
		h.authenticate(w, r)
	default:
		writeError(w, http.StatusNotFound, nil, "the proxy does not serve this path; send messages to "+h.path)
	}
}

// scope returns the scope of a session that has no messages yet.
func (h *HTTP) scope(session string) scope {
	return scope{session: session, server: h.upstream.Name, transport: "http", origin: h.upstream.Origin}
}

// exchange forwards a request that carries messages. stream is the session of the event stream that
// the request's URL belongs to.
func (h *HTTP) exchange(w http.ResponseWriter, r *http.Request, stream string) {
	x := &exchange{HTTP: h, in: r, at: h.scope(stream), kept: func() {}}
	x.at.head, x.at.client = headOf(r), sessionID(r)
	if h.upstream.Given != nil {
		x.at.given, x.at.params = h.upstream.Given(r.Header), slices.Clone(x.at.head.Params)
		maskParams(x.at.head, &x.at.given)
	}
	body, more, done, err := h.large.read(r.Context(), r.Body, r.ContentLength, h.gate.MaxMessage)
	defer done()
	if err != nil {
		writeError(w, http.StatusBadRequest, nil, "the request ended early")
		return
	}
	if wire.WideCharset(body) != "" {
		writeError(w, http.StatusUnsupportedMediaType, nil, onlyUTF8)
		return
	}
	if h.gate.Asking != nil && h.elicits.see(x.client(), frameOf(body)) {
		w.WriteHeader(http.StatusAccepted)
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
	x.sent, x.begins, x.ids, x.open = done, said.begins, said.ids, make(map[string]bool, len(said.ids))
	for _, id := range said.ids {
		x.open[id] = true
	}
	send := body
	switch {
	case more:
		if !x.tooLong(&x.at, mcp.ClientToServer) {
			writeError(w, http.StatusRequestEntityTooLarge, nil, tooLongReason(mcp.ClientToServer, h.gate.MaxMessage))
			return
		}
	case len(frameOf(body)) > 0:
		x.canAsk, _ = declares(frameOf(body))
		if send, w = x.judgeRequest(w, body); send == nil {
			return
		}
	}
	out := r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x))
	out.ContentLength = int64(len(send))
	switch {
	case more:
		out.ContentLength = r.ContentLength
		out.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), r.Body))
	default:
		out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(send)), nil }
		if len(send) > 0 || r.ContentLength != 0 {
			out.Body, _ = out.GetBody()
		}
	}
	defer func() { x.kept() }()
	h.reverse.ServeHTTP(w, out)
	if held, ok := w.(*heldWriter); ok {
		held.finish()
	}
}

// onlyUTF8 is the error for a request whose body is not, or might not be, in UTF-8.
const onlyUTF8 = "the proxy reads only UTF-8 messages with a single content type"

// readableType reports whether the proxy and the server interpret the request's Content-Type in the
// same way.
func readableType(r *http.Request) bool {
	_, why := formOf(http.Header{"Content-Type": r.Header.Values("Content-Type")})
	return why == ""
}

// judgeRequest inspects the body of a request and returns what to send to the server, and the writer
// for its response. send is nil if the client has already been answered.
func (x *exchange) judgeRequest(w http.ResponseWriter, body []byte) (send []byte, to http.ResponseWriter) {
	pass, out, do := x.gate.judge(&x.at, mcp.ClientToServer, frameOf(body))
	switch do {
	case scanner.Forward:
		if x.gate.Asking != nil {
			x.gate.cancels(&x.at, mcp.ClientToServer, frameOf(body), out)
		}
		return body, w
	case scanner.Rewrite:
		return append(pass, lineEnd(body)...), w
	}
	if x.gate.asks(out) {
		var allowed bool
		switch allowed, w = x.allowed(w, body, out); {
		case allowed:
			return body, w
		case w == nil:
			return nil, nil
		}
	}
	sender, receiver := answers(out)
	switch {
	case sender == nil && receiver != nil:
		return receiver, w // the server gets this as the answer that it is waiting for
	case receiver != nil:
		x.tell(&x.at, x.in.Header, receiver)
	}
	x.refuse(w, sender, out)
	return nil, w
}

// tooLong counts a message that is too long to inspect, and reports whether it is forwarded. Only in
// observe mode is it forwarded to a server that the proxy started, because the proxy then has to hold
// the whole message to find the ids of the requests in it.
func (x *exchange) tooLong(at *scope, from mcp.Direction) bool {
	refused := (x.bridge != nil || x.gate.FailClosed) && !x.gate.Observe
	return !x.gate.skipIf(at, tooLongReason(from, x.gate.MaxMessage), refused)
}

// headOf returns the request headers that the engine checks. Repeated fields are joined so that they
// never match the body, whichever one the server reads.
func headOf(r *http.Request) *mcp.HTTPHead {
	head := &mcp.HTTPHead{}
	for _, name := range [...]string{"Mcp-Method", "Mcp-Name", headerVersion, headerSession, "Authorization"} {
		if values := r.Header.Values(name); len(values) > 0 {
			head.Field(true, name, strings.Join(values, ", "))
		}
	}
	var params []string
	for name := range r.Header {
		if strings.HasPrefix(name, "Mcp-Param-") {
			params = append(params, name)
		}
	}
	slices.Sort(params) // so that recordings are deterministic
	for _, name := range params {
		head.Field(true, name, strings.Join(r.Header[name], ", "))
	}
	return head
}

// maskParams masks headers that repeat arguments, just as those arguments are masked in the body.
func maskParams(head *mcp.HTTPHead, given *text.Secrets) {
	for i := range head.Params {
		p := &head.Params[i]
		quoted := wire.AppendString(nil, []byte(mcp.HeadText(p.Value)))
		var doc wire.Doc
		if masked := given.MaskMessage(quoted); !bytes.Equal(masked, quoted) && doc.Parse(masked) == nil {
			p.Value = doc.TextString(0)
		}
	}
}

// rewrite builds the upstream request from the client's.
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
	p.Out.Header.Del("Expect") // the proxy has already told the client to continue
	h.upstream.complete(p.Out)
	if exchangeOf(p.In) != nil {
		p.Out.Header.Del("Accept-Encoding") // encoded bodies cannot be inspected as they arrive
	}
}

// complete sets the configured headers: Host always, each of the others only if the request lacks it.
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

// exchangeOf returns the exchange of a request, or nil if it carries no messages.
func exchangeOf(r *http.Request) *exchange {
	x, _ := r.Context().Value(exchangeKey{}).(*exchange)
	return x
}
