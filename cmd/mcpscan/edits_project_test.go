package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// project is the content of a project before or after a change.
type project struct {
	clients []*clientFile
	files   map[string]string // other files; a file with no content is absent
	links   map[string]string // symbolic links
}

// clientFile is the configuration of one client.
type clientFile struct {
	path    string
	format  format
	servers []*server
	was     string                   // text before an edit
	rewrite func(text string) string // applied to the text of the file; nil for none
}

// server is an entry in a configuration.
type server struct {
	name    string
	command string
	args    []string
	env     map[string]string
	url     string
	extra   map[string]any // further members of the entry
}

// format writes the entries of a client's configuration.
type format func(entries []entry) string

// entry is a server in a client's notation.
type entry struct {
	name   string
	fields map[string]any
}

// formats are the formats of client configurations in a project, by path.
var formats = map[string]struct {
	format format
	fields func(*server) map[string]any
}{
	".mcp.json":                         {wrapped("mcpServers"), plain},
	".cursor/mcp.json":                  {wrapped("mcpServers"), plain},
	".vscode/mcp.json":                  {wrapped("servers"), typed},
	".roo/mcp.json":                     {wrapped("mcpServers"), plain},
	".kiro/settings/mcp.json":           {wrapped("mcpServers"), plain},
	".junie/mcp/mcp.json":               {wrapped("mcpServers"), plain},
	".amazonq/mcp.json":                 {wrapped("mcpServers"), plain},
	".factory/mcp.json":                 {wrapped("mcpServers"), typed},
	".warp/.mcp.json":                   {wrapped("mcpServers"), plain},
	".github/mcp.json":                  {wrapped("mcpServers"), typed},
	".zed/settings.json":                {wrapped("context_servers"), plain},
	".amp/settings.json":                {wrapped("amp.mcpServers"), plain},
	"crush.json":                        {wrapped("mcp"), typed},
	"opencode.json":                     {wrapped("mcp"), ofOpencode},
	".gemini/settings.json":             {wrapped("mcpServers"), ofGemini},
	".claude-plugin/plugin.json":        {wrapped("mcpServers"), plain},
	"services/api/.mcp.json":            {wrapped("mcpServers"), plain},
	".devcontainer/devcontainer.json":   {nested("customizations", "vscode", "mcp", "servers"), typed},
	"work.code-workspace":               {nested("settings", "mcp", "servers"), typed},
	".codex/config.toml":                {asTOML, plain},
	".continue/mcpServers/servers.yaml": {asYAML, plain},
}

func plain(s *server) map[string]any {
	fields := maps.Clone(s.extra)
	if fields == nil {
		fields = map[string]any{}
	}
	if s.url != "" {
		fields["url"] = s.url
	} else {
		fields["command"], fields["args"] = s.command, s.args
	}
	if len(s.env) > 0 {
		fields["env"] = s.env
	}
	return fields
}

func typed(s *server) map[string]any {
	fields := plain(s)
	fields["type"] = "stdio"
	if s.url != "" {
		fields["type"] = "http"
	}
	return fields
}

func ofGemini(s *server) map[string]any {
	fields := plain(s)
	if s.url != "" {
		delete(fields, "url")
		fields["httpUrl"] = s.url
	}
	return fields
}

func ofOpencode(s *server) map[string]any {
	fields := plain(s)
	fields["type"] = "remote"
	if s.url == "" {
		fields["type"], fields["command"] = "local", append([]string{s.command}, s.args...)
		delete(fields, "args")
	}
	if env, has := fields["env"]; has {
		delete(fields, "env")
		fields["environment"] = env
	}
	return fields
}

// wrapped is JSON with the entries in one member.
func wrapped(member string) format { return nested(member) }

// nested is JSON with the entries in nested members.
func nested(members ...string) format {
	return func(entries []entry) string {
		var b strings.Builder
		for _, m := range members {
			fmt.Fprintf(&b, "{%q: ", m)
		}
		b.WriteString("{\n")
		for i, e := range entries {
			if i > 0 {
				b.WriteString(",\n")
			}
			fmt.Fprintf(&b, "  %s: %s", asJSON(e.name), asJSON(e.fields))
		}
		b.WriteString("\n" + strings.Repeat("}", len(members)+1) + "\n")
		return b.String()
	}
}

