package policy

import (
	"slices"
	"strings"
)

// throughProcess returns the paths that an absolute path through the links /proc/*/root, /proc/*/cwd or
// /dev/fd means to the kernel, which follows a link before it applies a ".." after it. The path must not
// be cleaned. It returns nothing for any other path.
func throughProcess(s string) (maybe []string) {
	if !strings.Contains(s, "root") && !strings.Contains(s, "cwd") {
		return nil
	}
	var at []string // the elements of the directory reached
	// linked: a link was followed; known: at is relative to the root directory; up: ".." led out of at.
	linked, known, up := false, true, false
	for name := range strings.SplitSeq(s, "/") {
		switch {
		case name == "" || name == ".":
		case name != "..":
			at = append(at, name)
		case len(at) > 0:
			at = at[:len(at)-1]
		default:
			up = true
		}
		switch {
		case !known:
		case slices.Equal(at, []string{"dev", "fd"}):
			at = []string{"proc", "self", "fd"}
		case processLink(at):
			linked, known, up = true, name == "root", false
			at = at[:0]
		}
	}
	path := strings.Join(at, "/")
	switch {
	case !linked:
		return nil
	case known:
		return []string{"/" + path}
	case up:
		return []string{path, "/" + path, "~/" + path}
	}
	return []string{path}
}

// processLink reports whether a path is the link to the root or working directory of a process or
// thread.
func processLink(at []string) bool {
	n := len(at)
	return (n == 3 || n == 5 && at[2] == "task") && at[0] == "proc" && (at[n-1] == "root" || at[n-1] == "cwd")
}
