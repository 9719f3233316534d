package main

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/scanner"
)

// consent asks before a configuration file starts a command that nobody has seen: on a terminal, it
// shows each command in full and asks; elsewhere, it refuses it unless a flag allows it.
func (c *liveFlags) consent(ctx context.Context, std streams, p *plan, l *listing) {
	ask, all := terminal(std.in) && terminal(std.err), false
	answers := bufio.NewReader(std.in)
	p.allow(ctx, c.NoRun, func(t *liveTarget) (refused string) {
		switch {
		case c.RunServers:
			return ""
		case !ask:
			return "its command comes from a configuration file; read it, then use --run-servers: " + t.conceal(t.shown())
		case all: // show what starts, all the same
			fmt.Fprint(std.err, l.describe(t))
			return ""
		}
		fmt.Fprint(std.err, l.describe(t)+"Start it? [y]es, [a]ll, [N]o: ")
		answer, _ := within(ctx, func() (string, error) { return answers.ReadString('\n') })
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
	})
}

// list returns the source of a plan's events and of what its servers send, and shows its progress.
func (c *liveFlags) list(ctx context.Context, std streams, p *plan, l *listing, record func(*scanner.Event), quiet bool) scanner.Source {
	bar := newProgress(std, "asking servers", int64(len(p.targets)), listedServers, quiet)
	return p.source(ctx, l, watcher{record: record, asked: func() { bar.add(1) }, done: func(lacks string) {
		bar.end()
		if !quiet {
			fmt.Fprint(std.err, lacks)
		}
	}})
}

// side opens a target, or the server that a command starts. For a lockfile, it returns the
// approved definitions if approved is set, otherwise those last seen.
func (c *liveFlags) side(ctx context.Context, std streams, l *listing, target string, approved bool, command []string, quiet bool) (*side, error) {
	p := newPlan(ctx, l.known, l.maxMessage)
	p.headers = c.Header
	s, err := p.side(ctx, target, command, approved)
	if s != nil || err != nil {
		return s, err
	}
	c.consent(ctx, std, p, l)
	p.unique()
	return &side{inputs: p.inputs, source: c.list(ctx, std, p, l, nil, quiet), close: func() {}}, nil
}