func asTOML(entries []entry) string {
	var b strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&b, "[mcp_servers.%s]\n", asJSON(e.name))
		for _, key := range slices.Sorted(maps.Keys(e.fields)) {
			if env, is := e.fields[key].(map[string]string); is {
				var pairs []string
				for _, name := range slices.Sorted(maps.Keys(env)) {
					pairs = append(pairs, asJSON(name)+" = "+asJSON(env[name]))
				}
				fmt.Fprintf(&b, "%s = {%s}\n", key, strings.Join(pairs, ", "))
				continue
			}
			fmt.Fprintf(&b, "%s = %s\n", key, asJSON(e.fields[key]))
		}
	}
	return b.String()
}

// asYAML writes entries as YAML for Continue: a list whose values are JSON, which is valid YAML.
func asYAML(entries []entry) string {
	b := "name: servers\nversion: 0.0.1\nschema: v1\nmcpServers:\n"
	for _, e := range entries {
		b += "  - name: " + asJSON(e.name) + "\n"
		for _, key := range slices.Sorted(maps.Keys(e.fields)) {
			b += "    " + key + ": " + asJSON(e.fields[key]) + "\n"
		}
	}
	return b
}

func asJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // there are only strings, numbers, and lists and maps of them
	}
	return string(data)
}

// text returns the content of the file.
func (c *clientFile) text() string {
	var entries []entry
	for _, s := range c.servers {
		entries = append(entries, entry{s.name, formats[c.path].fields(s)})
	}
	text := c.format(entries)
	if c.rewrite != nil {
		text = c.rewrite(text)
	}
	return text
}

// write creates the project's files.
func (p *project) write(t *testing.T, dir string) {
	t.Helper()
	all := maps.Clone(p.files)
	for _, c := range p.clients {
		if _, replaced := p.links[c.path]; !replaced {
			all[c.path] = c.text()
		}
	}
	for name, content := range all {
		if content == "" {
			continue
		}
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range p.links {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, path); err != nil {
			t.Fatal(err)
		}
	}
}

// clone returns a copy that can be edited.
func (p *project) clone() *project {
	out := &project{files: maps.Clone(p.files), links: maps.Clone(p.links)}
	for _, c := range p.clients {
		file := *c
		file.servers, file.was = nil, c.text()
		for _, s := range c.servers {
			one := *s
			one.args, one.env, one.extra = slices.Clone(s.args), maps.Clone(s.env), maps.Clone(s.extra)
			file.servers = append(file.servers, &one)
		}
		out.clients = append(out.clients, &file)
	}
	return out
}

// randomProject creates a project with random clients and servers. HTTP servers have the given
// address.
func randomProject(r *rand.Rand, address string) *project {
	p := &project{files: map[string]string{"README.md": "# A project\n"}, links: map[string]string{}}
	paths := slices.Sorted(maps.Keys(formats))
	r.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
	names := []string{"weather", "notes", "calendar", "search", "billing", "maps"}
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, path := range paths[:1+r.IntN(3)] {
		c := &clientFile{path: path, format: formats[path].format}
		for range 1 + r.IntN(2) {
			c.servers = append(c.servers, p.randomServer(r, names[0], address))
			names = names[1:]
		}
		p.clients = append(p.clients, c)
	}
	return p
}

func (p *project) randomServer(r *rand.Rand, name, address string) *server {
	s := &server{name: name}
	version := fmt.Sprintf("%d.%d.%d", 1+r.IntN(3), r.IntN(10), r.IntN(10))
	installed := ""
	switch r.IntN(4) {
	case 0:
		installed = "@acme/" + name + "-mcp@" + version
		s.command, s.args = "npx", []string{"-y", installed}
	case 1:
		installed = "acme-" + name + "-mcp@" + version
		s.command, s.args = "uvx", []string{installed}
	case 2:
		installed = "tools/" + name + ".js"
		s.command, s.args = "bun", []string{installed}
		p.files[installed] = "// The server of " + name + ".\n"
	default:
		s.url = address + "/" + name
	}
	if installed != "" {
		if r.IntN(3) == 0 {
			s.args = append(s.args, "--verbose")
		}
		if r.IntN(3) == 0 {
			s.env = map[string]string{"LOG_LEVEL": "info"}
		}
		p.files["packages/"+strings.ReplaceAll(installed, "/", "_")+".json"] = dumpOf(name)
	}
	return s
}

// dumpOf returns the definitions that a server with this name lists.
func dumpOf(name string) string {
	return fmt.Sprintf(`{"serverInfo":{"name":%q,"version":"1.0.0"},"tools":[{"name":"get_%s","description":"Returns the %s of a day.","inputSchema":{"type":"object","properties":{"day":{"type":"string"}}}}]}`, name, name, name)
}
