package proxy

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// Command is a server that the proxy starts: one process per client session.
type Command struct {
	// Start starts a process. If this fails, the client is shown the error.
	Start func(context.Context) (*Started, error)
	// MaxSessions is the maximum number of processes at a time.
	MaxSessions int
	// Idle is how long a session may have no open request or stream before it ends.
	Idle time.Duration
}

// Started is a running server process.
type Started struct {
	Server
	Stdin  io.WriteCloser
	Stdout io.Reader
	Event  *scanner.Event // with the server's identity, or nil; the proxy sets the event's session
}

// commandURL is the placeholder URL in requests to a server without a URL.
var commandURL = &url.URL{Scheme: "http", Host: "stdio.invalid", Path: "/"}

// bridge is the transport to a server that the proxy starts. It acts as a Streamable HTTP server and
// passes messages on as lines. HTTP judges requests before the bridge gets them, and responses
// after it returns them.
type bridge struct {
	*Command
	gate     *gate
	at       scope // scope of events about the server, without a session
	sessions *sessions

	mu      sync.Mutex
	closed  bool
	count   int               // processes, including those that are ending
	by      map[string]*child // by session ID, or by client for protocol versions without sessions
	running sync.WaitGroup
}

func newBridge(h *HTTP) *bridge {
	b := &bridge{Command: h.upstream.Command, gate: h.gate, at: h.scope(""), sessions: h.sessions, by: map[string]*child{}}
	b.at.transport = "stdio"
	if h.upstream.Given != nil {
		b.at.given = h.upstream.Given(nil)
	}
	return b
}

// close ends all processes.
func (b *bridge) close() {
	b.mu.Lock()
	b.closed = true
	for _, c := range b.by {
		c.end(errClosing)
	}
	b.mu.Unlock()
	b.running.Wait()
}

// refusal is a response from the bridge itself.
type refusal struct {
	status, code int
	why          string
}

func (r *refusal) Error() string { return r.why }

// JSON-RPC error codes for refused requests.
const (
	parseErrorCode     = -32700
	invalidRequestCode = -32600
)

func refuse(status int, format string, args ...any) *refusal {
	return &refusal{status, invalidRequestCode, fmt.Sprintf(format, args...)}
}

var (
	errClosing = errors.New("the proxy is ending")
	errDeleted = errors.New("the client ended the session")
	errIdle    = errors.New("the session was idle")

	errRejected = errors.New("the server rejected the session")
)

// RoundTrip answers a request from a client.
func (b *bridge) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer r.Body.Close()
	}
	switch r.Method {
	case http.MethodPost:
		return b.post(r)
	case http.MethodGet:
		return b.listen(r)
	case http.MethodDelete:
		c, err := b.known(r)
		if err != nil {
			return nil, err
		}
		c.end(errDeleted)
		return respondTo(r, http.StatusNoContent, "", http.NoBody, 0), nil
	}
	return nil, refuse(http.StatusMethodNotAllowed, "expected POST, GET or DELETE")
}

// post forwards the messages in a body to the server, and responds with the server's answers.
func (b *bridge) post(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		most := max(b.gate.MaxMessage, maxObserved)
		if body, err = io.ReadAll(io.LimitReader(r.Body, most+1)); err != nil {
			return nil, err
		}
		if int64(len(body)) > most {
			return nil, refuse(http.StatusRequestEntityTooLarge, "expected at most %d bytes", most)
		}
	}
	m, err := parsePosted(body)
	if err != nil {
		return nil, &refusal{http.StatusBadRequest, parseErrorCode, "the body is not a JSON-RPC message: " + text.Visible(err.Error(), reasonChars)}
	}
	forms := accepts(r.Header)
	if len(m.ids) > 0 && !forms.streams && (!forms.plain || len(m.ids) > 1) {
		return nil, refuse(http.StatusNotAcceptable, "expected a client that accepts application/json and text/event-stream; a batch is answered only as an event stream")
	}
	c, err := b.session(r, m)
	if err != nil {
		return nil, err
	}
	if len(m.ids) == 0 {
		return c.tell(r, m)
	}
	return c.ask(r, m, forms)
}

