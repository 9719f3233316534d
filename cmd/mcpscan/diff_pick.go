package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/servers"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// pick chooses the server in OLD to compare NEW with. If pair is set, it is compared with the first
// server in NEW, whatever their names; otherwise, servers are compared by name.
func (c *diffCmd) pick(ctx context.Context, std streams, l *servers.Listing, engine *scanner.Engine, before *scanner.Snapshot) (s *scanner.Snapshot, pair bool, err error) {
	switch {
	case c.Server != "":
		if before.Servers[c.Server] == nil {
			return nil, false, usage("%s contains no server %q; expected --server with one of %s", c.Old, c.Server, quotedNames(before.Names()))
		}
		before = before.Only(c.Server)
		if len(c.Command) > 0 || servers.IsURL(c.New) {
			return before, true, nil
		}
		there, err := c.has(ctx, std, l, engine, c.Server)
		return before, !there, err
	case len(before.Servers) == 1:
		return before, true, nil
	case len(c.Command) == 0 && !servers.IsURL(c.New):
		return before, false, nil
	}
	entry := &configfile.Entry{Transport: "http", URL: c.New}
	if len(c.Command) > 0 {
		entry = &configfile.Entry{Transport: "stdio", Command: c.Command[0], Args: c.Command[1:]}
	}
	found, name := servers.KnownFrom(before).Like(entry)
	switch len(found) {
	case 1:
		return before.Only(found[0]), true, nil
	case 0:
		return nil, false, c.nothingCompared(before, []string{name})
	}
	return nil, false, usage("several servers in %s have this command: %s; choose one with --server NAME", c.Old, quotedNames(found))
}

// has reports whether the file NEW contains the named server.
func (c *diffCmd) has(ctx context.Context, std streams, l *servers.Listing, engine *scanner.Engine, name string) (bool, error) {
	s, err := c.side(ctx, std, l, c.New, false, nil, true)
	if err != nil {
		return false, err
	}
	now, _, err := offered(ctx, s, engine)
	return err == nil && now.Servers[name] != nil, err
}

// nothingCompared returns the error for two sides that have no server in common.
func (c *diffCmd) nothingCompared(before *scanner.Snapshot, now []string) error {
	return usage("nothing was compared: %s contains %s, but the other side contains %s; choose a server with --server NAME", c.Old, quotedNames(before.Names()), quotedNames(now))
}

// maxNames is the maximum number of names in an error.
const maxNames = 20

func quotedNames(names []string) string {
	var out []string
	for i, n := range names {
		if i == maxNames {
			out = append(out, fmt.Sprintf("and %d more", len(names)-i))
			break
		}
		out = append(out, fmt.Sprintf("%q", text.Visible(n, 120)))
	}
	if len(out) == 0 {
		return "no server"
	}
	return strings.Join(out, ", ")
}

// metServers are the names of the servers that sent messages.
type metServers map[string]bool

func (m metServers) see(e *scanner.Event, out *scanner.Outcome) {
	if e.Server != "" && len(out.Messages) > 0 {
		m[e.Server] = true
	}
}

// any reports whether a server in the snapshot sent messages. It also returns true if no server at
// all did, because the coverage then explains why.
func (m metServers) any(of *scanner.Snapshot) bool {
	for name := range m {
		if of.Servers[name] != nil {
			return true
		}
	}
	return len(m) == 0
}
