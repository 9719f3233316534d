package config

import "slices"

// offSwitch is a key by which a client keeps an entry and does not start it.
type offSwitch struct {
	key, off string
	clients  []string
}

// offSwitches is the table of them. All other clients start such an entry: in a file of
// theirs the key is a decoy, and changes nothing.
func offSwitches() []offSwitch {
	return []offSwitch{
		{"disabled", "true", []string{"amazonq", "cline", "crush", "factory", "kilo", "kiro", "roo", "windsurf"}},
		{"enabled", "false", []string{"codex", "goose", "kilo", "opencode", "zed"}},
	}
}

// switches reads what turns the entry off for the client that reads the file.
func (b *entryReader) switches(client string) {
	for _, f := range offSwitches() {
		n := b.first(f.key)
		switch {
		case n == nil || !slices.Contains(f.clients, client):
		case n.kind != kindBool:
			b.problem(n.pos, "%s is %s: expected true or false", quoted(f.key), n.kind)
		case n.text == f.off:
			b.s.Disabled = true
			b.s.Span["/disabled"] = n.pos
		}
	}
}

// clientOfEntry is the client that reads an entry: the one that the path belongs to, or
// where the path does not say, the only one that has the shape. The shapes of other
// entries of the file do not count: one of them would be enough to turn this one off.
func (r *reader) clientOfEntry(shape string) string {
	if r.file.Client != "" {
		return r.file.Client
	}
	return clientOfShapes([]string{shape})
}
