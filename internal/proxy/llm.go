package proxy

import (
	"bytes"
	"context"
	"fmt"
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
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/scanner"
)

// Talks say what a proxy in front of LLM APIs is told at its start.
type Talks struct {
	Name    string              // of the recording, or what locations have in its place
	Servers map[string][]string // servers that are known, with their tools
	Listed  []*scanner.Event    // what they said when they were listed: each session begins with it
}

// LLM is a proxy between agents and the APIs of LLM providers. It judges the tools that
// requests declare, the results that they contain, and each call that the model answers with,
// ahead of whoever would act on them.
type LLM struct {
	gate     *gate
	access   Access
	routes   []*llmRoute
	talk     *replay.Talk
	talks    Talks
	sessions *sessions
	current  atomic.Int64 // exchanges
	counted  atomic.Int64 // all of them
	large    large

	mu  sync.Mutex
	fed map[string]bool // sessions that have what servers listed
}

// llmRoute leads to one provider.
type llmRoute struct {
	*LLM
	Upstream
	prefix  string
	reverse *httputil.ReverseProxy
}

// NewLLM returns a proxy that is to be closed. Of several upstreams each has a path with its
// name; one without a name has all paths.
func NewLLM(o Options, a Access, talks Talks, upstreams []Upstream) *LLM {
	l := &LLM{gate: &gate{Options: o}, access: a, talks: talks, sessions: newSessions(), large: make(large, maxLarge), fed: map[string]bool{}}
	l.sessions.wide = true // agents of one program work together
	l.talk = replay.NewTalk(talks.Name, replay.Options{MaxMessage: o.MaxMessage, Servers: talks.Servers}, l.judge)
	for _, u := range upstreams {
		r := &llmRoute{LLM: l, Upstream: u}
		if u.Name != "" {
			r.prefix = PathOf(u.Name)
		}
		r.reverse = &httputil.ReverseProxy{
			Rewrite: r.rewrite, Transport: u.Transport, FlushInterval: -1, ModifyResponse: r.respond, ErrorHandler: r.fail, BufferPool: &copyBuffers{},
			ErrorLog: log.New(io.Discard, "", 0),
		}
		l.routes = append(l.routes, r)
	}
	l.begin(firstSession)
	return l
}

// Close ends judging.
func (l *LLM) Close() { l.gate.close() }

// begin shows a new session what servers listed.
func (l *LLM) begin(session string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fed[session] {
		return
	}
	if len(l.fed) >= maxNamed {
		clear(l.fed)
	}
	l.fed[session] = true
	if len(l.talks.Servers) > 0 {
		l.hear(&replay.LLMMessage{Session: session, Servers: l.talks.Servers}, nil)
	}
	for _, listed := range l.talks.Listed {
		if session != firstSession && listed.Kind != scanner.FrameEvent {
			continue
		}
		e := *listed
		e.Session = session
		l.gate.take(&e)
	}
}

// take judges an event that nobody waits for.
func (g *gate) take(e *scanner.Event) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.stamp(e)
		g.Decided(e, g.Engine.Step(e), scanner.Forward)
	}
}

// hear records a message, and judges what is said in it. It returns the calls in it and what
// else was refused, and why it cannot be judged.
func (l *LLM) hear(m *replay.LLMMessage, mask func([]byte) []byte) (said []replay.Said, why string) {
	g := l.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil, "the proxy ends"
	}
	m.Time = g.now()
	line := m.Line()
	if mask != nil {
		line = mask(line)
	}
	said, err := l.talk.Read(line, func() scanner.Origin {
		at := &scanner.Event{Kind: scanner.AuditEvent, Session: m.Session, Time: m.Time, Frame: line, Origin: scanner.Origin{File: l.talks.Name, Line: 1, Column: 1}}
		if g.Record != nil {
			g.Record(at) // which gives it its place
		}
		return at.Origin
	})
	if err != nil {
		return said, err.Error()
	}
	return said, ""
}

