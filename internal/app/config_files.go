package app

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/servers"
	"github.com/mcpscan/mcpscan/scanner"
)

// Dirs returns the directories to search for configurations: dir and, if user is set, the user's
// directories.
func Dirs(dir string, user bool) config.Dirs {
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

// ReadConfig reads and parses a client configuration as a run does.
func ReadConfig(path string, limit int64) (*config.File, error) {
	data, err := ReadTarget(path, limit)
	if err != nil {
		return nil, err
	}
	return parseConfig(path, data)
}

// parseConfig parses a client configuration. It replaces each entry written by mcpscan wrap with
// the server behind the proxy, provided that the entry's command is the running program.
func parseConfig(path string, data []byte) (*config.File, error) {
	file, err := config.Parse(path, data)
	if err != nil {
		return nil, err
	}
	file.SeeThrough(ThisProgram)
	if abs, err := filepath.Abs(path); err == nil {
		file.User = Dirs("", true).Belongs(abs)
	}
	servers.MarkWorkspace(file)
	return file, nil
}

// referenced adds the files in which a plugin keeps its servers and hooks, unless they were already
// added.
func (p *Plan) referenced(f *config.File) {
	for i := range f.References {
		ref := &f.References[i]
		if p.configs[filepath.Clean(ref.Path)] {
			continue
		}
		file, err := p.follow(f, ref)
		if err != nil {
			p.skip(scanner.Origin{File: f.Path, Line: max(ref.Pos.Line, 1), Column: max(ref.Pos.Column, 1)}, "the configuration: %s: %v", ref.Unread, err)
			continue
		}
		file.SeeThrough(ThisProgram)
		file.User, file.Project = f.User, cmp.Or(f.Project, StartDir(f))
		p.Config(file)
	}
}

// follow reads a file that a plugin's manifest names.
func (p *Plan) follow(f *config.File, ref *config.Reference) (*config.File, error) {
	data, err := p.read(ref.Path)
	if err != nil {
		return nil, err
	}
	if !below(ref.Root, ref.Path) {
		return nil, errors.New("a symbolic link leads outside the plugin")
	}
	return config.ParseFor(f.Client, ref.Path, data)
}

// ThisProgram reports whether a path refers to the running program. The name alone is not enough,
// because a repository can contain a program called mcpscan.
func ThisProgram(path string) bool {
	if !filepath.IsAbs(path) {
		return false
	}
	own, err := os.Executable()
	if err != nil {
		return false
	}
	return sameFile(own, path)
}

// ErrOverLimit is the error for a file that is too long to inspect.
var ErrOverLimit = errors.New("more bytes than the limit")

// ReadTarget reads a whole file. It rejects devices and pipes, because they may be endless and
// report no reliable size.
func ReadTarget(name string, limit int64) ([]byte, error) {
	info, err := os.Stat(name) // opening a pipe would wait for its writer
	if err != nil {
		return nil, fmt.Errorf("reading the target: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("reading the target: %s is not a regular file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("reading the target: %w", err)
	}
	defer f.Close()
	return readAtMost(f, name, info.Size(), limit)
}

// read reads a file of at most --max-message bytes.
func (p *Plan) read(name string) ([]byte, error) {
	data, err := ReadTarget(name, p.maxMessage)
	return data, nameMaxMessage(err)
}

// nameMaxMessage adds the flag for the limit to the error for a file that exceeds it.
func nameMaxMessage(err error) error {
	if errors.Is(err, ErrOverLimit) {
		return fmt.Errorf("%w (--max-message)", err)
	}
	return err
}

// readAtMost reads a target of at most limit bytes. size is its reported size, used to allocate
// the buffer once.
func readAtMost(r io.Reader, name string, size, limit int64) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(int(min(size, limit, 200<<20)) + bytes.MinRead)
	_, err := b.ReadFrom(io.LimitReader(r, min(limit, 1<<40)+1))
	data := b.Bytes()
	if err != nil {
		return nil, fmt.Errorf("reading the target: %w", err)
	}
	if int64(len(data)) > min(limit, 1<<40) {
		return nil, fmt.Errorf("%s has %w of %d", name, ErrOverLimit, limit)
	}
	return data, nil
}

// maxEnvFile is the maximum size, in bytes, of an environment file or of a launcher's settings file.
const maxEnvFile = 1 << 20

// envFile is an environment file that entries name.
type envFile struct {
	vars    *config.File // nil if the file was not read
	err     error
	ignored bool                 // Git ignores the file, so other machines do not have it
	hosts   []string             // hosts in its variables
	places  []configfile.Setting // variables that name files or directories of npm
}

// envFile reads an environment file in the project, only once even if several entries name it.
func (p *Plan) envFile(f *config.File, name string) *envFile {
	if p.envFiles[name] != nil {
		return p.envFiles[name]
	}
	file := &envFile{}
	p.envFiles[name] = file
	data, err := ReadTarget(name, maxEnvFile)
	if file.err = err; err != nil || !below(projectOf(f), name) {
		return file
	}
	file.vars = config.ParseEnvFile(name, f.Client, "", data)
	file.vars.Project = f.Project
	file.ignored = p.disk.Ignored(name)
	for _, s := range file.vars.Settings {
		file.hosts = append(file.hosts, baseline.HostsIn(s.Pointer, s.Text)...)
		if npmPlace.MatchString(s.Pointer) {
			file.places = append(file.places, s)
		}
	}
	return file
}

// envFilePath returns the path of an environment file, or "" if it is not in the project.
func envFilePath(f *config.File, name string) string {
	inside := config.InProject(name)
	if inside == "" {
		return ""
	}
	return filepath.Join(projectOf(f), filepath.FromSlash(inside))
}

// addEnvFiles adds the environment files in the project that f's entries name, because they determine
// what runs, as the entries do. Other files, including missing ones such as a .env that
// Git ignores, belong to the user who starts the server, and are only counted.
func (p *Plan) addEnvFiles(f *config.File) {
	if f.User {
		return
	}
	seen := map[string]bool{}
	for i := range f.Entries {
		e := &f.Entries[i]
		at := scanner.Origin{File: f.Path, Line: max(e.Pos.Line, 1), Column: max(e.Pos.Column, 1)}
		for _, name := range e.EnvFiles {
			path := envFilePath(f, name)
			if path != "" && seen[path] {
				continue
			}
			seen[path] = true
			if path == "" {
				p.ignore(at, "an environment file that is not in the project")
				continue
			}
			switch file := p.envFile(f, path); {
			case errors.Is(file.err, fs.ErrNotExist) && !isLink(path):
				p.ignore(at, "an environment file that is not in the project")
			case file.err != nil:
				p.skip(at, "server %s: environment file not read: %v", e.Name, file.err)
			case file.vars == nil:
				p.skip(at, "server %s: environment file not checked: a symbolic link leads outside the project", e.Name)
			default:
				p.Config(file.vars)
			}
		}
	}
}

// projectOf returns the project directory of a file: the one in which it was found or, if that is
// unknown, the nearest directory above the file that is not a dot directory such as .vscode.
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

// StartDir returns the directory in which clients start the servers of a configuration: that of its
// project. It returns "" if that is the working directory, or if the configuration belongs to no
// project.
func StartDir(f *config.File) string {
	if f.User {
		return ""
	}
	wd, err1 := filepath.Abs("")
	file, err2 := filepath.Abs(f.Path)
	if err1 != nil || err2 != nil {
		return ""
	}
	dir := config.ProjectOf(file)
	if f.Project != "" {
		dir, _ = filepath.Abs(f.Project) // does not fail if the previous calls did not
	}
	if dir == wd {
		return ""
	}
	return dir
}

// below reports whether path is inside dir after resolving links.
func below(dir, path string) bool {
	root, err1 := realPath(dir)
	real, err2 := realPath(path)
	if err1 != nil || err2 != nil {
		return false
	}
	rel, err := filepath.Rel(root, real)
	return err == nil && filepath.IsLocal(rel)
}

// realPath returns an absolute path without links.
func realPath(name string) (string, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}
