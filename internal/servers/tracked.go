package servers

import (
	"bytes"
	"encoding/binary"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// repository is a Git working tree with the paths that its index contains. These came with the project;
// other files were created on this machine.
type repository struct {
	root    string
	git     string                  // the Git directory, which contains the index
	paths   []string                // with slashes, relative to root, sorted
	unread  bool                    // the index cannot be read
	modules map[string]*nodeModules // by path

	folded     map[string]bool       // set of the paths in lower case; nil until needed
	ignoreDirs map[string]*ignoreDir // by path
}

// below returns the first tracked path that, relative to dir, begins with the given name, or "" if there
// is none.
func (r *repository) below(dir, begin string) string {
	name := path.Join(dir, begin)
	if at, _ := slices.BinarySearch(r.paths, name); at < len(r.paths) && strings.HasPrefix(r.paths[at], name) {
		return r.paths[at]
	}
	return ""
}

// path returns the path of a file in the repository, or false if it is outside.
func (r *repository) path(name string) (string, bool) {
	abs, err1 := filepath.Abs(name)
	rel, err2 := filepath.Rel(r.root, abs)
	return filepath.ToSlash(rel), err1 == nil && err2 == nil && filepath.IsLocal(rel)
}

// Repository returns the root of the Git working tree that contains a directory, or "" if there is none.
func (d *Disk) Repository(dir string) string {
	if r := d.repository(dir); r != nil {
		return r.root
	}
	return ""
}

// repository returns the repository that contains a directory, or nil if there is none.
func (d *Disk) repository(dir string) *repository {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil
	}
	for {
		if r := d.repositories[dir]; r != nil {
			return r
		}
		git := filepath.Join(dir, ".git")
		if link := d.manifest(git); link != nil { // of a worktree or submodule
			git = strings.TrimSpace(strings.TrimPrefix(string(link), "gitdir:"))
			if !filepath.IsAbs(git) {
				git = filepath.Join(dir, git)
			}
		}
		if _, err := os.Stat(filepath.Join(git, "index")); err == nil {
			index := d.manifest(filepath.Join(git, "index"))
			r := &repository{root: dir, git: git, paths: indexed(index), unread: index == nil, ignoreDirs: map[string]*ignoreDir{}}
			r.modules = d.nodeModules(r)
			d.repositories[dir] = r
			return r
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil
		}
		dir = parent
	}
}

// indexed returns the paths in a Git index, whose format is described in gitformat-index(5).
func indexed(data []byte) (paths []string) {
	const header, fixed, sizes = 12, 62, 60
	if len(data) < header || string(data[:4]) != "DIRC" {
		return nil
	}
	version, left := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	before := ""
	for rest := data[header:]; left > 0 && len(rest) > fixed; left-- {
		at := fixed
		if rest[sizes]&0x40 != 0 { // extended flags
			at += 2
		}
		if version == 4 { // a path omits the beginning that it shares with the previous one
			drop := 0
			for more := true; more && at < len(rest); at++ {
				if drop > 0 {
					drop++
				}
				if drop, more = drop<<7|int(rest[at]&0x7f), rest[at]&0x80 != 0; drop > len(data) { // not an index written by Git
					return paths
				}
			}
			before = before[:max(len(before)-drop, 0)]
		} else {
			before = ""
		}
		end := bytes.IndexByte(rest[min(at, len(rest)):], 0)
		if end < 0 {
			return paths
		}
		before += string(rest[at : at+end])
		paths = append(paths, before)
		size := at + end + 1
		if version < 4 {
			size = (at + end + 8) &^ 7
		}
		rest = rest[min(size, len(rest)):]
	}
	return paths
}
