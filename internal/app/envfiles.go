package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/scanner"
)

// maxEnvFile is the maximum size of an environment file.
const maxEnvFile = 1 << 20

// envFiles adds the environment files in the project that f's entries name: like the entries, they
// determine what runs. Other files belong to whoever starts the server, and are only counted.
func (p *Plan) envFiles(f *config.File) {
	if f.User {
		return
	}
	seen := map[string]bool{}
	for i := range f.Entries {
		e := &f.Entries[i]
		at := scanner.Origin{File: f.Path, Line: max(e.Pos.Line, 1), Column: max(e.Pos.Column, 1)}
		for _, name := range e.EnvFiles {
			inside := config.InProject(name)
			path := filepath.Join(projectOf(f), filepath.FromSlash(inside))
			if seen[path] {
				continue
			}
			seen[path] = true
			data, err := ReadTarget(path, maxEnvFile)
			switch {
			case inside == "", errors.Is(err, fs.ErrNotExist) && !isLink(path):
				p.ignore(at, "an environment file outside the project")
			case err == nil && !below(projectOf(f), path):
				p.skip(at, "server %s: environment file not checked: a symbolic link leads outside the project", e.Name)
			case err != nil:
				p.skip(at, "server %s: environment file not read: %v", e.Name, err)
			default:
				vars := config.ParseEnvFile(path, f.Client, data)
				vars.Project = f.Project
				p.Config(vars)
			}
		}
	}
}

// projectOf returns the project directory of a file: the one in which it was found, or the parent
// of the dot directories in which clients keep their files.
func projectOf(f *config.File) string {
	if f.Project != "" {
		return f.Project
	}
	dir := filepath.Dir(f.Path)
	for strings.HasPrefix(filepath.Base(dir), ".") && len(filepath.Base(dir)) > 2 {
		dir = filepath.Dir(dir)
	}
	return dir
}

// below reports whether path is below dir after resolving links.
func below(dir, path string) bool {
	root, err1 := filepath.EvalSymlinks(dir)
	real, err2 := filepath.EvalSymlinks(path)
	rel, err3 := filepath.Rel(root, real)
	return err1 == nil && err2 == nil && err3 == nil && filepath.IsLocal(rel)
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}
