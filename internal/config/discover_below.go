package config

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
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
type Missed struct {
	Path, Why string
	Separate  bool // another repository, which does not belong to the project
}

// DiscoverBelow returns the result of Discover, followed by the results for each directory in the
// project, ordered by path. It follows a link to a directory only if it would not search that directory
// anyway, and skips links that lead outside the project, because their targets are not part of the
// project.
func DiscoverBelow(d Dirs) (found []Location, missed []Missed) {
	w := &walker{dirs: d, root: d.Project, heads: heads(), seen: map[string]bool{}, linked: map[string]bool{}}
	if real, err := filepath.EvalSymlinks(d.Project); err == nil {
		w.root = real
	}
	w.take(Discover(d))
	if d.Project != "" {
		w.modules = submodules(filepath.Join(d.Project, ".gitmodules"))
	}
	if d.Project != "" && !within(d.Project, d.Home) {
		w.below(d.Project, 0)
	}
	return w.found, w.missed
}

// walker searches the directories in a project.
type walker struct {
	dirs    Dirs
	root    string          // the project directory with links resolved
	heads   []string        // first elements of the place patterns
	modules map[string]bool // paths of submodules, whose directories are empty until they are checked out; nil without .gitmodules
	linked  map[string]bool // directories that the links seen so far lead to
	visited int
	full    bool
	seen    map[string]bool
	found   []Location
	missed  []Missed
}

func (w *walker) miss(path, format string, args ...any) {
	w.missed = append(w.missed, Missed{Path: path, Why: fmt.Sprintf(format, args...)})
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

// below searches the directories inside dir, and dir itself unless it is the project directory.
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
		link := e.Type()&os.ModeSymlink != 0 && w.follow(filepath.Join(dir, e.Name()))
		switch {
		case !e.IsDir() && !link, skipped[e.Name()]:
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

// follow reports whether to follow a link: only if it leads to a directory of the project that is not
// searched otherwise, and that no earlier link leads to. A link to a directory outside the project is
// reported if that directory has configurations.
func (w *walker) follow(link string) bool {
	real, err := filepath.EvalSymlinks(link)
	if err != nil {
		return false // reported if it is at a place
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return false
	}
	if !within(w.root, real) {
		if found, _ := Discover(Dirs{GOOS: w.dirs.GOOS, Project: link}); len(found) > 0 {
			w.miss(link, "directory not searched for configurations: a symbolic link leads outside the directory; name it as a target")
		}
		return false
	}
	rel, err := filepath.Rel(w.root, real)
	left := err == nil && slices.ContainsFunc(strings.Split(rel, string(filepath.Separator)), func(name string) bool { return skipped[name] })
	first := !w.linked[real]
	w.linked[real] = true
	return left && first
}

// beginsPlace reports whether a directory entry's name matches the first element of a place within
// a project, on any system.
func (w *walker) beginsPlace(e os.DirEntry) bool {
	name := strings.ToLower(plainName(e.Name()))
	return slices.ContainsFunc(w.heads, func(head string) bool { return doublestar.MatchUnvalidated(head, name) })
}

// submodule reports a submodule that was not checked out: an empty directory that .gitmodules lists or
// that clients search for files.
func (w *walker) submodule(dir string, e os.DirEntry) {
	name := filepath.Join(dir, e.Name())
	rel, err := filepath.Rel(w.dirs.Project, name)
	if w.modules == nil || err != nil || !w.beginsPlace(e) && !w.modules[filepath.ToSlash(rel)] {
		return
	}
	switch inside, err := os.ReadDir(name); {
	case err != nil || len(inside) > 0:
	case w.beginsPlace(e):
		w.miss(name, "a directory that clients search for servers is an empty submodule; check it out before the scan")
	default:
		w.missed = append(w.missed, Missed{Path: name, Why: "a submodule that is not checked out", Separate: true})
	}
}

// submodules returns the paths of a project's submodules, or nil if there is no .gitmodules.
func submodules(name string) map[string]bool {
	info, err := os.Lstat(name) // Git does not read a link either
	if err != nil {
		return nil
	}
	paths := map[string]bool{}
	if !info.Mode().IsRegular() || info.Size() > maxModules {
		return paths
	}
	if data, err := os.ReadFile(name); err == nil {
		for _, m := range modulePath.FindAllSubmatch(data, -1) {
			paths[path.Clean(string(m[1]))] = true
		}
	}
	return paths
}

// maxModules is the maximum size of .gitmodules in bytes. A submodule takes about 100.
const maxModules = 1 << 20

// modulePath matches the path of a submodule in .gitmodules.
var modulePath = lazyregexp.New(`(?m)^\s*path\s*=\s*"?([^"\r\n]+?)"?\s*$`)

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
