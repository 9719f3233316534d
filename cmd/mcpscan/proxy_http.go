package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/proxy"
	"github.com/mcpscan/mcpscan/internal/secrets"
	"github.com/mcpscan/mcpscan/internal/servers"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// listenFlags are the flags of a proxy that listens on a port.
type listenFlags struct {
	Listen          string        `help:"Address and port to listen on for --upstream, --servers or --llm; a port without an address means the loopback address. With port 0, the proxy chooses a free port and prints it to standard error." placeholder:"ADDRESS:PORT"`
	LLM             bool          `name:"llm" help:"Run between agents and the APIs of LLM providers, and block refused tool calls in model responses."`
	Upstream        string        `help:"URL of the server to proxy; the proxy serves the same path. With --llm, the address of a provider; by default, the proxy then serves the paths /anthropic, /openai and /gemini." placeholder:"URL"`
	Servers         string        `help:"Client configuration with the servers to proxy, each under /NAME; use it instead of --upstream. With --llm, the proxy starts or connects to these servers and lists their tools before any traffic, and again when the tools change." placeholder:"FILE"`
	RunServers      bool          `help:"Start the commands of --servers without asking: for each command, one process per client session or, with --llm, one for all clients."`
	MaxSessions     int           `help:"Maximum number of sessions, and therefore processes, for each server of --servers that the proxy starts." default:"32" placeholder:"N"`
	SessionIdle     time.Duration `help:"After this time without an open request or stream, end a session with a server of --servers that the proxy started." default:"30m"`
	AllowHost       []string      `help:"Additional host name by which clients reach the proxy (localhost and loopback addresses are always allowed), or an Origin to allow: its host or the full value. Repeatable." placeholder:"HOST" sep:"none"`
	TokenEnv        string        `help:"Environment variable with the bearer token that clients must send to the proxy." placeholder:"NAME"`
	TLSFingerprint  string        `help:"SHA-256 fingerprint that the upstream's certificate must have, in hexadecimal digits." placeholder:"SHA256"`
	UpstreamTimeout time.Duration `help:"Time limit for the upstream to begin its response; 0 means no limit." default:"5m"`
}

// Time limits for reading request headers, for idle connections, and for requests still open at
// shutdown.
const (
	headerTimeout   = 10 * time.Second
	idleTimeout     = 2 * time.Minute
	shutdownTimeout = time.Second
)

