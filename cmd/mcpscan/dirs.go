package main

import (
	"os"
	"runtime"

	"github.com/mcpscan/mcpscan/internal/config"
)

// discoverDirs returns where to look for configurations: in a directory and, if user is set, in
// the user's directories.
func discoverDirs(dir string, user bool) config.Dirs {
	d := config.Dirs{GOOS: runtime.GOOS, Project: dir, Getenv: func(string) string { return "" }}
	if !user {
		return d
	}
	d.Getenv = os.Getenv
	d.Home, _ = os.UserHomeDir()
	d.XDGConfig = os.Getenv("XDG_CONFIG_HOME")
	d.AppData, d.LocalAppData, d.ProgramData = os.Getenv("APPDATA"), os.Getenv("LOCALAPPDATA"), os.Getenv("PROGRAMDATA")
	return d
}
