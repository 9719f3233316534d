package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/live"
	"github.com/mcpscan/mcpscan/internal/proxy"
	"github.com/mcpscan/mcpscan/internal/servers"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// serversFile reads the configuration that --servers names.
func (r *proxyRun) serversFile() (*config.File, error) {
	data, err := app.ReadTarget(r.Servers, r.MaxMessage)
	if err != nil {
		return nil, err
	}
	file, err := config.Parse(r.Servers, data)
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	if path, err := filepath.Abs(r.Servers); err == nil {
		file.User = app.Dirs("", true).Belongs(path)
	}
	servers.MarkWorkspace(file)
	return file, nil
}

// configured returns the servers in the configuration that --servers names, except disabled servers
// and unavailable ones, which it reports.
func (r *proxyRun) configured(ctx context.Context) (targets []servers.Target, err error) {
	file, err := r.serversFile()
	if err != nil {
		return nil, err
	}
	refuses := r.consent(ctx, r.listing())
	seen := map[string]bool{}
	for _, entry := range file.Entries {
		at := scanner.Origin{File: r.Servers, Line: max(entry.Pos.Line, 1), Column: max(entry.Pos.Column, 1)}
		t, err := servers.Configured(entry, app.StartDir(file), servers.Endpoint(entry.Name), servers.WorkspaceOf(file))
		why := ""
		switch {
		case entry.Disabled:
			continue
		case err != nil:
			why = t.Conceal(err.Error())
		case seen[t.Name] || t.Name == "":
			why = "another server has the same name"
		default:
			why = refuses(&t)
		}
		if why != "" {
			r.note(&scanner.Event{Kind: scanner.SkippedEvent, Reason: fmt.Sprintf("server %s is not available through this proxy: %s", entry.Name, why), Origin: at})
			continue
		}
		seen[t.Name] = true
		targets = append(targets, t)
	}
	if len(targets) == 0 {
		return nil, usage("--servers %s: none of its servers is available through this proxy; expected one or more with a URL, or with a command that --run-servers allows", text.Visible(r.Servers, 400))
	}
	return targets, nil
}

// consent returns a function that returns the reason not to start a server in the configuration, or
// "" to start it. A server at a URL needs no consent, because no command is run for it.
func (r *proxyRun) consent(ctx context.Context, l *servers.Listing) func(*servers.Target) (refused string) {
	refuses := consent(ctx, r.std, l, r.RunServers)
	return func(t *servers.Target) string {
		if len(t.Command) == 0 {
			return ""
		}
		return refuses(t)
	}
}

// listing returns the settings for starting servers.
func (r *proxyRun) listing() *servers.Listing {
	l := r.checks.Listing()
	l.InheritEnv, l.Named, l.Known = r.InheritEnv, r.Env, r.checks.Known()
	return l
}

// starting contains what is needed to start a server.
type starting struct {
	run    *proxyRun
	target *servers.Target
	in     servers.Inherited
}

// starting prepares to start a server. From then on, the secrets that the server gets are masked.
func (r *proxyRun) starting(t *servers.Target) *starting {
	s := &starting{run: r, target: t, in: r.listing().Inherits(t)}
	t.Inherit(&s.in)
	return s
}

// start starts the server, unless its executable was replaced and the settings block that. The
// event contains the server's identity.
func (s *starting) start(ctx context.Context, stderr *os.File) (*live.Process, *scanner.Event, error) {
	t := s.target
	env := slices.Concat(s.in.Variables, t.Env)
	identity, _, refused := s.run.listing().Identify(ctx, t, env, servers.NewDisk(ctx))
	if refused != "" {
		return nil, nil, fmt.Errorf("server %s was not started: %s, and version_pinning.on_change is block", t.Name, refused)
	}
	process, err := live.Start(live.Target{Command: t.Command, Env: env, Dir: t.Dir}, stderr)
	if err != nil {
		return nil, nil, err
	}
	return process, &scanner.Event{Kind: scanner.StartedEvent, Server: t.Name, Transport: "stdio", Origin: t.Origin, Identity: identity}, nil
}

// command returns a command with which the proxy starts a server in the configuration.
func (r *proxyRun) command(t *servers.Target) *proxy.Command {
	s := r.starting(t)
	name := text.Visible(t.Name, 200)
	if lacks := s.in.Lacks(); lacks != "" {
		r.problem("server %s is started without %s from your environment; if it needs one, pass --env NAME or list it under env_allow in mcpscan.yaml", name, lacks)
	}
	secrets := t.Given()
	return &proxy.Command{MaxSessions: r.MaxSessions, Idle: r.SessionIdle, Start: func(ctx context.Context) (*proxy.Started, error) {
		errout, theirs, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		defer theirs.Close()
		process, started, err := s.start(ctx, theirs)
		if err != nil {
			errout.Close()
			return nil, errors.New(t.Conceal(err.Error()))
		}
		go r.logged(name, errout, secrets)
		return &proxy.Started{Server: withErrors{process, errout}, Stdin: process.Stdin, Stdout: process.Stdout, Event: started}, nil
	}}
}

// withErrors is a process whose standard error we read.
type withErrors struct {
	*live.Process
	errout *os.File
}

func (w withErrors) Release() {
	w.Process.Release()
	w.errout.Close()
}

// maxLogged is the maximum length, in bytes, of a line from a server's standard error; longer lines
// are split.
const maxLogged = 4096

// logged copies a server's standard error to ours. Because several servers write there, and it may
// be a terminal, each line begins with the server's name and contains no control characters or
// known secrets.
func (r *proxyRun) logged(name string, errout io.Reader, secrets text.Secrets) {
	lines := bufio.NewReaderSize(errout, maxLogged)
	for {
		line, err := lines.ReadSlice('\n')
		if len(line) > 0 {
			shown := text.Visible(text.Mask(secrets.Mask(string(bytes.TrimRight(line, "\r\n")))), maxLogged)
			r.stderr.write(name + ": " + shown)
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}
