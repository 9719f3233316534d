package config

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"
)

// Reference is a file that a plugin's manifest names and that contains servers or hooks.
type Reference struct {
	Pos Position
	// Key is "mcpServers" or "hooks".
	Key string
	// Path is the file; Root is the directory of the plugin, which contains the file.
	Path, Root string
	// Unread is the beginning of the message if the file cannot be read.
	Unread string
}

// refer records that a manifest names a file. A file outside the plugin is reported as a problem.
func (r *reader) refer(key string, pos Position, name string) {
	what := "servers"
	if key == "hooks" {
		what = key
	}
	root := pluginRoot(r.file.Path)
	inside := filepath.FromSlash(strings.TrimPrefix(slashed(name), "${CLAUDE_PLUGIN_ROOT}/"))
	if root == "" || !filepath.IsLocal(inside) {
		r.problem(pos, Position{}, "%s names the file %s, which contains further %s: scan that file as well", key, Quoted(name), what)
		return
	}
	r.file.References = append(r.file.References, Reference{pos, key, filepath.Join(root, inside), root,
		fmt.Sprintf("%s names the file %s, whose %s were not read", key, Quoted(name), what)})
}

// hookFiles records the files that a manifest names under hooks.
func (r *reader) hookFiles() {
	if pluginRoot(r.file.Path) == "" {
		return
	}
	for _, s := range r.file.Settings {
		if in, ok := strings.CutPrefix(s.Pointer, "/hooks"); ok && strings.Trim(in, "/0123456789") == "" {
			r.refer("hooks", s.Pos, s.Text)
		}
	}
}

// pluginRoot returns the plugin directory of a manifest, or "" for any other file. Clients look for
// plugin.json in it, and in a subdirectory such as .claude-plugin or .github/plugin.
func pluginRoot(name string) string {
	dir, base := path.Split(slashed(name))
	if !strings.EqualFold(base, "plugin.json") {
		return ""
	}
	switch dir = path.Clean(dir); {
	case path.Base(dir) == "plugin" && path.Base(path.Dir(dir)) == ".github":
		dir = path.Dir(path.Dir(dir))
	case len(path.Base(dir)) > 2 && path.Base(dir)[0] == '.':
		dir = path.Dir(dir)
	}
	return filepath.FromSlash(dir)
}
