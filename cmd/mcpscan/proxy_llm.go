package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/proxy"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// providers lists the LLM providers behind a proxy without --upstream, each under a path with its
// name.
var providers = [][2]string{
	{"anthropic", "https://api.anthropic.com"},
	{"openai", "https://api.openai.com"},
	{"gemini", "https://generativelanguage.googleapis.com"},
}

// llmName is the name in reports for the proxy's end of provider connections.
const llmName = "llm"

// llm returns the proxy in front of LLM APIs, and those APIs by path.
func (r *proxyRun) llm(ctx context.Context, access proxy.Access, transport http.RoundTripper) (handler closing, paths [][2]string, err error) {
	listed, err := r.listServers(ctx)
	if err != nil {
		return nil, nil, err
	}
	talks := proxy.Talks{Name: r.Record, Servers: r.known, Listed: listed}
	if talks.Name == "" {
		talks.Name = endpoint(llmName).File
	}
	for _, e := range listed {
		if _, known := talks.Servers[e.Server]; !known && e.Kind == scanner.FrameEvent {
			talks.Servers[e.Server] = nil
		}
		for _, tool := range toolsIn(e) {
			if !slices.Contains(talks.Servers[e.Server], tool) {
				talks.Servers[e.Server] = append(talks.Servers[e.Server], tool)
			}
		}
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
		secrets := &givenSecrets{always: inURL(p[1])}
		upstreams = append(upstreams, proxy.Upstream{Name: p[0], URL: u, Transport: transport, Mask: secrets.mask, Failed: func(reason string) {
			r.trouble("the provider at %s sent no usable answer: %s", bare(u.String()), reason)
		}})
		path := "/"
		if p[0] != "" {
			path = proxy.PathOf(p[0])
		}
		paths = append(paths, [2]string{path, bare(p[1])})
	}
	return proxy.NewLLM(r.options(), access, talks, upstreams), paths, nil
}

// listServers lists the servers of the configuration that --servers names, before there is any
// traffic, and returns their events.
func (r *proxyRun) listServers(ctx context.Context) (listed []*scanner.Event, err error) {
	if r.Servers == "" {
		return nil, nil
	}
	data, err := readTarget(r.Servers, r.MaxMessage)
	if err != nil {
		return nil, err
	}
	file, err := config.Parse(r.Servers, data)
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	p := &plan{disk: newDisk(ctx)}
	p.config(file)
	flags := liveFlags{
		RunServers: true, StartTimeout: time.Minute, StepTimeout: 30 * time.Second, ServerTimeout: 5 * time.Minute, ClientName: ownClient,
		declared: r.checks.triage.Settings.Policy, block: r.checks.triage.Settings.BlocksBinaries(),
	}
	src := flags.start(ctx, r.std, p, &recording{}, r.MaxMessage, true)
	for {
		chunk, err := src.Next()
		if errors.Is(err, io.EOF) {
			return listed, nil
		}
		if err != nil {
			return nil, err
		}
		chunk.Events(func(e *scanner.Event) {
			if e.Kind == scanner.FrameEvent || e.Kind == scanner.SkippedEvent || e.Kind == scanner.StartedEvent {
				kept := *e
				kept.Frame, kept.Session = bytes.Clone(e.Frame), proxySession
				listed = append(listed, &kept)
			}
		})
		chunk.Release()
	}
}

// toolsIn returns the names of the tools that a frame lists.
func toolsIn(e *scanner.Event) (names []string) {
	v, err := wire.Skim(e.Frame, wire.MaxNodes)
	if err != nil || e.Direction != mcp.ServerToClient {
		return nil
	}
	for c := v.Get("result").Get("tools").Children(); c.Next(); {
		if name, ok := c.Value.Str("name"); ok {
			names = append(names, name)
		}
	}
	return names
}

// checkLLM rejects flags that conflict with --llm.
func (c *proxyCmd) checkLLM() error {
	if len(c.Command) > 0 || c.InheritEnv || len(c.Env) > 0 || c.Name != "" {
		return usage("--llm is for the APIs of LLM providers; remove the command after --, --name, --env and --inherit-env")
	}
	if c.TLSFingerprint != "" && c.Upstream == "" {
		return usage("--tls-fingerprint applies to a single upstream; expected --upstream URL with it")
	}
	return nil
}