// judge decides about an event that a message was made into.
func (l *LLM) judge(e *scanner.Event) replay.Decisions {
	out := l.gate.Engine.Step(e)
	var refused replay.Decisions
	refuse := func(i int, d scanner.Decision) {
		if refused == nil {
			refused = replay.Decisions{}
		}
		refused[i] = d
	}
	for i := range out.Withheld {
		if w := &out.Withheld[i]; w.Cause != scanner.DeniedDefinition { // its calls are refused
			refuse(w.Index, w.Decision)
		}
	}
	if e.Kind == scanner.FrameEvent && out.Decision.Verdict >= scanner.Prompt {
		refuse(0, out.Decision)
	}
	do := scanner.Forward
	if len(refused) > 0 && !l.gate.Observe {
		do = scanner.Refuse
	}
	l.gate.Decided(e, out, do)
	return refused
}

// llmExchange is a request and its response.
type llmExchange struct {
	*llmRoute
	in      *http.Request
	session string
	id      string
	format  string // of the request, "" for one of none
	mask    func([]byte) []byte
	sent    func() // the body was sent
	kept    func() // the response was
}

// scope is for what cannot be judged.
func (x *llmExchange) scope() *scope {
	return &scope{session: x.session, server: llmServer, transport: "http", origin: scanner.Origin{File: x.talks.Name, Line: 1, Column: 1}}
}

// llmServer is the server of what a provider says that nobody can attribute.
const llmServer = "llm"

// ServeHTTP answers a request of an agent.
func (l *LLM) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	shape := shapeOf("", r.URL.Path)
	if status, why := l.access.refuses(r); why != "" {
		shape.write(w, status, "mcpscan: "+why)
		return
	}
	defer l.current.Add(-1)
	if l.current.Add(1) > maxExchanges {
		shape.write(w, http.StatusServiceUnavailable, "mcpscan: the proxy has too many requests to answer at a time")
		return
	}
	r.Header.Del("Upgrade")
	i := slices.IndexFunc(l.routes, func(route *llmRoute) bool { return route.leads(pathOf(r.URL)) })
	switch {
	case r.Method == http.MethodConnect:
		shape.write(w, http.StatusNotImplemented, "mcpscan: the proxy passes on no other protocol than HTTP")
		return
	case i < 0:
		shape.write(w, http.StatusNotFound, "mcpscan: the proxy has no such path; expected one that begins with "+l.paths())
		return
	}
	x := &llmExchange{llmRoute: l.routes[i], in: r, id: fmt.Sprint("request-", l.counted.Add(1)), sent: func() {}, kept: func() {}}
	defer func() { x.sent(); x.kept() }()
	x.session, _ = l.sessions.of(r, false)
	l.begin(x.session)
	if x.Mask != nil {
		x.mask = x.Mask(r.Header)
	}
	if out := x.request(w); out != nil {
		x.reverse.ServeHTTP(w, out)
	}
}

// leads reports whether a path leads to the provider.
func (r *llmRoute) leads(path string) bool {
	rest, ok := strings.CutPrefix(path, r.prefix)
	return ok && (r.prefix == "" || rest == "" || rest[0] == '/')
}

// paths lists the paths of providers.
func (l *LLM) paths() string {
	var names []string
	for _, r := range l.routes {
		names = append(names, r.prefix+"/")
	}
	return strings.Join(names, ", ")
}

// request judges the body of a request, and returns what the provider gets; nil where it gets
// nothing, and the agent has its answer.
func (x *llmExchange) request(w http.ResponseWriter) *http.Request {
	r := x.in
	shape := shapeOf("", r.URL.Path)
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		shape.write(w, http.StatusUnsupportedMediaType, "mcpscan: the proxy reads no encoded requests: send the body without Content-Encoding")
		return nil
	}
	body, more, done, err := x.large.read(r.Context(), r.Body, x.gate.MaxMessage)
	x.sent = done
	if err != nil {
		shape.write(w, http.StatusBadRequest, "mcpscan: the request broke off")
		return nil
	}
	json := beginsLikeJSON(frameOf(body))
	switch {
	case more && json:
		reason := tooLongReason(mcp.ClientToServer, x.gate.MaxMessage)
		if !x.pass(reason) {
			shape.write(w, http.StatusRequestEntityTooLarge, "blocked by mcpscan: "+reason+", and fail_closed is set")
			return nil
		}
	case json:
		if why := x.judgeRequest(body); why != "" {
			shape.of(x.format).write(w, http.StatusForbidden, "blocked by mcpscan: "+why)
			return nil
		}
	}
	out := r.WithContext(context.WithValue(r.Context(), llmKey{}, x))
	switch {
	case more:
		out.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), r.Body))
	case len(body) > 0 || r.ContentLength != 0:
		out.ContentLength = int64(len(body))
		out.Body = io.NopCloser(bytes.NewReader(body))
	}
	return out
}

