package config

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
)

// container is a location in a file that may contain servers.
type container struct {
	shape string
	path  []string
	// accept reports whether the value contains servers, for keys that other programs use as
	// well; nil if the key alone is sufficient.
	accept func(r *reader, n *node) bool
}

// containers returns the locations that may contain servers, in the order in which they are read.
// Keys must match exactly, as in most clients; variants finds other spellings.
func containers() []container {
	return []container{
		{"mcpServers", []string{"mcpServers"}, nil},
		{"amp.mcpServers", []string{"amp.mcpServers"}, nil},
		{"powers.mcpServers", []string{"powers", "mcpServers"}, ofClient("kiro")},
		{"mcp.servers", []string{"mcp.servers"}, nil},
		{"mcp.servers", []string{"mcp", "servers"}, nestedServers},
		{"settings.mcp", []string{"settings", "mcp.servers"}, nil},
		{"settings.mcp", []string{"settings", "mcp", "servers"}, nestedServers},
		{"customizations.vscode.mcp", []string{"customizations", "vscode", "mcp", "servers"}, nestedServers},
		{"customizations.vscode.mcp", []string{"customizations", "vscode", "settings", "mcp.servers"}, nil},
		{"customizations.vscode.mcp", []string{"customizations", "vscode", "settings", "mcp", "servers"}, nestedServers},
		{"context_servers", []string{"context_servers"}, nil},
		{"mcp_servers", []string{"mcp_servers"}, nil},
		{"mcp-servers", []string{"mcp-servers"}, nil},
		{"servers", []string{"servers"}, vscodeServers},
		{"mcp", []string{"mcp"}, ofClient("opencode", "kilo", "crush")},
		{"extensions", []string{"extensions"}, ofClient("goose")},
		{"plugins", []string{"plugins"}, reasonixPlugins},
		{"modelContextProtocolServers", []string{"experimental", "modelContextProtocolServers"}, nil},
	}
}

// reader collects the servers of one file.
type reader struct {
	file   *File
	format string
	shapes []string
	// gemini is set if a plain url means SSE, as in Gemini CLI.
	gemini bool
	// seen holds the first position of each server, by container, scope and name.
	seen map[[3]string]Position
	// read holds the entries, containers and settings that were read.
	read map[*node]bool
	// nodes maps the position of each entry to its value, for edits.
	nodes map[Position]*node
	// unread contains, for each entry of the file, the members that were not read.
	unread [][]member
}

// recognise reads the roots as a client configuration, or returns nil.
func recognise(client, name, format string, roots []*node) *reader {
	r := &reader{file: &File{ClientConfig: configfile.ClientConfig{Path: name, Client: client}}, format: format, seen: map[[3]string]Position{}, read: map[*node]bool{}, nodes: map[Position]*node{}}
	for _, root := range roots {
		r.root(root)
	}
	if r.file.Client == "" {
		r.file.Client = clientOfShapes(r.shapes)
	}
	for _, root := range roots {
		r.settings(root)
		r.strays(root)
	}
	for i := range r.file.Entries {
		r.others(&r.file.Entries[i], (&node{members: r.unread[i]}).below(""))
	}
	r.plugins()
	r.hookFiles()
	r.proxies()
	if len(r.file.Settings) > 0 {
		r.shapes = append(r.shapes, "settings")
	}
	if len(r.shapes) == 0 {
		return nil
	}
	r.file.Shape = strings.Join(r.shapes, " + ")
	slices.SortStableFunc(r.file.Entries, func(a, b Server) int { return a.Pos.Compare(b.Pos) })
	slices.SortStableFunc(r.file.Problems, func(a, b Problem) int { return a.Pos.Compare(b.Pos) })
	return r
}

func (r *reader) root(root *node) {
	r.gemini = r.file.Client == "gemini-cli" || r.file.Client == "qwen-code"
	for _, c := range containers() {
		found := append(root.all(c.path...), r.variants(root, c)...)
		found = slices.DeleteFunc(found, func(m member) bool { return c.accept != nil && !c.accept(r, m.value) })
		for i, m := range found {
			if i > 0 {
				r.problem(m.pos, found[0].pos, "%s is defined twice: clients read only one of the two; merge them", c.shape)
			}
			r.container(c.shape, m, "")
		}
	}
	r.projects(root)
	r.marketplace(root)
	if len(r.shapes) == 0 && r.flat(root) {
		r.container("flat", member{value: root, pos: root.pos}, "")
	}
}

