package main

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/servers"
	"github.com/mcpscan/mcpscan/scanner"
)

// consent asks the user before a plan starts servers from configuration files.
func (c *liveFlags) consent(ctx context.Context, std streams, p *app.Plan, l *servers.Listing) {
	p.Allow(ctx, consent(ctx, std, l, c.RunServers))
}

// consent returns a function that returns the reason not to start a server in a configuration, or
// "" to start it. If run is set, every server may start. Otherwise, the function shows the command
// in full and asks the user or, without a terminal, refuses.
func consent(ctx context.Context, std streams, l *servers.Listing, run bool) func(*servers.Target) (refused string) {
	ask, all := terminal(std.in) && terminal(std.err), false
	answers := bufio.NewReader(std.in)
	return func(t *servers.Target) (refused string) {
		switch {
		case run:
			return ""
		case !ask:
			return "its command comes from a configuration file; read the command, then use --run-servers: " + t.Conceal(t.Shown())
		case all: // do not ask, but still show the commands
			fmt.Fprint(std.err, l.Describe(t))
			return ""
		}
		fmt.Fprint(std.err, l.Describe(t)+"Start it? [y]es, [a]ll, [N]o: ")
		answer, _ := app.Within(ctx, func() (string, error) { return answers.ReadString('\n') })
		if ctx.Err() != nil {
			return context.Cause(ctx).Error()
		}
		switch strings.ToLower(strings.TrimSpace(answer)) {
		case "a", "all":
			all = true
			return ""
		case "y", "yes":
			return ""
		}
		return "you declined"
	}
}

// list returns a source of the plan's own events and of its servers' events, and shows the
// progress.
func (c *liveFlags) list(ctx context.Context, std streams, p *app.Plan, l *servers.Listing, record func(*scanner.Event), quiet bool) scanner.Source {
	bar := newProgress(std, "asking servers", int64(len(p.Targets)), listedServers, quiet)
	return p.Source(ctx, l, servers.Watcher{Record: record, Asked: func() { bar.add(1) }, Done: func(lacks string) {
		bar.end()
		if !quiet {
			fmt.Fprint(std.err, lacks)
		}
	}})
}

// side opens a target, or the server that a command starts. For a lockfile, it returns the
// approved definitions if approved is set, otherwise those last seen.
func (c *liveFlags) side(ctx context.Context, std streams, l *servers.Listing, target string, approved bool, command []string, quiet bool) (*app.Side, error) {
	p := app.NewPlan(ctx, l.Known, l.MaxMessage)
	p.Headers, p.NoRun = c.Header, c.NoRun
	s, err := p.Side(ctx, target, command, approved)
	if s != nil || err != nil {
		return s, err
	}
	c.consent(ctx, std, p, l)
	p.Unique()
	return &app.Side{Notes: p.Notes, Inputs: p.Inputs, Files: p.Files(), Source: c.list(ctx, std, p, l, nil, quiet), Close: func() {}}, nil
}
