package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/mcpscan/mcpscan/internal/proxy"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// listenFlags are those of a proxy in front of a server at a URL.
type listenFlags struct {
	Listen          string        `help:"Address and port to listen on for --upstream, or a port of this machine; port 0 takes a free one, which standard error names." placeholder:"ADDRESS:PORT"`
	Upstream        string        `help:"URL of the server to stand in front of; the proxy has the same path." placeholder:"URL"`
	AllowHost       []string      `help:"Name by which clients reach the proxy, beside localhost and loopback addresses, or host of an allowed Origin. Repeat for several." placeholder:"HOST" sep:"none"`
	TokenEnv        string        `help:"Variable that holds the bearer token that clients have to give for the port." placeholder:"NAME"`
	TLSFingerprint  string        `help:"SHA-256 of the certificate that the upstream has to have, in hexadecimal digits." placeholder:"SHA256"`
	UpstreamTimeout time.Duration `help:"Time limit until the upstream begins to answer; 0 is no limit." default:"5m"`
}

// How long a client may take for the head of a request, how long its connection may lie idle,
// and how long requests may take that are open when the proxy is asked to end.
const (
	headWait = 10 * time.Second
	idleWait = 2 * time.Minute
	lastWait = time.Second
)

// address is where to listen.
func (f *listenFlags) address() (string, error) {
	given := f.Listen
	if given == "" {
		return "", usage("--upstream without --listen; expected an address, as in --listen 127.0.0.1:3100, or 127.0.0.1:0 for a free port")
	}
	if !strings.Contains(given, ":") {
		given = "127.0.0.1:" + given
	}
	host, port, err := net.SplitHostPort(given)
	if err != nil || port == "" {
		return "", usage("--listen %s: expected ADDRESS:PORT, as in 127.0.0.1:3100", text.Visible(f.Listen, 200))
	}
	if host == "" {
		host = "127.0.0.1"
	}
	if !proxy.IsLoopback(host) && f.TokenEnv == "" {
		return "", usage("--listen %s: other machines reach this address, and whoever does has what your credentials open; expected --token-env NAME with it, or a loopback address", text.Visible(f.Listen, 200))
	}
	return net.JoinHostPort(host, port), nil
}

// check refuses flags that cannot be meant.
func (f *listenFlags) check() error {
	if _, err := f.address(); err != nil {
		return err
	}
	u, err := url.Parse(f.Upstream)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return usage("--upstream %s: expected http:// or https:// and a host", text.Visible(bare(f.Upstream), 400))
	case f.TLSFingerprint != "" && u.Scheme != "https":
		return usage("--tls-fingerprint with %s: expected an https:// URL, which has a certificate", text.Visible(bare(f.Upstream), 400))
	case f.TokenEnv != "" && os.Getenv(f.TokenEnv) == "":
		return usage("--token-env %s: the variable is not set or empty; expected the token in it", text.Visible(f.TokenEnv, 200))
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

// access is who may use the port.
func (f *listenFlags) access(address string) proxy.Access {
	host, _, _ := net.SplitHostPort(address)
	a := proxy.Access{Hosts: []string{host}, Token: os.Getenv(f.TokenEnv)}
	for _, name := range f.AllowHost {
		a.Hosts = append(a.Hosts, strings.ToLower(name))
	}
	return a
}

// listen passes on what clients ask of the upstream until ctx ends.
func (r *proxyRun) listen(ctx context.Context, _ lockedServers) (code int, err error) {
	address, err := r.address()
	if err != nil {
		return 0, err
	}
	upstream, err := url.Parse(r.Upstream)
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
	secrets := &givenSecrets{always: r.target.given()}
	o := r.options()
	handler := proxy.NewHTTP(o, r.access(address), proxy.Upstream{
		Name: r.target.name, URL: upstream, Origin: r.target.origin, Transport: transport, Mask: secrets.mask,
		Failed: func(reason string) { r.trouble("the upstream gave no answer that can be passed on: %s", reason) },
	})
	defer handler.Close()
	identity, _ := r.target.identity(machine{})
	started := &scanner.Event{Kind: scanner.StartedEvent, Session: proxySession, Server: r.target.name, Transport: "http", Origin: r.target.origin, Identity: identity}
	r.decided(started, r.live.Step(started), scanner.Forward)
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return 0, fmt.Errorf("listening: %w; choose another port with --listen", err)
	}
	local := url.URL{Scheme: "http", Host: listener.Addr().String(), Path: upstream.Path, RawPath: upstream.RawPath}
	if !r.Quiet {
		fmt.Fprintf(r.std.err, "mcpscan: %s in front of %s\n", local.String(), text.Visible(bare(r.Upstream), 400))
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: headWait, IdleTimeout: idleWait, ErrorLog: log.New(io.Discard, "", 0)}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err = <-served:
	case <-ctx.Done():
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWait)
		defer cancel()
		if server.Shutdown(last) != nil {
			server.Close() // streams have no end of their own
		}
		<-served
	}
	if err != nil && !errors.Is(err, http.ErrServerClosed) {
		return 0, fmt.Errorf("listening: %w", err)
	}
	return 0, nil
}

// givenSecrets masks what requests have for the server in their heads. Requests of a client
// mostly have the same.
type givenSecrets struct {
	always []string

	mu   sync.Mutex
	last string // the values
	by   func([]byte) []byte
}

// mask returns what masks the secrets of a head, and nil for one without secrets.
func (g *givenSecrets) mask(head http.Header) func([]byte) []byte {
	values := g.always
	for name, given := range head {
		if secretHeader(name) && !plainHeader(name) || name == proxy.TokenHeader {
			for _, value := range given {
				values = append(values[:len(values):len(values)], credentialsOf(value)...)
			}
		}
	}
	if len(values) == 0 {
		return nil
	}
	key := strings.Join(values, "\x00")
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.by == nil || g.last != key {
		g.last, g.by = key, text.NewSecrets(values).MaskJSON
	}
	return g.by
}
