package scanner

import "github.com/mcpscan/mcpscan/internal/mcp"

// Renaming returns e or, if e compares a lockfile with its previous version, a copy. The copy compares the
// definitions of a new server with those of the server that was probably renamed to it: changing the
// arguments at the same time must not hide other changes.
func (e *Engine) Renaming(gone func(server string) bool) *Engine {
	if !e.revised {
		return e
	}
	other := *e
	other.renamed = map[string]*Offer{}
	d := mcp.Departed[*Offer, *Offered]{}
	for _, name := range e.base.Names() {
		if was := e.base.Servers[name]; gone(name) {
			d.Add(was.Locked.Last(), was, was.Definitions)
		}
	}
	for _, name := range e.approved.Names() {
		now := e.approved.Servers[name]
		if was, ok := mcp.Renamed(d, now.Locked.Last(), now.Definitions); ok && e.base.Servers[name] == nil {
			other.renamed[name] = &Offer{Server: was.Server, Location: was.Location, Definitions: was.Definitions, Lists: was.Lists, Renamed: true}
		}
	}
	return &other
}
