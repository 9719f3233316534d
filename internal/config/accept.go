package config

import (
	"slices"
	"strings"
)

// looksLikeServer reports whether an object has a property that only server entries have: a
// command, an address, or a known transport.
func looksLikeServer(n *node) bool {
	if !n.is(kindObject) {
		return false
	}
	for _, k := range slices.Concat(commandKeys(), urlKeys()) {
		switch v := n.get(k); {
		case v.is(kindString) && v.text != "":
			return true
		case k == "command" && (v.is(kindArray) || v.get("path").is(kindString)):
			return true
		}
	}
	t := n.get("type")
	return t.is(kindString) && (knownTransport(t.text) || builtinType(t.text))
}

// surelyServer reports whether an object is clearly a server entry. One sign is not enough, because
// many files map names to objects with a url or a command.
func surelyServer(n *node) bool {
	if !looksLikeServer(n) {
		return false
	}
	t := n.get("type")
	return n.get("serverUrl") != nil || n.get("httpUrl") != nil || t.is(kindString) && knownTransport(t.text) ||
		n.get("command") != nil && (n.get("args") != nil || n.get("env") != nil)
}

// holdsServers reports whether a map or list has an entry that looks like a server.
func holdsServers(n *node) bool {
	for _, m := range n.members {
		if looksLikeServer(m.value) {
			return true
		}
	}
	return slices.ContainsFunc(n.items, looksLikeServer)
}

// nestedServers accepts the servers in an mcp object. If "servers" is itself a single server entry,
// it is accepted only if it also contains server entries.
func nestedServers(_ *reader, n *node) bool {
	return (n.is(kindObject) || n.is(kindArray)) && (holdsServers(n) || !looksLikeServer(n))
}

// ofClient accepts a key that many other programs also use, provided that one of its entries looks
// like a server or that the path shows that the file belongs to one of the given clients. Whoever
// writes the file controls all entries, so an entry that does not look like a server does not rule
// out the others.
func ofClient(clients ...string) func(*reader, *node) bool {
	return func(r *reader, n *node) bool {
		return n.is(kindObject) && (holdsServers(n) || slices.Contains(clients, r.file.Client))
	}
}

// vscodeServers accepts "servers" as VS Code writes it. API descriptions also use that key, for a
// list or for entries with a url and a protocol.
func vscodeServers(r *reader, n *node) bool {
	return r.format == "json" && n.is(kindObject) && (namedMCP(r.file.Path) ||
		slices.ContainsFunc(n.members, func(m member) bool { return looksLikeServer(m.value) && !describesAPI(m.value) }))
}

// describesAPI reports whether n is a server address in an AsyncAPI description.
func describesAPI(n *node) bool {
	return n.get("protocol") != nil && n.get("type") == nil && n.get("command") == nil
}

// reasonixPlugins accepts [[plugins]] tables that contain a server entry.
func reasonixPlugins(r *reader, n *node) bool {
	return r.format == "toml" && n.is(kindArray) && holdsServers(n)
}

// shapeClients contains the shapes that are unique to one client.
var shapeClients = map[string]string{
	"amp.mcpServers":              "amp",
	"context_servers":             "zed",
	"mcp_servers (toml)":          "codex",
	"mcp_servers list (toml)":     "vibe",
	"plugins list (toml)":         "reasonix",
	"extensions":                  "goose",
	"servers":                     "vscode",
	"mcp.servers":                 "vscode",
	"settings.mcp":                "vscode",
	"customizations.vscode.mcp":   "vscode",
	"modelContextProtocolServers": "continue",
	"projects":                    "claude-code",
	"plugins.mcpServers":          "claude-code",
}

// clientOfShapes returns the client of the first shape that is unique to one client.
func clientOfShapes(shapes []string) string {
	for _, s := range shapes {
		if client := shapeClients[strings.TrimSuffix(s, " list")]; client != "" {
			return client
		}
	}
	return ""
}
