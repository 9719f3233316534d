package policy

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// Profile records the servers and tools seen in recordings, as the basis of a policy that allows
// only these.
type Profile struct {
	AgentSH bool // use agentsh hashes, which cover only name, description and schema

	servers map[string]*profiled
	lost    int
}

// profiled describes the use of a server or tool.
type profiled struct {
	events      int
	first, last time.Time
	tools       map[string]*profiled // tools of a server

	refused  int // calls that were blocked
	called   int
	answered bool     // the server answered a request or, for a tool, a call
	bare     bool     // called while its definition was unknown
	hashes   []string // hashes of the definitions with which it was called
	listed   string   // hash of the last definition listed
	changed  bool     // several definitions were listed
	found    []found
}

// found is a rule's finding about a tool.
type found struct {
	severity scanner.Severity
	rule     string
}

// maxProfiled is the maximum number of servers in a profile, and of tools per server.
const maxProfiled = 65536

// NewProfile returns an empty profile.
func NewProfile() *Profile { return &Profile{servers: map[string]*profiled{}} }

// Message records a message as seen by the engine's rules.
func (p *Profile) Message(pass *scanner.JudgePass) {
	call := pass.Call()
	if call != nil && call.Refused {
		if t := p.tool(pass.Server.ID, pass.Called()); t != nil {
			t.refused++
			t.saw(pass.Now)
		}
		return
	}
	s := p.server(pass.Server.ID)
	if s == nil {
		return
	}
	s.saw(pass.Now)
	s.answer(pass)
	for i := range pass.Message.Definitions {
		d := &pass.Message.Definitions[i]
		if d.Kind != mcp.ToolSubject {
			continue
		}
		if t := p.tool(pass.Server.ID, d.Name); t != nil {
			t.saw(pass.Now)
			t.list(p.hashOf(d))
		}
	}
	if call == nil {
		return
	}
	if t := p.tool(pass.Server.ID, pass.Called()); t != nil {
		t.saw(pass.Now)
		t.call(p.hashOf(current(pass)))
	}
}

// Finding records a severe finding.
func (p *Profile) Finding(f *scanner.Finding, server, tool string) {
	if s := p.servers[server]; s != nil && s.tools[tool] != nil && f.Severity >= scanner.High {
		t := s.tools[tool]
		if is := (found{f.Severity, f.Rule.ID}); !slices.Contains(t.found, is) {
			t.found = append(t.found, is)
		}
	}
}

// Lost returns how often a server or tool was not recorded because of the limit.
func (p *Profile) Lost() int { return p.lost }

// Empty reports whether there is nothing to build a policy from.
func (p *Profile) Empty() bool { return len(p.servers) == 0 }

// Tools invokes visit with each tool, in order of server and name.
func (p *Profile) Tools(visit func(server, tool string)) {
	for _, s := range slices.Sorted(maps.Keys(p.servers)) {
		for _, t := range slices.Sorted(maps.Keys(p.servers[s].tools)) {
			visit(s, t)
		}
	}
}

func (p *Profile) server(id string) *profiled { return p.entry(p.servers, id) }

func (p *Profile) tool(server, name string) *profiled {
	s := p.server(server)
	if s == nil {
		return nil
	}
	if s.tools == nil {
		s.tools = map[string]*profiled{}
	}
	return p.entry(s.tools, name)
}

// entry returns the entry for a name, creating it if necessary. Names that are too long for a rule
// share an entry if they have the same prefix.
func (p *Profile) entry(among map[string]*profiled, name string) *profiled {
	name = name[:min(len(name), MaxName+1)]
	e := among[name]
	if e == nil && len(among) >= maxProfiled {
		p.lost++
		return nil
	}
	if e == nil {
		e = &profiled{}
		among[strings.Clone(name)] = e
	}
	return e
}

// saw counts an event and updates the times of the first and the last event.
func (e *profiled) saw(at time.Time) {
	e.events++
	if at.IsZero() {
		return
	}
	if e.first.IsZero() || at.Before(e.first) {
		e.first = at
	}
	if at.After(e.last) {
		e.last = at
	}
}

func (e *profiled) list(hash string) {
	e.changed = e.changed || e.listed != "" && e.listed != hash
	e.listed = hash
}

// current returns the last listed definition of the called tool, or nil if its server did not list
// it.
func current(pass *scanner.JudgePass) *mcp.Definition {
	if k := pass.Server.Current(pass.Called()); k != nil {
		return k.Definition
	}
	return nil
}

// answer records on a server's entry that the server answers a request, and which tool's call it is.
func (e *profiled) answer(pass *scanner.JudgePass) {
	if pass.Message.Answers == "" {
		return
	}
	e.answered = true
	if t := e.tools[pass.Called()]; t != nil && pass.Message.Answers == "tools/call" {
		t.answered = true
	}
}

// call counts a call and adds the hash of the tool's definition.
func (e *profiled) call(hash string) {
	e.called++
	if hash == "" {
		e.bare = true
	} else if !slices.Contains(e.hashes, hash) {
		e.hashes = append(e.hashes, hash)
	}
}

// hashOf returns the hash of a definition for a rule, or "" if there is none. It is agentsh's hash if
// the profile uses agentsh hashes or another engine computed the digest, otherwise the full digest.
func (p *Profile) hashOf(d *mcp.Definition) string {
	switch {
	case d == nil:
		return ""
	case !d.Foreign && !p.AgentSH:
		return d.Digest.String()
	}
	h, err := ParseHash(d.AgentSH)
	if err != nil || h.agentsh == "" {
		return ""
	}
	return "sha256:" + h.agentsh
}

// allowed returns the hashes with which a policy allows a tool of server s: an empty string for any
// definition, nil if all calls were refused, or none was answered although the server answered something
// else: a recording of a proxy contains the calls that the proxy refused, without an answer.
func (e *profiled) allowed(s *profiled) []string {
	switch {
	case e.called > 0 && s.answered && !e.answered:
		return nil
	case e.bare:
		return []string{""}
	case e.called > 0:
		return slices.Sorted(slices.Values(e.hashes))
	case e.refused > 0:
		return nil
	}
	return []string{e.listed}
}

// bySeverity returns the findings, most severe first.
func (e *profiled) bySeverity() []found {
	return slices.SortedFunc(slices.Values(e.found), func(a, b found) int {
		return cmp.Or(cmp.Compare(b.severity, a.severity), cmp.Compare(a.rule, b.rule))
	})
}
