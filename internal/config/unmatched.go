package config

import (
	"cmp"
	"fmt"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// scope is the set of servers, or of tools of these servers, to which a part of the settings applies.
type scope struct {
	pos          Position
	what         string // the part of the settings, for messages
	server, tool string // globs; an empty one matches all
}

// scope records to which servers and tools a part of the settings applies.
func (r *settingsReader) scope(pos Position, what, server, tool string) {
	r.settings.scopes = append(r.settings.scopes, scope{pos, what, server, tool})
}

// maxSeen is the maximum number of servers in a run that reports scopes without effect.
const maxSeen = 10_000

// seen is what a run has inspected.
type seen struct {
	servers map[string]bool // by name; the value is true once all tools of the server were listed
	scopes  map[int]bool    // indexes of the scopes whose glob for tools matched a tool
}

// See records which servers and tools an event shows.
func (t *Triage) See(e *scanner.Event, out *scanner.Outcome) {
	if len(t.Settings.scopes)+len(t.Settings.Ignores) == 0 {
		return
	}
	if t.seen.servers == nil {
		t.seen = seen{map[string]bool{}, map[int]bool{}}
	}
	if e.Kind == scanner.ConfigEvent {
		for i := range e.Config.Entries {
			t.seen.server(e.Config.Entries[i].Name, false)
		}
		return
	}
	listed := false
	for i := range out.Messages {
		m := out.Messages[i].Message
		for k := range m.Definitions {
			t.match(e.Server, m.Definitions[k].Name)
		}
		listed = listed || m.Lists[mcp.ToolSubject] && !m.More
	}
	t.seen.server(e.Server, listed)
}

func (s *seen) server(name string, listed bool) {
	if before, known := s.servers[name]; name != "" && (known || len(s.servers) <= maxSeen) {
		s.servers[name] = before || listed
	}
}

// match records which scopes match a tool.
func (t *Triage) match(server, tool string) {
	for i, s := range t.Settings.scopes {
		if s.tool != "" && !t.seen.scopes[i] && matchesGlob(s.server, server) && matchesGlob(s.tool, tool) {
			t.seen.scopes[i] = true
		}
	}
}

// inspects reports whether the run inspects a server that matches a glob.
func (s *seen) inspects(glob string) bool {
	for name := range s.servers {
		if matchesGlob(glob, name) {
			return true
		}
	}
	return false
}

// listed reports whether all servers that match a glob listed all their tools.
func (s *seen) listed(glob string) bool {
	for name, listed := range s.servers {
		if !listed && matchesGlob(glob, name) {
			return false
		}
	}
	return true
}

// Unmatched returns the scopes without effect, in the order in which they were read. all says that the
// run knows all configurations; otherwise, other servers can match a glob, so only scopes for the tools
// of one server are returned.
func (t *Triage) Unmatched(all bool) (out []IdleKey) {
	if t.Partial || t.seen.servers == nil || len(t.seen.servers) > maxSeen {
		return nil
	}
	for i, s := range t.Settings.scopes {
		_, one := t.seen.servers[s.server]
		why := ""
		switch {
		case all && !t.seen.inspects(s.server):
			why = fmt.Sprintf("no server in the configurations of this run matches %s", Quoted(cmp.Or(s.server, "*")))
		case (all || one) && s.tool != "" && !t.seen.scopes[i] && t.seen.listed(s.server):
			why = fmt.Sprintf("no server that matches %s lists a tool that matches %s", Quoted(cmp.Or(s.server, "*")), Quoted(s.tool))
		default:
			continue
		}
		out = append(out, IdleKey{s.pos, s.what + " has no effect: " + why})
	}
	return out
}
