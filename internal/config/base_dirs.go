package config

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Location is an existing configuration file.
type Location struct {
	// Path is the file. Client is the program that reads it, or "" if several do.
	Path, Client string
	// Scope is "project", "user" or "system".
	Scope string
	// Project is the project directory; "" for the other scopes.
	Project string
}

// Extension reports whether the file is, by its location, the manifest of an MCPB bundle that
// Claude Desktop has installed as an extension.
func (l Location) Extension() bool {
	return l.Client == "claude-desktop" && filepath.Base(l.Path) == "manifest.json"
}

// Dirs are the directories to search. Empty fields are skipped, so that a CI run can search only a
// project.
type Dirs struct {
	// GOOS is the operating system whose locations are searched, as in runtime.GOOS.
	GOOS string
	// Project is the project root, and Home is the user's home directory.
	Project, Home string
	// XDGConfig is $XDG_CONFIG_HOME; empty means Home/.config.
	XDGConfig string
	// AppData, LocalAppData and ProgramData are the Windows directories.
	AppData, LocalAppData, ProgramData string
	// Getenv looks up the variables that relocate client files.
	Getenv func(string) string
}

// base is the directory that a place is relative to.
type base int

const (
	inProject base = iota
	inHome
	inXDG     // $XDG_CONFIG_HOME or ~/.config, on every system
	inAppData // the system's directory for desktop application settings
	inLocal   // %LOCALAPPDATA%
	inClaude  // the directory of .claude.json
	inPlugins // Claude Code's own directory
	inCodex
	inCline
	inCopilot
	inOldCopilot // Copilot's directory before it supported COPILOT_HOME
	inOpencode   // the file that OPENCODE_CONFIG names
	inOpencodeDir
	inRoot // the file system root on Linux and macOS
	inProgramData
	inProgramFiles
)

// bases contains, for each base, its scope, its usual name if a variable can relocate it, and the
// function that finds it.
var bases = [...]struct {
	scope, name string
	find        func(Dirs) string
}{
	inProject:      {"project", "", func(d Dirs) string { return d.Project }},
	inHome:         {"user", "", func(d Dirs) string { return d.Home }},
	inXDG:          {"user", "", Dirs.xdg},
	inAppData:      {"user", "", Dirs.appData},
	inLocal:        {"user", "", func(d Dirs) string { return d.LocalAppData }},
	inClaude:       {"user", "", func(d Dirs) string { return cmp.Or(d.env("CLAUDE_CONFIG_DIR"), d.Home) }},
	inPlugins:      {"user", ".claude/", func(d Dirs) string { return cmp.Or(d.env("CLAUDE_CONFIG_DIR"), under(d.Home, ".claude")) }},
	inCodex:        {"user", ".codex/", func(d Dirs) string { return cmp.Or(d.env("CODEX_HOME"), under(d.Home, ".codex")) }},
	inCline:        {"user", ".cline/", func(d Dirs) string { return cmp.Or(d.env("CLINE_DIR"), under(d.Home, ".cline")) }},
	inCopilot:      {"user", ".copilot/", func(d Dirs) string { return cmp.Or(d.env("COPILOT_HOME"), under(d.Home, ".copilot")) }},
	inOldCopilot:   {"user", ".copilot/", func(d Dirs) string { return d.XDGConfig }},
	inOpencode:     {"user", "", func(d Dirs) string { return d.env("OPENCODE_CONFIG") }},
	inOpencodeDir:  {"user", "", func(d Dirs) string { return d.env("OPENCODE_CONFIG_DIR") }},
	inRoot:         {"system", "", func(Dirs) string { return "/" }},
	inProgramData:  {"system", "", func(d Dirs) string { return d.ProgramData }},
	inProgramFiles: {"system", "", func(d Dirs) string { return d.env("ProgramFiles") }},
}

// place is one row of the table of places: a pattern relative to a base directory, on all systems
// or on the ones listed.
type place struct {
	client  string
	base    base
	pattern string
	systems string
}

func (p place) scope() string { return bases[p.base].scope }

// at reports whether a path matches a place.
func (d Dirs) at(p place, name string) bool {
	root := d.directory(p.base)
	if root == "" {
		return false
	}
	if p.pattern == "" {
		return filepath.Clean(name) == filepath.Clean(root)
	}
	below, err := filepath.Rel(root, name)
	return err == nil && doublestar.MatchUnvalidated(p.pattern, filepath.ToSlash(below))
}

// directory returns the directory for a base, or "" if it is unknown.
func (d Dirs) directory(b base) string { return bases[b].find(d) }

func (d Dirs) xdg() string { return cmp.Or(d.XDGConfig, under(d.Home, ".config")) }

func (d Dirs) appData() string {
	switch d.GOOS {
	case "windows":
		return d.AppData
	case "darwin":
		return under(d.Home, "Library", "Application Support")
	}
	return d.xdg()
}

func (d Dirs) env(name string) string {
	if d.Getenv == nil {
		return ""
	}
	return d.Getenv(name)
}

// under joins path elements below dir, or returns "" if dir is unknown.
func under(dir string, parts ...string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(append([]string{dir}, parts...)...)
}

// ProjectOf returns the directory of the project to whose configuration a file belongs, or "" if clients
// do not read a project's configuration from such a path. The outermost match counts, because
// .vscode/mcp.json is not the mcp.json of a project called .vscode.
func ProjectOf(name string) string {
	for at := 0; at < len(name); at++ {
		if at > 0 && !os.IsPathSeparator(name[at-1]) {
			continue
		}
		inside := strings.ToLower(slashed(name[at:]))
		if slices.ContainsFunc(ProjectPatterns(), func(p string) bool { return doublestar.MatchUnvalidated(strings.ToLower(p), inside) }) {
			return filepath.Clean(name[:at])
		}
	}
	return ""
}

// clientOf returns the client whose configuration path matches the end of the given path, or "" if
// there is none. It ignores case because some file systems do.
func clientOf(name string) string {
	name = strings.ToLower(strings.TrimLeft(slashed(name), "/"))
	for _, p := range places() {
		if p.client == "" || p.pattern == "" {
			continue
		}
		// The pattern includes the usual name of a directory that a variable can relocate: a file name
		// such as config.toml alone would match the files of many programs.
		if doublestar.MatchUnvalidated("**/"+strings.ToLower(bases[p.base].name+p.pattern), name) {
			return p.client
		}
	}
	return ""
}
