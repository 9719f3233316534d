package config

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
)

// ParseManifest reads the commands in an MCPB manifest, including its platform overrides, as a
// client configuration. It returns nil if the manifest has no mcp_config or does not parse.
func ParseManifest(name string, data []byte) *File {
	text, failed := plainText(data)
	if failed != nil {
		return nil // the reader of the manifest's definitions reports errors
	}
	roots, failed := parseJSON(text)
	if failed != nil || len(objects(roots)) == 0 {
		return nil
	}
	root := roots[0]
	r := &reader{file: &File{ClientConfig: configfile.ClientConfig{Path: name, Client: "mcpb", Shape: "server.mcp_config"}}, format: "json", read: map[*node]bool{}, nodes: map[Position]*node{}}
	for _, m := range root.all("server", "mcp_config") {
		m.key = "manifest"
		if n := root.get("name"); n.is(kindString) && n.text != "" {
			m.key = n.text
		}
		r.system(m, nil, root.get("user_config"), "")
		if all := m.value.get("platform_overrides"); all.is(kindObject) {
			for _, o := range all.members {
				r.system(m, o.value, root.get("user_config"), o.key)
			}
		}
	}
	if len(r.file.Entries) == 0 {
		return nil
	}
	return r.file
}

// system reads the command for one platform: the common command with the platform's override.
func (r *reader) system(m member, override, options *node, platform string) {
	m.value = overridden(m.value, override)
	s, _ := r.entry(r.file.Shape, m)
	s.Platform = platform
	r.file.Entries = append(r.file.Entries, withDefaults(s, options))
}

// overridden returns a copy of n in which the members of override replace those of the same name.
// Environment variables are merged, although not all programs do that.
func overridden(n, override *node) *node {
	if !n.is(kindObject) || !override.is(kindObject) {
		return n
	}
	out := *n
	out.members = slices.DeleteFunc(slices.Clone(n.members), func(m member) bool {
		return m.key == "platform_overrides" || m.key != "env" && override.get(m.key) != nil
	})
	for _, m := range override.members {
		if m.key == "env" {
			m.value = joined(n.get("env"), m.value)
			out.members = slices.DeleteFunc(out.members, func(m member) bool { return m.key == "env" })
		}
		out.members = append(out.members, m)
	}
	return &out
}

// joined merges the members of two objects; the second object's take precedence.
func joined(a, b *node) *node {
	if !a.is(kindObject) || !b.is(kindObject) {
		return b
	}
	out := *b
	out.members = slices.DeleteFunc(slices.Clone(a.members), func(m member) bool { return b.get(m.key) != nil })
	out.members = append(out.members, b.members...)
	return &out
}

// withDefaults replaces references to user settings with the settings' defaults, as for a user who
// changes nothing.
func withDefaults(s Server, options *node) Server {
	if !options.is(kindObject) {
		return s
	}
	var pairs []string
	for _, m := range options.members {
		if d := m.value.get("default"); d.scalar() {
			pairs = append(pairs, "${user_config."+m.key+"}", d.text)
		}
	}
	put := strings.NewReplacer(pairs...).Replace
	s.Command, s.Cwd = put(s.Command), put(s.Cwd)
	for i := range s.Args {
		s.Args[i] = put(s.Args[i])
	}
	for k, v := range s.Env {
		s.Env[k] = put(v)
	}
	return s
}