// address returns the address to listen on.
func (f *listenFlags) address() (string, error) {
	given := f.Listen
	if given == "" {
		return "", usage("--upstream, --servers and --llm need an address to listen on, as in --listen 127.0.0.1:3100, or 127.0.0.1:0 for a free port")
	}
	if !strings.Contains(given, ":") {
		given = "127.0.0.1:" + given
	}
	host, port, err := net.SplitHostPort(given)
	if err == nil && port != "" {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil || port == "" {
		return "", usage("--listen %s: expected ADDRESS:PORT, as in 127.0.0.1:3100", text.Visible(f.Listen, 200))
	}
	if host == "" {
		host = "127.0.0.1"
	}
	if !proxy.IsLoopback(host) && f.TokenEnv == "" {
		return "", usage("--listen %s: other machines can reach this address and could use your credentials; require a token with --token-env NAME, or listen on a loopback address", text.Visible(f.Listen, 200))
	}
	return net.JoinHostPort(host, port), nil
}

// check rejects invalid flags.
func (f *listenFlags) check() error {
	if _, err := f.address(); err != nil {
		return err
	}
	if !f.LLM && f.Servers != "" && (f.Upstream != "" || f.TLSFingerprint != "") {
		return usage("--servers cannot be combined with --upstream or --tls-fingerprint, which apply to a single server")
	}
	u, err := url.Parse(f.Upstream)
	switch {
	case f.Upstream == "" && (f.Servers != "" || f.LLM):
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return usage("--upstream %s: expected http:// or https:// and a host", text.Visible(servers.BareURL(f.Upstream), 400))
	case f.TLSFingerprint != "" && u.Scheme != "https":
		return usage("--tls-fingerprint: %s has no certificate; expected an https:// URL", text.Visible(servers.BareURL(f.Upstream), 400))
	}
	switch {
	case f.RunServers && f.Servers == "":
		return usage("--run-servers applies only to the commands of --servers; add --servers FILE, or remove --run-servers")
	case f.MaxSessions < 1 || f.SessionIdle <= 0:
		return usage("--max-sessions and --session-idle must be positive")
	case f.TokenEnv != "" && os.Getenv(f.TokenEnv) == "":
		return usage("--token-env %s: the variable is not set or is empty; set it to the token", text.Visible(f.TokenEnv, 200))
	case f.UpstreamTimeout < 0:
		return usage("--upstream-timeout must not be negative")
	}
	if f.TLSFingerprint != "" {
		if _, err := proxy.ParseFingerprint(f.TLSFingerprint); err != nil {
			return usage("--tls-fingerprint: %w", err)
		}
	}
	return nil
}

// access returns the host names and the token that the proxy accepts in requests.
func (f *listenFlags) access(address string) proxy.Access {
	host, _, _ := net.SplitHostPort(address)
	a := proxy.Access{Hosts: []string{host}, Token: os.Getenv(f.TokenEnv)}
	for _, name := range f.AllowHost {
		a.Hosts = append(a.Hosts, strings.ToLower(name))
	}
	return a
}

// closing is an HTTP handler that must be closed.
type closing interface {
	http.Handler
	Close()
}

// front returns the proxy in front of the servers that the command line names, and the path and
// target of each server.
func (r *proxyRun) front(ctx context.Context, access proxy.Access, transport http.RoundTripper) (handler closing, paths [][2]string, err error) {
	targets := []servers.Target{*r.target}
	if r.Servers != "" {
		if targets, err = r.configured(ctx); err != nil {
			return nil, nil, err
		}
	}
	var upstreams []proxy.Upstream
	var given text.Secrets // a client can pass on a secret from one server to another
	for i := range targets {
		t := &targets[i]
		u, err := r.upstream(t, transport)
		if err != nil {
			return nil, nil, err
		}
		upstreams, given = append(upstreams, u), given.With(t.Given())
		shown := t.Shown()
		path := proxy.PathOf(t.Name)
		if r.Servers == "" {
			shown, path = servers.BareURL(t.URL), u.URL.EscapedPath()
		}
		paths = append(paths, [2]string{path, shown})
	}
	for i := range upstreams {
		upstreams[i].Given = (&givenSecrets{always: given}).in
	}
	if r.Servers != "" {
		return proxy.NewServers(r.options(ctx), access, upstreams), paths, nil
	}
	return proxy.NewHTTP(r.options(ctx), access, upstreams[0]), paths, nil
}

// upstream returns the settings with which the proxy reaches a server.
func (r *proxyRun) upstream(t *servers.Target, transport http.RoundTripper) (u proxy.Upstream, err error) {
	u = proxy.Upstream{Name: t.Name, Origin: t.Origin, Transport: transport, Headers: t.Headers, Failed: r.failed("server " + text.Visible(t.Name, 200))}
	if len(t.Command) > 0 {
		u.Command, u.Headers = r.command(t), nil
	} else {
		u.URL, err = url.Parse(t.URL)
		if err != nil || u.URL.Scheme != "http" && u.URL.Scheme != "https" || u.URL.Host == "" {
			return u, usage("server %s: expected a URL with http:// or https:// and a host", text.Visible(t.Name, 200))
		}
		r.note(&scanner.Event{Kind: scanner.StartedEvent, Session: app.ProxySession, Server: t.Name, Transport: "http", Origin: t.Origin, Identity: baseline.IdentityOf(&t.Written)})
	}
	return u, nil
}

// note records an event that is not a message.
func (r *proxyRun) note(e *scanner.Event) { r.decided(e, r.live.Step(e), scanner.Forward) }

// maxListenHeap is the soft memory limit of the Go runtime in a proxy that listens on a port. Such
// a proxy may run for days, and would keep unused memory after bursts of requests.
const maxListenHeap = 100 << 20

// listen relays client requests to the servers until ctx is done.
func (r *proxyRun) listen(ctx context.Context) (code int, err error) {
	if os.Getenv("GOMEMLIMIT") == "" && os.Getenv("GOGC") == "" {
		debug.SetMemoryLimit(maxListenHeap)
	}
	address, err := r.address()
	if err != nil {
		return 0, err
	}
	var fingerprint []byte
	if r.TLSFingerprint != "" {
		if fingerprint, err = proxy.ParseFingerprint(r.TLSFingerprint); err != nil {
			return 0, err
		}
	}
	transport := proxy.NewTransport(r.UpstreamTimeout, fingerprint)
	defer transport.CloseIdleConnections()
	var handler closing
	var paths [][2]string
	if r.LLM {
		handler, paths, err = r.llm(ctx, r.access(address), transport)
	} else {
		handler, paths, err = r.front(ctx, r.access(address), transport)
	}
	if err != nil {
		return 0, err
	}
	defer handler.Close()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return 0, fmt.Errorf("listening: %w; choose another port with --listen", err)
	}
	for _, p := range paths {
		r.problem("http://%s%s in front of %s", listener.Addr(), p[0], text.Visible(p[1], 400))
	}
	log.SetOutput(io.Discard) // the HTTP client logs what servers send on idle connections
	return 0, serve(ctx, listener, handler, log.New(serverLogWriter{r}, "", 0))
}

// serverLogChars is how many characters of an entry in the HTTP server's log are printed. They include the
// message of a panic, which precedes its stack.
const serverLogChars = 400

// serverLogWriter prints the HTTP server's log messages, such as those about panics in handlers.
type serverLogWriter struct{ *proxyRun }

func (w serverLogWriter) Write(line []byte) (int, error) {
	w.problem("%s", text.Visible(strings.TrimSpace(string(line)), serverLogChars))
	return len(line), nil
}

// serve serves until ctx is done, and then closes open connections.
func serve(ctx context.Context, listener net.Listener, handler http.Handler, errorLog *log.Logger) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, ErrorLog: errorLog}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return fmt.Errorf("listening: %w", err)
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if server.Shutdown(last) != nil {
		server.Close() // streams do not end on their own
	}
	<-served
	return nil
}

// givenSecrets has the secrets that servers get from their configurations and in request headers. It
// caches the last ones, because a client's requests mostly contain the same secrets.
type givenSecrets struct {
	always text.Secrets

	mu   sync.Mutex
	last string // the values in headers, joined
	all  text.Secrets
}

// in returns the secrets in g.always and those in the request headers.
func (g *givenSecrets) in(head http.Header) text.Secrets {
	values, credentials := secrets.InHeaders(head)
	key := strings.Join(values, "\x00")
	if key == "" {
		return g.always
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.last != key {
		g.last, g.all = key, g.always.With(text.NewSecrets(values, credentials))
	}
	return g.all
}
