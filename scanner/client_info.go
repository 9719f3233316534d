package scanner

import (
	"slices"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// The _meta keys of the client information. Since the 2026-07-28 specification, clients send it in
// every request instead of in initialize.
const (
	metaClientInfo   = "io.modelcontextprotocol/clientInfo"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaProtocol     = "io.modelcontextprotocol/protocolVersion"
)

// maxCapabilities bounds the reported client capabilities. Each version of the specification
// defines at most five.
const maxCapabilities = 32

// maxRoots bounds the remembered roots of a client, and rootBytes the length of each URI. A client
// lists its open folders as roots.
const (
	maxRoots  = 64
	rootBytes = 4096
)

// roots returns the root URIs in a client's result, or nil if there are none or they exceed a
// bound. If the roots are unknown, no path is reported as outside them.
func (in *Inspector) roots(result int) (uris []string) {
	list := in.tree.Get(result, "roots")
	if in.tree.Kind(list) != wire.Array {
		return nil
	}
	for c := in.tree.First(list); c >= 0; c = in.tree.Next(c) {
		uri, ok := in.tree.Str(c, "uri")
		if !ok || len(uri) > rootBytes || len(uris) == maxRoots {
			return nil
		}
		uris = append(uris, uri)
	}
	return uris
}

// rootsAnswered returns the roots in a request that answers the inputRequests of an earlier
// result, as defined in the 2026-07-28 specification.
func (in *Inspector) rootsAnswered(params int) []string {
	for c := in.tree.First(in.tree.Get(params, "inputResponses")); c >= 0; c = in.tree.Next(c) {
		if roots := in.roots(c); roots != nil {
			return roots
		}
	}
	return nil
}

// client returns the client info in the parameters of a request, or nil if there is none.
func (in *Inspector) client(params int) *mcp.ClientInfo {
	doc := in.tree
	info, capabilities := doc.Get(params, "clientInfo"), doc.Get(params, "capabilities")
	protocol, _ := doc.Str(params, "protocolVersion")
	if meta := doc.Get(params, "_meta"); info < 0 && meta >= 0 {
		info, capabilities = doc.Get(meta, metaClientInfo), doc.Get(meta, metaCapabilities)
		protocol, _ = doc.Str(meta, metaProtocol)
	}
	if doc.Kind(info) != wire.Object {
		return nil
	}
	name, _ := doc.Str(info, "name")
	c := &mcp.ClientInfo{Name: show(name, nameChars), Protocol: show(protocol, nameChars)}
	for k := doc.First(capabilities); k >= 0 && len(c.Capabilities) < maxCapabilities; k = doc.Next(k) {
		c.Capabilities = append(c.Capabilities, show(doc.KeyString(k), nameChars))
	}
	slices.Sort(c.Capabilities)
	c.Capabilities = slices.Compact(c.Capabilities)
	return c
}
