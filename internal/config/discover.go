package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Discover returns the configuration files that exist in the known locations, each once, in the
// order of the table of places, and the files and directories that could not be read. Parse returns
// ErrNotConfig for a found file with neither servers nor settings that rules use.
func Discover(d Dirs) (found []Location, missed []Missed) {
	f := &finder{listed: map[string][]listedName{}, missed: map[string]bool{}}
	seen := map[string]bool{}
	for _, p := range places() {
		if p.systems != "" && !slices.Contains(strings.Fields(p.systems), d.GOOS) {
			continue
		}
		for _, name := range f.find(d, p) {
			if !seen[name] {
				seen[name] = true
				l := Location{Path: name, Client: p.client, Scope: p.scope()}
				if p.base == inProject {
					l.Project = d.Project
				}
				found = append(found, l)
			}
		}
	}
	return found, f.misses
}

// finder looks for the files at places. It lists each directory only once.
type finder struct {
	listed map[string][]listedName
	missed map[string]bool
	misses []Missed

	foreign bool // the place is in a project, which may be opened on another operating system
	found   []string
}

// listedName is the name of a directory entry, as listed and as seen by systems that ignore some
// characters.
type listedName struct{ name, plain string }

// find returns the files at a place.
func (f *finder) find(d Dirs, p place) []string {
	root := d.directory(p.base)
	if root == "" {
		return nil
	}
	f.foreign, f.found = p.base == inProject, nil
	if p.pattern == "" {
		f.file(root)
	} else {
		f.below(root, strings.Split(p.pattern, "/"), 0)
	}
	return f.found
}

func (f *finder) miss(path, format string, args ...any) {
	if !f.missed[path] {
		f.missed[path] = true
		f.misses = append(f.misses, Missed{Path: path, Why: fmt.Sprintf(format, args...)})
	}
}

// below matches the elements of a pattern, starting in a directory.
func (f *finder) below(dir string, pattern []string, depth int) {
	part, rest := pattern[0], pattern[1:]
	if part == "**" {
		f.below(dir, rest, depth)
	}
	for _, e := range f.list(dir) {
		path := filepath.Join(dir, e.name)
		switch {
		case part == "**": // links are not followed, to avoid loops
			if info, err := os.Lstat(path); err == nil && info.IsDir() && depth < maxLevels {
				f.below(path, pattern, depth+1)
			}
		case !f.matches(part, e.name) && f.foreign && f.matches(part, e.plain):
			f.miss(path, "configuration not read: some systems treat the name %s as %s, which clients read; rename the file, or name it as a target", Quoted(e.name), Quoted(e.plain))
		case !f.matches(part, e.name):
		case len(rest) == 0:
			f.file(path)
		default:
			f.directory(path, rest, depth)
		}
	}
}

// matches compares a name with an element of a pattern. In a project it ignores case, because the
// project may be used on another operating system.
func (f *finder) matches(part, name string) bool {
	if f.foreign {
		part, name = strings.ToLower(part), strings.ToLower(name)
	}
	return part == name || strings.ContainsAny(part, "*{") && doublestar.MatchUnvalidated(part, name)
}

// directory descends into a directory, even through a link.
func (f *finder) directory(path string, rest []string, depth int) {
	info, err := os.Stat(path)
	if err != nil {
		f.dangling(path, err)
	} else if info.IsDir() {
		f.below(path, rest, depth)
	}
}

// file adds a regular file.
func (f *finder) file(path string) {
	switch info, err := os.Stat(path); {
	case err != nil:
		f.dangling(path, err)
	case info.Mode().IsRegular():
		f.found = append(f.found, path)
	case !info.IsDir():
		f.miss(path, "configuration not read: not a regular file")
	}
}

// dangling reports a path at a known location that cannot be read, such as a broken link. If a
// package creates the link's target later, the client reads a file that was never checked.
func (f *finder) dangling(path string, err error) {
	if to, failed := os.Readlink(path); failed == nil {
		f.miss(path, "configuration not read: it is a symbolic link to %s, which cannot be read here; replace the link with the file itself", Quoted(to))
		return
	}
	f.miss(path, "configuration not read: %v", err)
}

// list returns the names in a directory, sorted.
func (f *finder) list(dir string) []listedName {
	if names, ok := f.listed[dir]; ok {
		return names
	}
	read, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.miss(dir, "directory not searched for configurations: %v", err)
	}
	var out []listedName
	for _, e := range read {
		out = append(out, listedName{e.Name(), plainName(e.Name())})
	}
	f.listed[dir] = out
	return out
}

// plainName returns a name as systems that ignore some characters see it: HFS+ on macOS ignores
// invisible characters, and Windows ignores trailing spaces and dots. On Windows, a backslash is also a
// separator.
func plainName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2060 && r <= 0x206f || r == 0xfeff {
			return -1
		}
		return r
	}, name)
	name, _, _ = strings.Cut(name, `\`)
	if plain := strings.TrimRight(name, " ."); plain != "" {
		return plain
	}
	return name
}
