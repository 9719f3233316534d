package proxy

import (
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/scanner"
)

// LLMOptions configures the sessions of a proxy in front of LLM APIs.
type LLMOptions struct {
	Name    string              // name of the recording or, if nothing is recorded, the name shown in locations
	Servers map[string][]string // known servers and their tools
	Listed  []*scanner.Event    // events from listing these servers, which extend Servers; each session starts with their frames
}

// LLM is a proxy between agents and the APIs of LLM providers. It inspects the tools and results in
// requests, and each call in the model's answers before the agent receives the call.
type LLM struct {
	gate     *gate
	access   Access
	routes   []*llmRoute
	talk     *replay.Talk
	talks    LLMOptions
	sessions *sessions
	current  atomic.Int64 // exchanges in progress
	counted  atomic.Int64 // exchanges in total
	large    *large

	mu      sync.Mutex
	fed     map[string]bool             // sessions that have received the listings
	changed map[string][]*scanner.Event // each server's last changed listing; new sessions receive it after Listed
}

// llmRoute is the route to one provider.
type llmRoute struct {
	*LLM
	Upstream
	prefix  string
	reverse *httputil.ReverseProxy
}

// NewLLM returns a proxy. The caller must close it. If there are several upstreams, each has a path
// with its name; an upstream without a name gets all paths.
func NewLLM(o Options, a Access, talks LLMOptions, upstreams []Upstream) *LLM {
	l := &LLM{gate: &gate{Options: o}, access: a, talks: talks, sessions: newSessions(), large: newLarge(),
		fed: map[string]bool{}, changed: map[string][]*scanner.Event{}}
	if talks.Servers == nil {
		l.talks.Servers = map[string][]string{}
	}
	for _, e := range talks.Listed {
		l.learn(e)
	}
	l.sessions.wide = true // the agents of one program share a session
	l.talk = replay.NewTalk(talks.Name, replay.Options{MaxMessage: o.MaxMessage, Servers: l.talks.Servers}, l.judge)
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

// Close stops inspecting messages.
func (l *LLM) Close() { l.gate.close() }

// begin passes the servers' listings to a new session.
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
		l.inspectMessage(&replay.LLMMessage{Session: session, Servers: l.talks.Servers}, text.Secrets{})
	}
	for _, listed := range l.talks.Listed {
		if session != firstSession && listed.Kind != scanner.FrameEvent {
			continue
		}
		l.give(listed, session)
	}
	for _, server := range slices.Sorted(maps.Keys(l.changed)) {
		for _, e := range l.changed[server] {
			l.give(e, session)
		}
	}
}

// give inspects a copy of a server's event as part of a session.
func (l *LLM) give(e *scanner.Event, session string) {
	copied := *e
	copied.Session = session
	l.gate.take(&copied, scanner.Forward)
}

// inspectMessage records and inspects a message. It returns the message's calls, and the results and
// definitions that were refused. why is set if the message cannot be inspected.
func (l *LLM) inspectMessage(m *replay.LLMMessage, given text.Secrets) (said []replay.Said, why string) {
	g := l.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil, "the proxy is shutting down"
	}
	g.renew(&scanner.Event{Session: m.Session, Server: llmServer, Origin: scanner.Origin{File: l.talks.Name, Line: 1, Column: 1}})
	m.Time = g.now()
	line := given.MaskMessage(m.Line())
	said, err := l.talk.Read(line, func() scanner.Origin {
		at := &scanner.Event{Kind: scanner.AuditEvent, Session: m.Session, Time: m.Time, Frame: line, Origin: scanner.Origin{File: l.talks.Name, Line: 1, Column: 1}}
		if g.Record != nil {
			g.Record(at) // sets its origin
		}
		return at.Origin
	})
	if err != nil {
		return said, err.Error()
	}
	return said, ""
}

