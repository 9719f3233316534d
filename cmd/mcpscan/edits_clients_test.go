package main

import (
	"maps"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"
)

// edit is a change to a project. do makes it, and returns false if the project has nothing to
// change.
type edit struct {
	name string
	do   func(r *rand.Rand, p *project) bool
}

// pick selects a random server.
func (p *project) pick(r *rand.Rand) (*clientFile, *server) {
	c := p.clients[r.IntN(len(p.clients))]
	return c, c.servers[r.IntN(len(c.servers))]
}

// local returns an edit of a server that is started by a command.
func local(change func(r *rand.Rand, p *project, s *server) bool) func(*rand.Rand, *project) bool {
	return func(r *rand.Rand, p *project) bool {
		_, s := p.pick(r)
		return s.command != "" && change(r, p, s)
	}
}

// remote returns an edit of a server over HTTP.
func remote(change func(s *server)) func(*rand.Rand, *project) bool {
	return func(r *rand.Rand, p *project) bool {
		_, s := p.pick(r)
		if s.url == "" {
			return false
		}
		change(s)
		return true
	}
}

func withEnv(name, value string) func(*rand.Rand, *project) bool {
	return local(func(_ *rand.Rand, _ *project, s *server) bool {
		if s.env == nil {
			s.env = map[string]string{}
		}
		s.env[name] = value
		return true
	})
}

var versionAtEnd = regexp.MustCompile(`@\d+\.\d+\.\d+$`)

// starts are edits that change what a client starts or contacts.
var starts = []edit{
	{"another version", local(func(_ *rand.Rand, _ *project, s *server) bool {
		for i, a := range s.args {
			if versionAtEnd.MatchString(a) {
				s.args[i] = versionAtEnd.ReplaceAllString(a, "@9.9.9")
				return true
			}
		}
		return false
	})},
	{"another package", local(func(_ *rand.Rand, _ *project, s *server) bool {
		for i, a := range s.args {
			if versionAtEnd.MatchString(a) {
				s.args[i] = strings.Replace(a, "acme", "acrne", 1)
				return true
			}
		}
		return false
	})},
	{"another command", local(func(_ *rand.Rand, p *project, s *server) bool {
		s.command, p.files["bin/start"] = "./bin/start", "#!/bin/sh\nexec npx \"$@\"\n"
		return true
	})},
	{"an argument behind", local(func(_ *rand.Rand, _ *project, s *server) bool { s.args = append(s.args, "--root=/"); return true })},
	{"an argument in front", local(func(_ *rand.Rand, p *project, s *server) bool {
		s.args, p.files["x.js"] = append([]string{"--require=./x.js"}, s.args...), "// x\n"
		return true
	})},
	{"NODE_OPTIONS", withEnv("NODE_OPTIONS", "--require ./x.js")},
	{"LD_PRELOAD", withEnv("LD_PRELOAD", "./x.so")},
	{"PATH", withEnv("PATH", "./bin:/usr/bin")},
	{"the registry of npm", withEnv("npm_config_registry", "https://npm.example.net/")},
	{"a directory", local(func(_ *rand.Rand, _ *project, s *server) bool {
		s.extra = map[string]any{"cwd": "vendor/x"}
		return true
	})},
	{"a file of variables", local(func(_ *rand.Rand, p *project, s *server) bool {
		s.extra, p.files["x.env"] = map[string]any{"envFile": "x.env"}, "NODE_OPTIONS=--require ./x.js\n"
		return true
	})},
	{"another script", local(func(_ *rand.Rand, p *project, s *server) bool {
		for _, a := range s.args {
			if strings.HasSuffix(a, ".js") && p.files[a] != "" {
				p.files[a] += "require('./x.js')\n"
				return true
			}
		}
		return false
	})},
	{"a script that is a link", local(func(_ *rand.Rand, p *project, s *server) bool {
		for _, a := range s.args {
			if strings.HasSuffix(a, ".js") && p.files[a] != "" {
				delete(p.files, a)
				p.files["vendor/x.js"], p.links[a] = "// x\n", "../vendor/x.js"
				return true
			}
		}
		return false
	})},
	{"another host", remote(func(s *server) { s.url = "https://mcp.example.net/mcp" })},
	{"another path", remote(func(s *server) { s.url += "/x" })},
	{"a command in place of a URL", remote(func(s *server) { s.url, s.command, s.args = "", "npx", []string{"-y", "acme-x@1.0.0"} })},
	{"a URL in place of a command", local(func(_ *rand.Rand, _ *project, s *server) bool {
		s.url, s.command, s.args, s.env = "https://mcp.example.net/mcp", "", nil, nil
		return true
	})},
	{"a new server", func(r *rand.Rand, p *project) bool {
		c, _ := p.pick(r)
		c.servers = append(c.servers, &server{name: "helper", command: "npx", args: []string{"-y", "acme-helper@1.0.0"}})
		return true
	}},
	{"a new server with a look-alike name", func(r *rand.Rand, p *project) bool {
		c, s := p.pick(r)
		c.servers = append(c.servers, &server{name: s.name + "\u200b", command: "npx", args: []string{"-y", "acme-helper@1.0.0"}})
		return true
	}},
	{"a new client", func(r *rand.Rand, p *project) bool {
		for _, name := range slices.Sorted(maps.Keys(formats)) {
			if !slices.ContainsFunc(p.clients, func(c *clientFile) bool { return c.path == name }) && r.IntN(3) == 0 {
				p.clients = append(p.clients, &clientFile{path: name, format: formats[name].format, servers: []*server{{name: "helper", command: "npx", args: []string{"-y", "acme-helper@1.0.0"}}}})
				return true
			}
		}
		return false
	}},
}

