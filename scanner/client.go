package scanner

import (
	"slices"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// The keys under which every request of the 2026-07-28 era carries what initialize
// carried before.
const (
	metaClientInfo   = "io.modelcontextprotocol/clientInfo"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
)

// maxCapabilities bounds the capabilities of a client that are told. The
// specification has five.
const maxCapabilities = 32

// client returns what the parameters of a request say of the client, nil where
// they say nothing.
func (in *Inspector) client(params int) *ClientInfo {
	doc := in.tree
	info, capabilities := doc.Get(params, "clientInfo"), doc.Get(params, "capabilities")
	if meta := doc.Get(params, "_meta"); info < 0 && meta >= 0 {
		info, capabilities = doc.Get(meta, metaClientInfo), doc.Get(meta, metaCapabilities)
	}
	if doc.Kind(info) != wire.Object {
		return nil
	}
	name, _ := doc.Str(info, "name")
	c := &ClientInfo{Name: show(name, nameChars)}
	var buf []byte
	for k := doc.First(capabilities); k >= 0 && len(c.Capabilities) < maxCapabilities; k = doc.Next(k) {
		c.Capabilities = append(c.Capabilities, show(string(doc.Key(k, &buf)), nameChars))
	}
	slices.Sort(c.Capabilities)
	c.Capabilities = slices.Compact(c.Capabilities)
	return c
}
