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

// Profile is what was seen of servers and their tools, the base of a policy that allows
// exactly that.
type Profile struct {
	AgentSH bool // hashes are those of agentsh, which leave out all but name, description and schema

	servers map[string]*profiled
	lost    int
}

// profiled is what was seen of one server or tool.
type profiled struct {
	events      int
	first, last time.Time
	tools       map[string]*profiled // of a server

	refused int // calls that did not take place
	called  int
	bare    bool     // it was called before it was listed
	hashes  []string // under which it was called
	listed  string   // the last one
	changed bool     // it was listed under several
	found   []found
}

// found is a rule's finding about a tool.
type found struct {
	severity scanner.Severity
	rule     string
}

// maxProfiled bounds the servers, and the tools of all of them, of a profile.
const maxProfiled = 65536

// NewProfile returns an empty profile.
func NewProfile() *Profile { return &Profile{servers: map[string]*profiled{}} }

// Message takes in a message as a rule of the engine sees it.
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

// Finding adds a severe finding.
func (p *Profile) Finding(f *scanner.Finding, server, tool string) {
	if s := p.servers[server]; s != nil && s.tools[tool] != nil && f.Severity >= scanner.High {
		t := s.tools[tool]
		if is := (found{f.Severity, f.Rule.ID}); !slices.Contains(t.found, is) {
			t.found = append(t.found, is)
		}
	}
}

// Lost is how many servers and tools were not taken in.
func (p *Profile) Lost() int { return p.lost }

// Empty reports that there is nothing to make a policy from.
func (p *Profile) Empty() bool { return len(p.servers) == 0 }

// Tools calls visit with each tool, by server and name.
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

// entry returns the entry of a name, a new one if there is none. Names too long for a rule
// share an entry if they begin alike.
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

// saw counts an event, and keeps the first and the last time.
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

// current returns the tool that is called as its server listed it last, nil where it did not.
func current(pass *scanner.JudgePass) *mcp.Definition {
	if k := pass.Server.Current(pass.Called()); k != nil {
		return k.Definition
	}
	return nil
}

// call records the hash with which the tool was called.
func (e *profiled) call(hash string) {
	e.called++
	if hash == "" {
		e.bare = true
	} else if !slices.Contains(e.hashes, hash) {
		e.hashes = append(e.hashes, hash)
	}
}

// hashOf returns the hash of a definition for a rule, "" if there is none: the digest of all
// of it, or what another engine reports.
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

// allowed returns the hashes under which a policy allows the tool; one that is empty for
// any, and none where it was only refused.
func (e *profiled) allowed() []string {
	switch {
	case e.bare:
		return []string{""}
	case e.called > 0:
		return slices.Sorted(slices.Values(e.hashes))
	case e.refused > 0:
		return nil
	}
	return []string{e.listed}
}

// passes reports whether anything of a server took place.
func (e *profiled) passes() bool { return e.events > 0 }

// worst returns the findings, the worst first.
func (e *profiled) worst() []found {
	return slices.SortedFunc(slices.Values(e.found), func(a, b found) int {
		return cmp.Or(cmp.Compare(b.severity, a.severity), cmp.Compare(a.rule, b.rule))
	})
}