// rewritten returns an edit of all configurations' text. With onlyJSON, it fails unless all are
// JSON.
func rewritten(onlyJSON bool, f func(string) string) func(*rand.Rand, *project) bool {
	return func(_ *rand.Rand, p *project) bool {
		for _, c := range p.clients {
			if onlyJSON && !strings.HasPrefix(c.format(nil), "{") {
				return false
			}
			c.rewrite = f
		}
		return true
	}
}

// member returns an edit that adds a member to each entry.
func member(key string, value any) func(*rand.Rand, *project) bool {
	return func(_ *rand.Rand, p *project) bool {
		for _, c := range p.clients {
			for _, s := range c.servers {
				if s.extra == nil {
					s.extra = map[string]any{}
				}
				s.extra[key] = value
			}
		}
		return true
	}
}

// beside returns an edit that adds a JSON entry before or after the others.
func beside(value string, first bool) func(*rand.Rand, *project) bool {
	return rewritten(true, func(text string) string {
		if first {
			return strings.Replace(text, "{\n", "{\n  \"docs\": "+value+",\n", 1)
		}
		return strings.Replace(text, "\n}", ",\n  \"docs\": "+value+"\n}", 1)
	})
}

// moved returns an edit that moves configurations to other paths.
func moved(to func(string) string) func(*rand.Rand, *project) bool {
	return func(_ *rand.Rand, p *project) bool {
		for _, c := range p.clients {
			p.files[to(c.path)] = c.text()
			c.servers = nil
		}
		p.clients = nil
		return true
	}
}

// again returns an edit that joins each file's previous content with the new one.
func again(join func(was, text string) string) func(*rand.Rand, *project) bool {
	return func(_ *rand.Rand, p *project) bool {
		for _, c := range p.clients {
			if c.was == "" || !strings.HasPrefix(c.was, "{") {
				return false
			}
			was := c.was
			c.rewrite = func(text string) string { return join(was, text) }
		}
		return true
	}
}

// inner returns the content of the innermost object of a configuration.
func inner(text string) string {
	_, rest, _ := strings.Cut(text, "{\n")
	entries, _, _ := strings.Cut(rest, "\n}")
	return entries
}

func encoded(order func(uint16) string) func(string) string {
	return func(text string) string {
		var b strings.Builder
		for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
			b.WriteString(order(unit))
		}
		return b.String()
	}
}

