package servers

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/mcpscan/mcpscan/internal/config"
)

// Workspace is the absolute path of the directory that a client opened, or "" if it is unknown.
type Workspace string

// WorkspaceOf returns the workspace of a configuration of VS Code or Cursor, the clients that define
// ${workspaceFolder}.
func WorkspaceOf(f *config.File) Workspace {
	dir, err := filepath.Abs(filepath.Dir(f.Path))
	if base := strings.ToLower(filepath.Base(dir)); err != nil || f.User || base != ".vscode" && base != ".cursor" {
		return ""
	}
	root := filepath.Dir(dir)
	if home, err := os.UserHomeDir(); err == nil && filepath.Clean(home) == root { // the user's configuration, for all workspaces
		return ""
	}
	return Workspace(root)
}

// MarkWorkspace records in each entry of a configuration whether its client expands workspace variables.
func MarkWorkspace(f *config.File) {
	in := WorkspaceOf(f)
	for i := range f.Entries {
		f.Entries[i].ExpandsWorkspace = in != ""
	}
}

// variable returns a variable that the client defines for the workspace.
func (w Workspace) variable(name string) (value string, ok bool) {
	switch {
	case w == "":
	case name == "workspaceFolder":
		return string(w), true
	case name == "workspaceFolderBasename":
		return filepath.Base(string(w)), true
	}
	return "", false
}

// Expand returns an entry with only the variables of the workspace expanded.
func (w Workspace) Expand(s config.Server) config.Server {
	if w == "" {
		return s
	}
	expanded, _ := config.Expand(s, w.variable)
	return expanded
}
