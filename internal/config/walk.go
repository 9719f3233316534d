package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Limits for searching a directory tree.
const (
	maxDirectories = 10_000
	maxLevels      = 16
)

// skipped are the directories of Git's data and of third-party packages, which clients do not open
// as projects.
var skipped = map[string]bool{".git": true, "node_modules": true, "vendor": true}

// Missed is a directory that was not searched, or a file that was skipped, and why.
type Missed struct{ Path, Why string }

// DiscoverBelow returns the result of Discover, followed by the results for each directory in the
// project, ordered by path. It does not follow links to directories, and skips links to files
// outside the project, because those files are not part of it.
func DiscoverBelow(d Dirs) (found []Location, missed []Missed) {
	w := &walker{dirs: d, root: d.Project, heads: heads(), seen: map[string]bool{}}
	if real, err := filepath.EvalSymlinks(d.Project); err == nil {
		w.root = real
	}
	w.take(Discover(d))
	if _, err := os.Stat(filepath.Join(d.Project, ".gitmodules")); err == nil && d.Project != "" {
		w.modules = true
	}
	if d.Project != "" && !within(d.Project, d.Home) {
		w.below(d.Project, 0)
	}
	return w.found, w.missed
}

// walker searches the directories in a project.
type walker struct {
	dirs    Dirs
	root    string   // the project directory with links resolved
	heads   []string // first elements of the place patterns
	modules bool     // the project has submodules, whose directories are empty until they are checked out
	visited int
	full    bool
	seen    map[string]bool
	found   []Location
	missed  []Missed
}

func (w *walker) miss(path, format string, args ...any) {
	w.missed = append(w.missed, Missed{path, fmt.Sprintf(format, args...)})
}

// take adds the files found and the files that could not be read, each once.
func (w *walker) take(locations []Location, missed []Missed) {
	for _, m := range missed {
		if !slices.Contains(w.missed, m) { // two places can match the same path
			w.missed = append(w.missed, m)
		}
	}
	for _, l := range locations {
		key := filepath.Clean(l.Path)
		if w.seen[key] {
			continue
		}
		w.seen[key] = true
		if l.Scope == "project" && !w.inside(l.Path) {
			w.miss(l.Path, "configuration not read: a symbolic link leads outside the directory; name the file as a target")
			continue
		}
		w.found = append(w.found, l)
	}
}

// inside reports whether a file is in the project after links are resolved.
func (w *walker) inside(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	return err != nil || within(w.root, real) // errors are reported when the file is read
}

// below searches the directories inside dir.
func (w *walker) below(dir string, depth int) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		w.miss(dir, "directory not searched for configurations: %v", err)
		return
	}
	if depth > 0 && slices.ContainsFunc(entries, w.beginsPlace) {
		w.take(Discover(Dirs{GOOS: w.dirs.GOOS, Project: dir}))
	}
	for _, e := range entries {
		switch {
		case !e.IsDir() || skipped[e.Name()]:
		case depth == maxLevels:
			w.miss(dir, "directories in it were not searched for configurations: they are more than %d levels deep; name it as a target", maxLevels)
			return
		case w.visited == maxDirectories:
			if !w.full {
				w.full = true
				w.miss(w.dirs.Project, "not all directories were searched for configurations: there are more than %d; name the relevant ones as targets", maxDirectories)
			}
			return
		default:
			w.visited++
			w.below(filepath.Join(dir, e.Name()), depth+1)
			w.submodule(dir, e)
		}
	}
}

// beginsPlace reports whether a directory entry's name matches the first element of a place within
// a project, on any system.
func (w *walker) beginsPlace(e os.DirEntry) bool {
	name := strings.ToLower(plainName(e.Name()))
	return slices.ContainsFunc(w.heads, func(head string) bool { return doublestar.MatchUnvalidated(head, name) })
}

// submodule reports an empty directory that clients search for files: a submodule that was not
// checked out.
func (w *walker) submodule(dir string, e os.DirEntry) {
	if !w.modules || !w.beginsPlace(e) {
		return
	}
	path := filepath.Join(dir, e.Name())
	if inside, err := os.ReadDir(path); err == nil && len(inside) == 0 {
		w.miss(path, "a directory that clients search for servers is an empty submodule; check it out before the scan")
	}
}

// heads returns the first elements of the places within a project.
func heads() []string {
	var out []string
	for _, p := range ProjectPatterns() {
		head, _, _ := strings.Cut(strings.ToLower(p), "/")
		if !slices.Contains(out, head) {
			out = append(out, head)
		}
	}
	return out
}

// within reports whether path is dir or is inside it.
func within(dir, path string) bool {
	if path == "" {
		return false
	}
	for _, p := range [...]*string{&dir, &path} {
		if abs, err := filepath.Abs(*p); err == nil {
			*p = abs
		}
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
