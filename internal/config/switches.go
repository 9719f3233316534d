package config

import "slices"

// offSwitch is a key that disables an entry in some clients.
type offSwitch struct {
	key, off string
	clients  []string
}

// offSwitches returns the table of these keys. All other clients start such an entry, so in
// their files the key is ignored.
func offSwitches() []offSwitch {
	return []offSwitch{
		{"disabled", "true", []string{"amazonq", "cline", "crush", "factory", "kilo", "kiro", "roo", "windsurf"}},
		{"enabled", "false", []string{"codex", "goose", "kilo", "opencode", "zed"}},
	}
}

// switches reads the keys that disable the entry for the client that reads the file.
func (b *entryReader) switches(client string) {
	for _, f := range offSwitches() {
		n := b.first(f.key)
		switch {
		case n == nil || !slices.Contains(f.clients, client):
		case n.kind != kindBool:
			b.problem(n.pos, "%s is %s: expected true or false", Quoted(f.key), n.kind)
		case n.text == f.off:
			b.s.Disabled = true
			b.s.Span["/disabled"] = n.pos
		}
	}
}

// clientOfEntry returns the client that reads an entry: the one the path belongs to, or else the
// only one that uses the shape. The shapes of other entries are ignored, because otherwise
// adding an entry could disable this one.
func (r *reader) clientOfEntry(shape string) string {
	if r.file.Client != "" {
		return r.file.Client
	}
	return clientOfShapes([]string{shape})
}
