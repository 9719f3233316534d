package main

import (
	"context"
	"net/http"
	"net/url"

	"github.com/mcpscan/mcpscan/internal/proxy"
	"github.com/mcpscan/mcpscan/internal/servers"
	"github.com/mcpscan/mcpscan/scanner"
)

// providers contains the LLM providers behind a proxy without --upstream, each under a path with
// its name.
var providers = [][2]string{
	{"anthropic", "https://api.anthropic.com"},
	{"openai", "https://api.openai.com"},
	{"gemini", "https://generativelanguage.googleapis.com"},
}

// llmName is the server name of LLM provider connections in reports.
const llmName = "llm"

// llm returns the proxy in front of LLM APIs, and the path and URL of each API.
func (r *proxyRun) llm(ctx context.Context, access proxy.Access, transport http.RoundTripper) (handler closing, paths [][2]string, err error) {
	listed, err := r.listServers(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			listed.stop()
			listed.read(func(*scanner.Event) {})
		}
	}()
	talks := proxy.LLMOptions{Name: r.Record, Servers: r.known, Listed: listed.listed}
	if talks.Name == "" {
		talks.Name = servers.Endpoint(llmName).File
	}
	named := providers
	if r.Upstream != "" {
		named = [][2]string{{"", r.Upstream}}
	}
	var upstreams []proxy.Upstream
	for _, p := range named {
		u, err := url.Parse(p[1])
		if err != nil {
			return nil, nil, usage("--upstream: %w", err)
		}
		secrets := &givenSecrets{always: (&servers.Target{URL: p[1]}).Given()}
		upstreams = append(upstreams, proxy.Upstream{Name: p[0], URL: u, Transport: transport, Given: secrets.in, Failed: r.failed("the provider at " + servers.BareURL(u.String()))})
		path := "/"
		if p[0] != "" {
			path = proxy.PathOf(p[0])
		}
		paths = append(paths, [2]string{path, servers.BareURL(p[1])})
	}
	l := proxy.NewLLM(r.options(ctx), access, talks, upstreams)
	go listed.read(l.Later)
	return &withServers{l, listed}, paths, nil
}

// checkLLM rejects flags that conflict with --llm.
func (c *proxyCmd) checkLLM() error {
	if len(c.Command) > 0 || c.InheritEnv || len(c.Env) > 0 || c.Name != "" {
		return usage("--llm is for the APIs of LLM providers; remove the command, --name, --env and --inherit-env")
	}
	if c.TLSFingerprint != "" && c.Upstream == "" {
		return usage("--tls-fingerprint applies to a single upstream; add --upstream URL")
	}
	return nil
}
