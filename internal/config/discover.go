package config

import (
	"cmp"
	"path/filepath"
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

// Dirs are the directories to search. Empty fields are skipped, so that a CI run can search only a
// project.
type Dirs struct {
	// GOOS is the operating system whose locations are searched, as in runtime.GOOS.
	GOOS string
	// Project is the project root, Home the user's home directory.
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
	inXDG      // $XDG_CONFIG_HOME or ~/.config, on every system
	inAppData  // the system's directory for desktop application settings
	inLocal    // %LOCALAPPDATA%
	inClaude   // the directory of .claude.json
	inPlugins  // Claude Code's own directory
	inCodex    // $CODEX_HOME or ~/.codex
	inCline    // $CLINE_DIR or ~/.cline
	inCopilot  // $XDG_CONFIG_HOME or ~/.copilot
	inOpencode // the file $OPENCODE_CONFIG
	inRoot     // the file system root on Linux and macOS
	inProgramData
	inProgramFiles
)

// place is one row of the table: a pattern relative to a base directory, on all systems or on the
// ones listed.
type place struct {
	client  string
	base    base
	pattern string
	systems string
}

func (p place) scope() string {
	switch p.base {
	case inProject:
		return "project"
	case inRoot, inProgramData, inProgramFiles:
		return "system"
	}
	return "user"
}

// suffix returns the suffix shared by all paths at this place. It includes the usual name of a
// directory that a variable can relocate, because many programs have a config.toml.
func (p place) suffix() string {
	switch p.base {
	case inPlugins:
		return ".claude/" + p.pattern
	case inCodex:
		return ".codex/" + p.pattern
	case inCline:
		return ".cline/" + p.pattern
	case inCopilot:
		return ".copilot/" + p.pattern
	}
	return p.pattern
}

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

// directory returns the directory for a base, or "" if it is unknown or does not exist on this
// system.
func (d Dirs) directory(b base) string {
	switch b {
	case inProject:
		return d.Project
	case inHome:
		return d.Home
	case inXDG:
		return cmp.Or(d.XDGConfig, under(d.Home, ".config"))
	case inAppData:
		return d.appData()
	case inLocal:
		return d.LocalAppData
	case inClaude:
		return cmp.Or(d.env("CLAUDE_CONFIG_DIR"), d.Home)
	case inPlugins:
		return cmp.Or(d.env("CLAUDE_CONFIG_DIR"), under(d.Home, ".claude"))
	case inCodex:
		return cmp.Or(d.env("CODEX_HOME"), under(d.Home, ".codex"))
	case inCline:
		return cmp.Or(d.env("CLINE_DIR"), under(d.Home, ".cline"))
	case inCopilot:
		return cmp.Or(d.XDGConfig, under(d.Home, ".copilot"))
	case inOpencode:
		return d.env("OPENCODE_CONFIG")
	case inRoot:
		return "/"
	case inProgramData:
		return d.ProgramData
	case inProgramFiles:
		return d.env("ProgramFiles")
	}
	return ""
}

func (d Dirs) appData() string {
	switch d.GOOS {
	case "windows":
		return d.AppData
	case "darwin":
		return under(d.Home, "Library", "Application Support")
	}
	return cmp.Or(d.XDGConfig, under(d.Home, ".config"))
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

// clientOf returns the client whose place matches the end of the path, or "". It ignores case
// because some file systems do.
func clientOf(name string) string {
	name = strings.ToLower(strings.TrimLeft(slashed(name), "/"))
	for _, p := range places() {
		if p.client == "" || p.pattern == "" {
			continue
		}
		if doublestar.MatchUnvalidated("**/"+strings.ToLower(p.suffix()), name) {
			return p.client
		}
	}
	return ""
}
