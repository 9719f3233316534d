package config

import "strings"

// variants returns the top-level members whose key is a different spelling of a container's key.
// Most clients compare keys exactly, but some do not (Go's JSON package ignores case), so these
// servers are checked and the spelling is reported.
func (r *reader) variants(root *node, c container) []member {
	if root == nil || len(c.path) > 1 {
		return nil
	}
	var found []member
	for _, m := range root.members {
		if plainKey(m.key) == plainKey(c.path[0]) && !containerKey(m.key) && !r.read[m.value] && holdsServers(m.value) && (c.accept == nil || c.accept(r, m.value)) {
			r.problem(m.pos, Position{}, "the key %s is misspelled (%s): its servers are checked, but clients differ in whether they read them; correct the key", Quoted(m.key), c.path[0])
			found = append(found, m)
		}
	}
	return found
}

// containerKey reports whether key is exactly a container's key.
func containerKey(key string) bool {
	for _, c := range containers() {
		if c.path[0] == key {
			return true
		}
	}
	return false
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
