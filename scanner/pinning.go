package scanner

import (
	"bytes"

	"github.com/mcpscan/mcpscan/internal/mcp"
)

// Pinning says what becomes of a call whose tool is not as it was trusted.
type Pinning struct {
	OnChange Verdict // Block, Alert or Allow
	Reviewed bool    // only what a lockfile has approved is trusted, not what was seen first
}

// DefaultPinning returns the default.
func DefaultPinning() Pinning { return Pinning{OnChange: Block} }

// Trust is how a tool compares with the one that was trusted.
type Trust uint8

// The states of trust.
const (
	Trusted  Trust = iota
	Unpinned       // nothing was trusted under its name
	Changed        // something else was
)

// Trust returns how the tool that the message calls stands to what was approved, or, where
// nothing was and that is enough, to what its server showed first in the whole input;
// where that stands; and what the tool is by now, nil where its server has not listed it.
func (p *JudgePass) Trust() (t Trust, trusted Location, now *Known) {
	name := p.Message.Target
	var is *mcp.Definition
	if now = p.Server.Current(name); now != nil {
		is = now.Definition
	}
	t, trusted = p.trust(mcp.ToolSubject, name, is)
	return t, trusted, now
}

// trust compares a definition with the one trusted under its name. It is nil if its server has
// not listed it.
func (p *JudgePass) trust(kind mcp.SubjectKind, name string, now *mcp.Definition) (t Trust, trusted Location) {
	var was *mcp.Definition
	if offer := p.Approved(); offer != nil {
		if o := offer.Definitions[mcp.DefinitionKey{Kind: kind, Name: name}]; o != nil && !o.pending() {
			was, trusted = o.Definition, o.Location
		}
	}
	switch {
	case was != nil && now == nil: // it is called as it was approved, as far as anybody knows
		return Trusted, trusted
	case was != nil && !now.Foreign:
	case p.Pinning.Reviewed || now == nil:
		return Unpinned, trusted
	default:
		first := p.judge.pins[pinKey{p.Server.ID, kind, name, now.Foreign}]
		switch {
		case first == nil && kind == mcp.ToolSubject && p.Server.changed[name] != nil: // all that is known of it is that it changed
			return Changed, trusted
		case first == nil: // more definitions than are remembered, or a new one
			return Unpinned, trusted
		}
		was, trusted = first.Definition, first.Location
	}
	if was.Digest != now.Digest {
		return Changed, trusted
	}
	return Trusted, trusted
}

// Current returns the tool of a name as the server listed it last, nil where it did not.
func (srv *Server) Current(name string) *Known {
	if k := srv.changed[name]; k != nil {
		return k
	}
	return srv.Tools[name]
}

// relist remembers that a tool was listed again, in the same form as at first or in
// another one.
func (srv *Server) relist(first *Known, d *mcp.Definition, know func(*mcp.Definition) *Known) {
	if first.Definition.Foreign != d.Foreign {
		return
	}
	name := first.Definition.Name
	if first.Definition.Digest == d.Digest {
		delete(srv.changed, name)
		return
	}
	note(&srv.Relisted, name)
	alone := *d // the others of its list need not be kept with it
	alone.Input, alone.Output, alone.Sent = bytes.Clone(alone.Input), nil, nil
	srv.change(know(&alone))
}

// replace remembers what another engine says that a tool is by now. Where the list itself
// was seen, that is what counts.
func (srv *Server) replace(d *mcp.Definition, know func(*mcp.Definition) *Known) {
	first := srv.Tools[d.Name]
	switch {
	case first == nil:
		srv.change(know(d))
	case first.Definition.Foreign:
		srv.relist(first, d, know)
	}
}

// change keeps one definition of each tool, as Tools does.
func (srv *Server) change(k *Known) {
	if srv.changed == nil {
		srv.changed = map[string]*Known{}
	}
	srv.changed[k.Definition.Name] = k
}