// judge decides on an event built from a message.
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
		if w := &out.Withheld[i]; !w.Denied { // if the policy denies the tool, its calls are refused instead
			refuse(w.Index, w.Decision)
		}
	}
	if e.Kind == scanner.FrameEvent && out.Decision.Verdict >= scanner.Prompt {
		refuse(0, out.Decision)
	}
	if e.Kind == scanner.FrameEvent && out.Exceeds && !l.gate.Observe {
		out.Decision = exceeding
		refuse(0, exceeding)
	}
	do := scanner.Forward
	if len(refused) > 0 && !l.gate.Observe {
		do = scanner.Refuse
	}
	for i := range out.Withheld {
		if w := &out.Withheld[i]; !w.Denied && out.Decision.Verdict < scanner.Prompt {
			out.Decision = w.Decision
		}
	}
	out.Withheld = nil // no definition is removed from a request: it is refused, or forwarded as it is
	l.gate.Decided(e, out, do)
	return refused
}

// llmExchange is a request to a provider and its response.
type llmExchange struct {
	*llmRoute
	in      *http.Request
	session string
	id      string
	asked   func() string // inspects the request, or waits for the inspection; returns why it is refused, or ""
	began   func()        // called after the response has begun
	kept    func()        // called after the response was sent

	// These fields are set when the request is inspected.
	format string       // of the request; "" if unknown
	given  text.Secrets // secrets in the request
}

// scope returns the scope of messages that cannot be inspected.
func (x *llmExchange) scope() *scope {
	return &scope{session: x.session, server: llmServer, transport: "http", origin: scanner.Origin{File: x.talks.Name, Line: 1, Column: 1}}
}

// llmServer is the server name in events that cannot be attributed to a server.
const llmServer = "llm"

// ServeHTTP handles an agent request.
func (l *LLM) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	shape := shapeOf("", r.URL.Path)
	if status, why := l.access.refuses(r); why != "" {
		shape.write(w, status, "mcpscan: "+why)
		return
	}
	defer l.current.Add(-1)
	if l.current.Add(1) > maxExchanges {
		shape.write(w, http.StatusServiceUnavailable, "mcpscan: the proxy is handling too many requests; try again later")
		return
	}
	r.Header.Del("Upgrade")
	i := slices.IndexFunc(l.routes, func(route *llmRoute) bool { return route.leads(pathOf(r.URL)) })
	switch {
	case r.Method == http.MethodConnect:
		shape.write(w, http.StatusNotImplemented, "mcpscan: the proxy does not support CONNECT; send plain HTTP requests")
		return
	case i < 0:
		shape.write(w, http.StatusNotFound, "mcpscan: the proxy does not serve this path; expected one that begins with "+l.paths())
		return
	}
	x := &llmExchange{llmRoute: l.routes[i], in: r, id: fmt.Sprint("request-", l.counted.Add(1)), asked: func() string { return "" }, began: func() {}, kept: func() {}}
	defer func() { x.kept() }() // each runs even if another panics
	defer func() { x.began() }()
	defer func() { x.asked() }()
	x.session, _ = l.sessions.of(r, false)
	l.begin(x.session)
	if x.Given != nil {
		x.given = x.Given(r.Header)
	}
	if out := x.request(w); out != nil {
		x.reverse.ServeHTTP(w, out)
	}
}

// leads reports whether a path belongs to the route.
func (r *llmRoute) leads(path string) bool {
	rest, ok := strings.CutPrefix(path, r.prefix)
	return ok && (r.prefix == "" || rest == "" || rest[0] == '/')
}

// paths returns the providers' paths.
func (l *LLM) paths() string {
	var names []string
	for _, r := range l.routes {
		names = append(names, r.prefix+"/")
	}
	return strings.Join(names, ", ")
}

// llmKey is the context key of a request's exchange.
type llmKey struct{}

// pass counts data that cannot be inspected, and reports whether it is forwarded.
func (x *llmExchange) pass(reason string) bool { return x.gate.passes(x.scope(), reason) }

// rewrite builds the provider request from the agent's.
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
	p.Out.Header.Del("Expect")          // the proxy has already told the client to continue
	p.Out.Header.Del("Accept-Encoding") // encoded bodies cannot be inspected as they arrive
}
