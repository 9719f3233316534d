package config

import "github.com/mcpscan/mcpscan/internal/configfile"

// Place sets the position of changes that have none to that of their key in a settings file, or of
// its nearest existing parent.
func Place(changes []configfile.SettingsChange, data []byte) {
	plain, failed := plainText(data)
	if failed != nil {
		return
	}
	roots, failed := parseYAML(plain)
	if failed != nil || len(roots) == 0 {
		return
	}
	for i := range changes {
		if change := &changes[i]; change.Pos == (Position{}) {
			change.Pos = positionOf(roots[0], change.Keys)
		}
	}
}

// positionOf looks up keys at each level where a policy may be; the longest match wins.
func positionOf(root *node, keys []string) Position {
	best, most := Position{Line: 1, Column: 1}, 0
	for _, above := range [...][]string{nil, {"sandbox", "mcp"}, {"mcp_rules"}, {"mcp", "inspection"}} {
		if at, length := locate(root, append(above, keys...)); length-len(above) > most {
			best, most = at, length-len(above)
		}
	}
	return best
}

// locate follows keys as far as they exist.
func locate(n *node, keys []string) (at Position, length int) {
	for _, key := range keys {
		found := n.all(key)
		if len(found) == 0 {
			return at, length
		}
		at, n = found[0].pos, found[0].value
		length++
	}
	return at, length
}
