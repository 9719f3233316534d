package main

import (
	"runtime/debug"
)

// versionCmd is mcpscan version.
type versionCmd struct{}

// Run prints the version.
func (versionCmd) Run(std streams) error {
	return put(std.out, []byte("mcpscan "+version()+"\n"))
}

// version is what the Go toolchain knows of this build: the module version of
// go install, or the commit. Reports are compared byte by byte, so a build from
// a work tree is devel whatever its state.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}