// llmKey is what a request has its exchange under.
type llmKey struct{}

// pass counts something that cannot be judged, and reports whether it is passed on.
func (x *llmExchange) pass(reason string) bool {
	if x.gate.FailClosed && !x.gate.Observe {
		x.gate.skip(x.scope(), reason, scanner.Refuse)
		return false
	}
	x.gate.skip(x.scope(), reason, scanner.Forward)
	return true
}

// judgeRequest says why a request is refused, "" for one that is not.
func (x *llmExchange) judgeRequest(body []byte) (why string) {
	body = frameOf(body)
	if x.format = replay.Knows(body); x.format == "" {
		x.gate.note(x.scope(), scanner.IgnoredEvent, "a request to a provider that is none to a model, passed on unread", scanner.Forward)
		return ""
	}
	x.mask = both(x.mask, maskGiven(body))
	said, unread := x.hear(&replay.LLMMessage{Session: x.session, Request: x.id, Dialect: replay.Dialect(x.format), Body: body}, x.mask)
	if unread != "" && !x.pass("a request to a model was not inspected: "+unread) {
		return "the request could not be judged, and fail_closed is set"
	}
	if x.gate.Observe {
		return ""
	}
	for i := range said {
		s := &said[i]
		switch {
		case s.Decision.Verdict < scanner.Prompt:
		case s.Kind == replay.SaidDefinition:
			return fmt.Sprintf("the definition of the tool %q: %s", text.Visible(s.Name, nameChars), Reason(&s.Decision))
		case s.Kind == replay.SaidResult:
			return fmt.Sprintf("the result of the call %q: %s", text.Visible(s.ID, nameChars), Reason(&s.Decision))
		}
	}
	return ""
}

// maskGiven returns what masks the credentials that a request gives its provider for MCP servers,
// nil for none.
func maskGiven(body []byte) func([]byte) []byte {
	if !bytes.Contains(body, []byte("uthorization")) && !bytes.Contains(body, []byte(`"headers"`)) {
		return nil
	}
	root, err := wire.Skim(body, wire.MaxNodes)
	if err != nil {
		return nil
	}
	var values []string
	take := func(v wire.Value) {
		if v.Kind() == wire.String {
			_, bare, _ := strings.Cut(string(v.Text()), " ") // behind its scheme
			values = append(values, string(v.Text()), bare)
		}
	}
	for _, list := range [...]string{"mcp_servers", "tools"} {
		for c := root.Get(list).Children(); root.Get(list).Kind() == wire.Array && c.Next(); {
			take(c.Value.Get("authorization_token"))
			take(c.Value.Get("authorization"))
			for h := c.Value.Get("headers").Children(); h.Next(); {
				take(h.Value)
			}
		}
	}
	if len(values) == 0 {
		return nil
	}
	return text.NewSecrets(values).MaskJSON
}

// both masks with one and then with the other; either can be nil.
func both(a, b func([]byte) []byte) func([]byte) []byte {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(data []byte) []byte { return b(a(data)) }
}

// rewrite makes the request to the provider of that of the agent.
func (r *llmRoute) rewrite(p *httputil.ProxyRequest) {
	to := p.Out.URL
	to.Scheme, to.Host, to.User = r.URL.Scheme, r.URL.Host, r.URL.User
	raw := strings.TrimSuffix(r.URL.EscapedPath(), "/") + strings.TrimPrefix(pathOf(p.In.URL), r.prefix)
	to.RawPath = raw
	to.Path, _ = url.PathUnescape(raw)
	to.RawQuery = p.In.URL.RawQuery
	if own := r.URL.RawQuery; own != "" {
		to.RawQuery = strings.TrimSuffix(own+"&"+to.RawQuery, "&")
	}
	p.Out.Host = ""
	r.access.strip(p.Out.Header)
	r.complete(p.Out)
	p.Out.Header.Del("Accept-Encoding") // what is encoded cannot be judged as it comes
}