// container reads one map or list of servers.
func (r *reader) container(shape string, m member, scope string) {
	n, name := m.value, shape
	r.read[n] = true
	if n.kind == kindArray {
		name += " list"
	}
	if r.format == "toml" {
		name += " (toml)"
	}
	if !slices.Contains(r.shapes, name) {
		r.shapes = append(r.shapes, name)
	}
	switch n.kind {
	case kindObject:
		r.gemini = r.gemini || slices.ContainsFunc(n.members, func(m member) bool { return m.value.get("httpUrl") != nil })
		for _, e := range n.members {
			inner := shape == "mcp" && e.key == "servers" && nestedServers(r, e.value) && !looksLikeServer(e.value) // this key is a container itself
			if !inner && (shape != "flat" || e.key != "$schema") {
				r.server(shape, name, e, scope)
			}
		}
	case kindArray:
		for i, item := range n.items {
			switch {
			case item.is(kindString):
				r.pathString(shape, item)
			case (Markdown(r.file.Path) || pluginRoot(r.file.Path) != "") && holdsServers(item): // maps of names to entries, as in Claude Code's agents and plugins
				for _, e := range item.members {
					r.server(shape, name, e, scope)
				}
			default:
				r.server(shape, name, listEntry(item, i), scope)
			}
		}
	case kindString:
		r.pathString(shape, n)
	case kindNull: // a container without entries, such as "mcpServers:" in YAML
	default:
		r.problem(n.pos, Position{}, "%s is %s: expected an object with one entry per server", shape, n.kind)
	}
}

// pathString reads a string found where servers are expected. In a plugin manifest, it is the path
// of a file that contains them. In the Markdown file of an agent, it is the name of a configured server,
// which needs no check here.
func (r *reader) pathString(shape string, n *node) {
	if Markdown(r.file.Path) {
		return
	}
	r.refer(shape, n.pos, n.text)
}

// server reads one entry and keeps it even if the name is a duplicate, because clients differ in
// which of the two they start. key names the container, such as "mcpServers". shape also says
// whether the container is a list and whether the file is TOML, as in "mcp_servers (toml)".
func (r *reader) server(key, shape string, e member, scope string) {
	r.read[e.value], r.nodes[e.pos] = true, e.value
	s, unread := r.entry(shape, e)
	s.Scope = scope
	id := [3]string{key, scope, s.Name}
	if first, ok := r.seen[id]; ok {
		r.problem(e.pos, first, "server %s is defined twice, first at %s: clients start only one of the two; remove one", Quoted(s.Name), first)
	} else {
		r.seen[id] = e.pos
	}
	r.file.Entries, r.unread = append(r.file.Entries, s), append(r.unread, unread)
	r.helper(key, e)
}

// projects reads the per-project servers of ~/.claude.json.
func (r *reader) projects(root *node) {
	seen := map[string]Position{}
	for _, all := range root.all("projects") {
		for _, p := range all.value.members {
			servers := p.value.all("mcpServers")
			if len(servers) == 0 {
				continue
			}
			if first, ok := seen[p.key]; ok {
				r.problem(p.pos, first, "duplicate project %s: Claude Code reads only one of the two; merge them", Quoted(p.key))
			}
			seen[p.key] = p.pos
			for i, m := range servers {
				if i > 0 {
					r.problem(m.pos, servers[0].pos, "duplicate mcpServers of project %s: Claude Code reads only one of the two; merge them", Quoted(p.key))
				}
				r.container("projects", m, p.key)
			}
		}
	}
}

// marketplace reads the inline servers in a plugin marketplace.
func (r *reader) marketplace(root *node) {
	for _, all := range root.all("plugins") {
		for _, p := range all.value.items {
			name := ""
			if n := p.get("name"); n.is(kindString) {
				name = n.text
			}
			for _, m := range p.all("mcpServers") {
				r.container("plugins.mcpServers", m, name)
			}
		}
	}
}

// flat reports whether the file itself is the map of servers. Such a file has no key that
// identifies it, so every entry must clearly be a server; if the file name contains mcp, a single entry
// that looks like a server is enough.
func (r *reader) flat(root *node) bool {
	if r.format != "json" {
		return false
	}
	if namedMCP(r.file.Path) {
		return holdsServers(root)
	}
	servers := 0
	for _, m := range root.members {
		if m.key == "$schema" {
			continue
		}
		if !surelyServer(m.value) {
			return false
		}
		servers++
	}
	return servers > 0
}

// namedMCP reports whether a file name indicates that the file is used only for MCP.
func namedMCP(name string) bool {
	base := strings.ToLower(path.Base(slashed(name)))
	return strings.Contains(base, "mcp") && (strings.HasSuffix(base, ".json") || strings.HasSuffix(base, ".jsonc"))
}

// listEntry returns a list item as a member, with its name field as the key, or else its number.
func listEntry(item *node, i int) member {
	if n := item.get("name"); n.is(kindString) && n.text != "" {
		return member{key: n.text, pos: item.pos, value: item}
	}
	return member{key: "#" + strconv.Itoa(i+1), pos: item.pos, value: item}
}

func (r *reader) problem(pos, related Position, format string, args ...any) {
	r.file.Problems = append(r.file.Problems, Problem{pos, related, fmt.Sprintf(format, args...)})
}