// disguises are edits of configurations that try to hide the content from mcpscan.
var disguises = []edit{
	{"none", func(*rand.Rand, *project) bool { return true }},
	{"wrapped by this program", behindProxy(func() string { own, _ := ownPath(); return own })},
	{"wrapped by another program", behindProxy(func() string { return "/repository/bin/mcpscan" })},
	{"wrapped by a program in the PATH", behindProxy(func() string { return "mcpscan" })},
	{"disabled", member("disabled", true)},
	{"not enabled", member("enabled", false)},
	{"not active", member("isActive", false)},
	{"disabled as text", member("disabled", "true")},
	{"an entry that is nothing", beside(`null`, true)},
	{"an entry that is a text", beside(`"see the handbook"`, true)},
	{"an entry that is a list", beside(`[]`, false)},
	{"an entry that starts nothing", beside(`{"protocol":"x"}`, true)},
	{"an entry that starts nothing, at the end", beside(`{"transport":{"kind":"bus"}}`, false)},
	{"an entry that is empty", beside(`{}`, false)},
	{"a byte order mark", rewritten(false, func(s string) string { return "\ufeff" + s })},
	{"UTF-16, low byte first", rewritten(false, encoded(func(u uint16) string { return string([]byte{byte(u), byte(u >> 8)}) }))},
	{"UTF-16, high byte first", rewritten(false, encoded(func(u uint16) string { return string([]byte{byte(u >> 8), byte(u)}) }))},
	{"comments", rewritten(true, func(s string) string { return "// {\n/* \"mcpServers\": { */\n" + s })},
	{"a comma at the end", rewritten(true, func(s string) string { return strings.Replace(s, "\n}", ",\n}", 1) })},
	{"blanks", rewritten(false, func(s string) string { return strings.Repeat("\n", 300_000) + s })},
	{"another document behind", rewritten(true, func(s string) string { return s + `{"mcpServers": {}}` })},
	{"an empty wrapper in front", rewritten(true, func(s string) string { return strings.Replace(s, "{", `{"mcp.servers": {}, "mcpServers.x": {}, `, 1) })},
	{"other members in front", rewritten(true, func(s string) string {
		return strings.Replace(s, "{", `{"openapi": "3.1.0", "$schema": "https://json.schemastore.org/package.json", "name": "x", `, 1)
	})},
	{"the old entries in front", again(func(was, text string) string { return strings.Replace(text, "{\n", "{\n"+inner(was)+",\n", 1) })},
	{"the old entries behind", again(func(was, text string) string { return strings.Replace(text, "\n}", ",\n"+inner(was)+"\n}", 1) })},
	{"the old wrapper in front", again(func(was, text string) string { return strings.TrimSuffix(was, "}\n") + ", " + text[1:] })},
	{"the old wrapper behind", again(func(was, text string) string { return strings.TrimSuffix(text, "}\n") + ", " + was[1:] })},
	{"the old document in front", again(func(was, text string) string { return was + text })},
	{"the old document in a comment", again(func(was, text string) string { return "/* " + was + " */" + text })},
	{"a wrapper in a wrapper", rewritten(true, func(s string) string { return "{\"config\": " + strings.TrimSpace(s) + "}\n" })},
	{"a wrapper in a list", rewritten(true, func(s string) string { return "[" + strings.TrimSpace(s) + "]\n" })},
	{"a key in other letters", rewritten(true, func(s string) string { return strings.Replace(s, "ervers\"", "\u0435rvers\"", 1) })},
	{"a key in capitals", rewritten(true, func(s string) string {
		return regexp.MustCompile(`"(mcp|amp\.mcp|context_)?[sS]ervers"|"mcp"`).ReplaceAllStringFunc(s, strings.ToUpper)
	})},
	{"a command that is a list", rewritten(true, func(s string) string {
		return regexp.MustCompile(`"command":("[^"]*")`).ReplaceAllString(s, `"command":[$1]`)
	})},
	{"arguments that are a text", rewritten(true, func(s string) string {
		return regexp.MustCompile(`"args":\[([^]]*)\]`).ReplaceAllStringFunc(s, func(m string) string {
			return `"args":"` + strings.NewReplacer(`"args":[`, "", `"`, "", ",", " ", "]", "").Replace(m) + `"`
		})
	})},
	{"a URL beside the command", member("url", "http://127.0.0.1:1/mcp")},
	{"a command beside the URL", member("serverUrl", "http://127.0.0.1:1/mcp")},
	{"another type", rewritten(true, func(s string) string {
		return strings.NewReplacer(`"type":"stdio"`, `"type":"x"`, `"type":"local"`, `"type":"x"`).Replace(s)
	})},
	{"documents of YAML", rewritten(false, func(s string) string {
		return strings.Replace(s, "name: servers\n", "---\nname: x\n---\nname: servers\n", 1)
	})},
	{"line ends of old Macs", rewritten(false, func(s string) string { return strings.ReplaceAll(s, "\n", "\r") })},
	{"NUL at the end", rewritten(false, func(s string) string { return s + "\x00" })},
	{"a byte that is not UTF-8", rewritten(true, func(s string) string { return strings.Replace(s, "{\n", "{\n  \"note\\u0020\": \"\xff\",\n", 1) })},
	{"escapes in keys", rewritten(true, func(s string) string { return strings.ReplaceAll(s, `"command"`, `"\u0063ommand"`) })},
	{"directories in capitals", moved(func(name string) string {
		dir, base := path.Split(name)
		return strings.ToUpper(dir) + base
	})},
	{"names in capitals", moved(strings.ToUpper)},
	{"a directory below", moved(func(name string) string { return path.Join("packages/web", name) })},
	{"a directory below with a dot", moved(func(name string) string { return path.Join(".config/x", name) })},
	{"a link", func(_ *rand.Rand, p *project) bool {
		for _, c := range p.clients {
			p.files["shared.config"], p.links[c.path] = c.text(), strings.Repeat("../", strings.Count(c.path, "/"))+"shared.config"
		}
		return len(p.clients) == 1
	}},
	{"a link to nothing", func(_ *rand.Rand, p *project) bool {
		for _, c := range p.clients {
			p.links[c.path] = "node_modules/x/" + path.Base(c.path)
		}
		return true
	}},
	{"a link out of the project", func(_ *rand.Rand, p *project) bool {
		for _, c := range p.clients {
			p.links[c.path] = "/etc/hostname"
		}
		return true
	}},
	{"a directory in place of the file", func(_ *rand.Rand, p *project) bool {
		for _, c := range p.clients {
			p.files[c.path+"/x"], p.links[c.path+"/y"] = "x", "x"
		}
		p.clients = nil
		return true
	}},
}
