package app

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/lockfile"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// LockfileBeside returns the lockfile of the project to which all targets belong, for a run without
// --lockfile. It returns "" if there is none, or if the working directory has one, which takes
// precedence.
func (c *Checks) LockfileBeside(targets []string) string {
	beside := besideAll(targets)
	if len(beside) == 1 && c.hasLockfile(beside[0]) && !c.hasLockfile(lockfile.Name) {
		return beside[0]
	}
	return ""
}

// OtherLockfiles returns the lockfiles of the targets' projects other than the one that the run uses.
func (c *Checks) OtherLockfiles(used string, targets []string) []string {
	return slices.DeleteFunc(besideAll(targets), func(path string) bool {
		return path == used || !c.hasLockfile(path) || sameFile(path, used)
	})
}

// hasLockfile reports whether a lockfile exists, or did before the change under review, which may have
// removed it.
func (c *Checks) hasLockfile(path string) bool {
	_, err := os.Lstat(path) // a link to a missing file is a mistake, not the absence of a lockfile
	return err == nil || treeOf(c.base).lockfile(path) != ""
}

// besideAll returns the paths at which the lockfiles of the targets' projects would be, each once.
func besideAll(targets []string) (paths []string) {
	for _, t := range targets {
		paths = append(paths, beside(t))
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// beside returns the path at which the lockfile of a target's project would be: in the target if it is a
// directory, in the project directory of a client configuration, or in the directory of any other file.
// URLs and standard input belong to the working directory.
func beside(target string) string {
	info, err := os.Stat(target)
	switch {
	case err != nil:
		return lockfile.Name
	case !info.IsDir():
		target = cmp.Or(config.ProjectOf(target), filepath.Dir(target))
	}
	return lockfileIn(target)
}

// lockfileIn returns the path of the lockfile in a directory.
func lockfileIn(dir string) string {
	path := filepath.Join(dir, lockfile.Name)
	wd, _ := os.Getwd() // without it, the path stays as it is
	if rel, err := filepath.Rel(wd, path); err == nil && filepath.IsAbs(path) && filepath.IsLocal(rel) {
		return rel // the base tree covers only relative paths
	}
	return path
}

// Nearest returns the lockfile of the project to which a configuration belongs: the first one in the
// project's directory or, within the working directory, above it. It returns "" if the lockfile of the
// run applies.
func (c *Checks) Nearest(f *config.File) string {
	dir := cmp.Or(f.Project, config.ProjectOf(f.Path), filepath.Dir(f.Path))
	for !f.User {
		path := lockfileIn(dir)
		if c.hasLockfile(path) && path != c.lockfile && !sameFile(path, c.lockfile) {
			return path
		}
		if path == c.lockfile || c.hasLockfile(path) || !filepath.IsLocal(path) || path == lockfile.Name {
			break
		}
		dir = filepath.Dir(filepath.Dir(path))
	}
	return ""
}

func sameFile(a, b string) bool {
	first, err1 := os.Stat(a)
	second, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(first, second)
}

// SkipLockfiles counts as not inspected the lockfiles of the targets' projects that a run without
// --lockfile does not use, because changes that they would reveal go unnoticed.
func (p *Plan) SkipLockfiles(c *Checks, targets []string) {
	used := cmp.Or(c.LockfileBeside(targets), lockfile.Name)
	for _, path := range c.OtherLockfiles(used, slices.Concat(targets, p.projects)) {
		if !p.reads(path) && p.elsewhere[path] == nil {
			p.skip(scanner.Origin{File: path, Line: 1, Column: 1}, "lockfile %s not used; to compare with it, run: mcpscan scan%s %s",
				path, LockfileFlag(path), text.ShellWord(text.Visible(filepath.Dir(path), 400)))
		}
	}
}