// listen responds with a stream of the messages that belong to no request.
func (b *bridge) listen(r *http.Request) (*http.Response, error) {
	switch {
	case !accepts(r.Header).streams:
		return nil, refuse(http.StatusNotAcceptable, "expected a client that accepts text/event-stream")
	case r.Header.Get("Last-Event-Id") != "":
		return nil, refuse(http.StatusBadRequest, "this server's streams cannot be resumed; open a new one without Last-Event-ID")
	}
	c, err := b.known(r)
	if err != nil {
		return nil, err
	}
	return respondTo(r, http.StatusOK, eventStream, &events{box: c.listen(), ctx: r.Context()}, -1), nil
}

// known returns the session that a request names.
func (b *bridge) known(r *http.Request) (*child, error) {
	id := sessionID(r)
	if id == "" {
		return nil, refuse(http.StatusBadRequest, "expected the Mcp-Session-Id from the response to initialize")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if c := b.by[idKey(id)]; c != nil {
		return c, nil
	}
	return nil, refuse(http.StatusNotFound, "the session has ended; send initialize to begin another one")
}

// session returns the session for messages: the session that they name, a new one for initialize,
// or the client's session in protocol versions without sessions.
func (b *bridge) session(r *http.Request, m *posted) (*child, error) {
	x := exchangeOf(r)
	stateless := r.Header.Get(headerVersion) >= versionStateless
	if sessionID(r) != "" || x == nil || !stateless && !m.begins {
		return b.known(r)
	}
	b.mu.Lock()
	c, err := b.place(x, m, stateless)
	b.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if err := c.start(); err != nil {
		return nil, err
	}
	return c, nil
}

// place returns an existing session, or reserves a slot for a new one.
func (b *bridge) place(x *exchange, m *posted, stateless bool) (*child, error) {
	asker := b.sessions.askerKey(x.in)
	key, id := asker, ""
	if stateless {
		for n := 2; b.by[key] != nil; n++ {
			if c := b.by[key]; !c.isOpen(m.keys) {
				return c, nil
			}
			key = fmt.Sprintf("%s~%d", asker, n)
		}
	} else {
		if probed := b.by[asker]; probed != nil && probed.isIdle() {
			probed.end(errIdle) // the client was only testing whether the server works without a session
		}
		id = rand.Text()
		key = idKey(id)
	}
	switch {
	case b.closed:
		return nil, refuse(http.StatusServiceUnavailable, "the proxy is ending")
	case b.count >= b.MaxSessions:
		return nil, refuse(http.StatusServiceUnavailable, "the server already has %d sessions, each with a process: end one with DELETE, wait until one is idle, or raise --max-sessions", b.count)
	}
	at := b.at
	at.session, at.head, at.params = x.at.session, x.at.head, x.at.params
	c := newChild(b, key, id, at)
	b.by[key] = c
	b.count++
	b.running.Add(1)
	return c, nil
}

// forget removes a session, so that no further request finds it.
func (b *bridge) forget(c *child) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.by[c.key] == c {
		delete(b.by, c.key)
	}
}

// gone releases the slot of a process that has ended.
func (b *bridge) gone() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count--
	b.running.Done()
}

const (
	eventStream = "text/event-stream"
	plainJSON   = "application/json"
)

// acceptable contains the response formats that a client accepts.
type acceptable struct {
	streams bool // event streams
	listed  bool // event streams by name, not only by a wildcard
	plain   bool // JSON
}

// accepts reads the Accept header of a request.
func accepts(h http.Header) acceptable {
	list := strings.ToLower(strings.Join(h.Values("Accept"), ","))
	all := list == "" || strings.Contains(list, "*/*")
	listed := strings.Contains(list, eventStream)
	return acceptable{
		streams: all || listed || strings.Contains(list, "text/*"),
		listed:  listed,
		plain:   all || strings.Contains(list, plainJSON) || strings.Contains(list, "application/*"),
	}
}

// respondTo returns a response from a server that the proxy starts. size is -1 if it is unknown.
func respondTo(r *http.Request, status int, kind string, body io.ReadCloser, size int64) *http.Response {
	head := http.Header{}
	if kind != "" {
		head.Set("Content-Type", kind)
		head.Set("Cache-Control", "no-store")
	}
	return &http.Response{StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: head, Body: body, ContentLength: size, Request: r}
}
