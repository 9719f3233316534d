package lockfile

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// Pin is an approval in agentsh or MCPProxy, with that program's digest of the tool.
type Pin struct {
	Server, Tool string
	Hash         string // hex, without prefix
	By           string
	At           time.Time // zero if unknown
}

// Formula is a method of computing the digest of a tool.
type Formula string

// The formulas of the systems whose pins can be read and written.
const (
	AgentSH  Formula = "agentsh"
	MCPProxy Formula = "mcpproxy"
)

func (s *Shown) by(f Formula) string {
	if f == AgentSH {
		return s.AgentSH
	}
	return s.MCPProxy
}

// Pins returns the approved tools, with digests computed by another program's formula.
func (f *File) Pins(by Formula) (pins []Pin) {
	for _, name := range f.Names() {
		s := f.Servers[name]
		for _, k := range s.Keys() {
			if e := s.Entries[k]; k.Kind == mcp.ToolSubject && e.Approval != nil {
				pins = append(pins, Pin{name, k.Name, e.by(by), e.Approval.By, e.Approval.At})
			}
		}
	}
	return pins
}

// Import approves each tool whose current digest another program approved. It returns the approved
// tools, and the reasons for refusing others.
func (f *File) Import(pins []Pin, by Formula, at time.Time) (approved []Change, refused []string) {
	for _, p := range pins {
		s := f.Servers[p.Server]
		var e *Entry
		key := mcp.DefinitionKey{Kind: mcp.ToolSubject, Name: p.Tool}
		if s != nil {
			e = s.Entries[key]
		}
		switch {
		case e == nil:
			refused = append(refused, fmt.Sprintf("%s:%s: it is not in the lockfile; run mcpscan lock first", p.Server, p.Tool))
			continue
		case e.Status == Approved && e.by(by) == p.Hash:
			continue
		}
		now := e.Last()
		if now.by(by) != p.Hash {
			refused = append(refused, fmt.Sprintf("%s:%s: the imported digest differs from the one in the lockfile", p.Server, p.Tool))
			continue
		}
		was := e.Status
		if p.At.IsZero() {
			p.At = at
		}
		*e = Entry{Status: Approved, Shown: *now, Place: e.Place, Approval: &Approval{By: cmp.Or(p.By, string(by)), At: p.At, Reason: "imported from " + string(by)}}
		approved = append(approved, Change{Server: p.Server, DefinitionKey: key, Was: was, Entry: e})
	}
	return approved, refused
}

// ParsePins reads a JSON array of pins, or an object that contains one, with the member names of
// agentsh mcp pins list --json or of MCPProxy's approval export.
func ParsePins(path string, data []byte) ([]Pin, error) {
	p := &parser{at: scanner.NewPlaces(path, data), file: &File{Path: path}}
	if err := p.doc.Parse(data); err != nil {
		return nil, fmt.Errorf("%s: %w; expected a JSON array of pins", path, err)
	}
	list := 0
	for _, member := range []string{"pins", "tools", "approvals", "data"} {
		if c := p.doc.Get(list, member); c >= 0 {
			list = c
		}
	}
	if p.doc.Kind(list) != wire.Array {
		p.fail(list, "expected an array of pins, found %s", p.doc.Kind(list))
		return nil, p.err
	}
	var pins []Pin
	for c := p.doc.First(list); c >= 0; c = p.doc.Next(c) {
		if status := p.first(c, "status"); status != "" && status != "approved" && status != "changed" {
			continue
		}
		pin := Pin{Server: p.first(c, "server_id", "server_name", "server"), Tool: p.first(c, "tool_name", "tool", "name"),
			Hash: strings.TrimPrefix(p.first(c, "approved_hash", "hash"), "sha256:"), By: p.first(c, "trusted_by", "approved_by")}
		if pin.Server == "" || pin.Tool == "" || pin.Hash == "" {
			p.fail(c, "expected server_id, tool_name and hash, or server_name, tool_name and approved_hash")
			return nil, p.err
		}
		pin.At, _ = time.Parse(time.RFC3339, p.first(c, "trusted_at", "approved_at"))
		pins = append(pins, pin)
	}
	return pins, nil
}

func (p *parser) first(node int, members ...string) string {
	for _, m := range members {
		if s, ok := p.doc.Str(node, m); ok && s != "" {
			return s
		}
	}
	return ""
}

// Reset removes what is selected, and returns the number of definitions removed.
func (f *File) Reset(sel Selector) (forgotten int) {
	s := f.Servers[sel.Server]
	if sel.All {
		delete(f.Servers, sel.Server)
		return len(s.Entries)
	}
	for _, k := range s.Keys() {
		if sel.Selects(k) {
			delete(s.Entries, k)
			forgotten++
		}
	}
	return forgotten
}
