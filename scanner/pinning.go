package scanner

import (
	"bytes"

	"github.com/mcpscan/mcpscan/internal/mcp"
)

// Pinning configures what happens to calls to a tool that differs from its trusted version.
type Pinning struct {
	OnChange Verdict // Block, Alert or Allow
	Reviewed bool    // trust only versions approved in a lockfile, not the first one seen
}

// DefaultPinning returns the default, which blocks calls to tools that differ from their trusted
// version.
func DefaultPinning() Pinning { return Pinning{OnChange: Block} }

// Trust is the result of comparing a tool with its trusted version.
type Trust uint8

// The states of trust.
const (
	Trusted  Trust = iota
	Unpinned       // no version is trusted under its name
	Changed        // it differs from the trusted version
)

// Trust compares the called tool with its approved version or, if there is none and Pinning
// permits, with the version that its server listed first in the whole input. It also returns
// the location of the trusted version, and the tool as last listed, or nil if it was never
// listed.
func (p *JudgePass) Trust() (t Trust, trusted Location, now *Known) {
	name := p.Message.Target
	var is *mcp.Definition
	if now = p.Server.Current(name); now != nil {
		is = now.Definition
	}
	t, trusted = p.trust(mcp.ToolSubject, name, is)
	return t, trusted, now
}

// trust compares a definition with the one trusted under its name. now is nil if the server never
// listed the definition.
func (p *JudgePass) trust(kind mcp.SubjectKind, name string, now *mcp.Definition) (t Trust, trusted Location) {
	var was *mcp.Definition
	if offer := p.Approved(); offer != nil {
		if o := offer.Definitions[mcp.DefinitionKey{Kind: kind, Name: name}]; o != nil && !o.pending() {
			was, trusted = o.Definition, o.Location
		}
	}
	switch {
	case was != nil && now == nil: // never listed: presumably unchanged
		return Trusted, trusted
	case was != nil && !now.Foreign:
	case p.Pinning.Reviewed || now == nil:
		return Unpinned, trusted
	default:
		first := p.judge.pins[pinKey{p.Server.ID, kind, name, now.Foreign}]
		switch {
		case first == nil && kind == mcp.ToolSubject && p.Server.changed[name] != nil: // only known because a report says that it changed
			return Changed, trusted
		case first == nil: // new, or not remembered because there were too many
			return Unpinned, trusted
		}
		was, trusted = first.Definition, first.Location()
	}
	if was.Digest != now.Digest {
		return Changed, trusted
	}
	return Trusted, trusted
}

// Current returns the named tool as last listed by the server, or nil if it was never listed.
func (srv *Server) Current(name string) *Known {
	if k := srv.changed[name]; k != nil {
		return k
	}
	return srv.Tools[name]
}

// relist remembers that a tool was listed again, with its first definition or a different one.
func (srv *Server) relist(first *Known, d *mcp.Definition, know func(*mcp.Definition) *Known) {
	if first.Definition.Foreign != d.Foreign {
		return
	}
	name := first.Definition.Name
	if first.Definition.Digest == d.Digest {
		delete(srv.changed, name)
		return
	}
	set(&srv.Relisted, name, true)
	alone := *d // a copy, so that the rest of its list can be freed
	alone.Input, alone.Output, alone.Sent = bytes.Clone(alone.Input), nil, nil
	set(&srv.changed, name, know(&alone))
}

// replace records a changed tool reported by another engine. A definition seen in a list takes
// precedence.
func (srv *Server) replace(d *mcp.Definition, know func(*mcp.Definition) *Known) {
	first := srv.Tools[d.Name]
	switch {
	case first == nil:
		set(&srv.changed, d.Name, know(d))
	case first.Definition.Foreign:
		srv.relist(first, d, know)
	}
}
