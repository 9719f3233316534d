package config

import (
	"slices"
	"strings"
)

// looksLikeServer reports whether an object has a property of a server entry: a command, an
// address, a known transport, or the type of a built-in server. As in some clients, the case of a key
// does not matter.
func looksLikeServer(n *node) bool {
	if !n.is(kindObject) {
		return false
	}
	for _, k := range slices.Concat(commandKeys(), urlKeys()) {
		switch v := n.anyCase(k); {
		case v.is(kindString) && v.text != "":
			return true
		case k == "command" && (v.is(kindArray) || v.get("path").is(kindString)):
			return true
		}
	}
	t := n.anyCase("type")
	return t.is(kindString) && (knownTransport(t.text) || builtinType(t.text))
}

// surelyServer reports whether an object is clearly a server entry. A url or a command alone is not
// enough, because many files map names to objects with a url or a command.
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
	return slices.ContainsFunc(n.members, func(m member) bool { return looksLikeServer(m.value) }) || slices.ContainsFunc(n.items, looksLikeServer)
}

// nestedServers accepts the servers in an mcp object. An object that itself looks like a server
// entry is accepted only if it also contains server entries.
func nestedServers(_ *reader, n *node) bool {
	return (n.is(kindObject) || n.is(kindArray)) && (holdsServers(n) || !looksLikeServer(n))
}

// ofClient accepts a key that many other programs also use, provided that one of its entries looks
// like a server, or that the file is, by its path, one of the given clients' files. Whoever writes
// the file controls all entries, so an entry that does not look like a server does not rule out the
// others.
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

// variants returns the top-level members whose key is a different spelling of a container's key.
// Most clients compare keys exactly, but some do not (Go's JSON package ignores case), so the
// servers under such a key are checked and the spelling is reported.
func (r *reader) variants(root *node, c container) []member {
	if root == nil || len(c.path) > 1 {
		return nil
	}
	var found []member
	for _, m := range root.members {
		if plainKey(m.key) == plainKey(c.path[0]) && !containerKey(m.key) && !r.read[m.value] && holdsServers(m.value) && (c.accept == nil || c.accept(r, m.value)) {
			r.problem(m.pos, Position{}, "the key %s is a misspelling of %s: its servers are checked, but clients differ in whether they read them; correct the key", Quoted(m.key), c.path[0])
			found = append(found, m)
		}
	}
	return found
}

// containerKey reports whether key is exactly a container's key.
func containerKey(key string) bool {
	return slices.ContainsFunc(containers(), func(c container) bool { return c.path[0] == key })
}

// plainKey returns a key in lower case and without separators, for comparing spellings.
func plainKey(key string) string {
	return strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(strings.ToLower(key))
}

// strays reports apparent servers at locations where no entries are read, in a file used only for
// MCP; an unreported server would look clean.
func (r *reader) strays(root *node) {
	if !namedMCP(r.file.Path) {
		return
	}
	count, first, where := 0, Position{}, ""
	var walk func(n *node, pointer string)
	walk = func(n *node, pointer string) {
		switch {
		case n == nil:
			return
		case looksLikeServer(n) && pointer != "":
			if !r.read[n] {
				if count++; count == 1 {
					first, where = n.pos, pointer
				}
			}
			return
		}
		for at, v := range n.below(pointer) {
			walk(v, at)
		}
	}
	walk(root, "")
	if count == 0 {
		return
	}
	if len(r.shapes) == 0 {
		r.shapes = append(r.shapes, "none")
	}
	r.problem(first, Position{}, "servers under a key that no known client reads were not checked (found %d, the first at %s): move them to the key that the client reads, or remove them", count, Quoted(where))
}
