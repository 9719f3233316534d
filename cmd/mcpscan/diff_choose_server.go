package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/servers"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// pick chooses the server in OLD to compare NEW with. If NEW is a URL or a command, or has no server
// with the name of the chosen one, pair is true: the chosen server is compared with the first one in
// NEW. Otherwise, servers are compared by name.
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
	case len(c.Command) == 0 && !servers.IsURL(c.New):
		if len(before.Servers) > 1 {
			return before, false, nil
		}
		there, err := c.has(ctx, std, l, engine, before.Names()[0])
		return before, !there, err
	case len(before.Servers) == 1:
		return before, true, nil
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
	return nil, false, usage("several servers in %s have this command or URL: %s; choose one with --server NAME", c.Old, quotedNames(found))
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

// newEntries compares the entries of client configurations on the new side with the identities in a
// lockfile. A lockfile does not record findings in configurations, so a finding in the entry of a
// locked server counts as a change only if the lockfile records the part of the entry that the finding
// concerns, and that part has changed.
type newEntries struct {
	old   *scanner.Snapshot
	pair  bool // the first entry is compared with the only server in old
	first string
	now   map[entryKey]*baseline.Identity
}

type entryKey struct{ file, name string }

func (n *newEntries) see(e *scanner.Event) {
	if e.Kind != scanner.ConfigEvent {
		return
	}
	for i := range e.Config.Entries {
		entry := &e.Config.Entries[i]
		n.first = cmp.Or(n.first, entry.Name)
		n.now[entryKey{e.Config.Path, entry.Name}] = baseline.IdentityOf(entry)
	}
}

// changed reports whether a finding may concern a change.
func (n *newEntries) changed(f *scanner.Finding) bool {
	if f.Subject != mcp.ConfigSubject {
		return true
	}
	if f.Server == "" { // a setting of the client
		return !slices.ContainsFunc(n.old.Names(), func(name string) bool { return n.old.Servers[name].Locked != nil })
	}
	offer := n.old.Servers[f.Server]
	if offer == nil && n.pair && f.Server == n.first {
		offer = n.old.Servers[n.old.Names()[0]]
	}
	now := n.now[entryKey{f.Location.File, f.Server}]
	return offer == nil || offer.Locked == nil || offer.Identity == nil || now == nil || offer.Identity.Changed(now, f.Pointer)
}

// seenServers are the names of the servers that sent messages.
type seenServers map[string]bool

func (m seenServers) see(e *scanner.Event, out *scanner.Outcome) {
	if e.Server != "" && len(out.Messages) > 0 {
		m[e.Server] = true
	}
}

// any reports whether a server in the snapshot sent messages. It also returns true if no server at
// all did, because the coverage then explains why.
func (m seenServers) any(of *scanner.Snapshot) bool {
	for name := range m {
		if of.Servers[name] != nil {
			return true
		}
	}
	return len(m) == 0
}
