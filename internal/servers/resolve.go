package servers

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/launch"
)

// machine is the environment in which commands are resolved to files.
type machine struct {
	getenv func(string) string
	disk   *Disk
	// image asks a container engine for an image's digest; nil if running programs is not allowed.
	image func(engine, name string) string
}

// Find returns what is known on this machine about an entry's command, and why parts of it are
// missing. It runs no program.
func (d *Disk) Find(e *configfile.Entry) (f configfile.Found, why string) {
	return machine{getenv: os.Getenv, disk: d}.find(e)
}

// afterStart returns a machine that also finds the packages that a server fetched when it started
// in the given environment.
func afterStart(ctx context.Context, environment []string, d *Disk) machine {
	m := machine{disk: d, getenv: func(name string) string {
		for _, variable := range slices.Backward(environment) {
			if value, ok := strings.CutPrefix(variable, name+"="); ok {
				return value
			}
		}
		return ""
	}}
	m.image = m.inspectImage(ctx, environment)
	return m
}

// find returns the machine's information about an entry's command, and why parts of it are missing.
// Launchers and interpreters have no digest, because they differ between machines; only what they
// start matters.
func (m machine) find(e *configfile.Entry) (f configfile.Found, why string) {
	if e.Command == "" {
		return f, ""
	}
	l := launch.Parse(e.Command, e.Args)
	file := ""
	switch l.Ecosystem {
	case launch.NPM:
		f.Resolved, f.Integrity = m.fetchedByNPX(&l, e.Cwd)
	case launch.PyPI:
		f.Resolved, f.Integrity = m.fetchedFromPyPI(&l)
	case launch.OCI:
		f.Resolved, f.Integrity = m.fetchedImage(&l, e.Command)
	case launch.Local:
		file = l.Name
	case launch.None:
		file = m.program(e, &l)
	}
	if file == "" {
		return f, ""
	}
	if e.Cwd != "" && !filepath.IsAbs(file) {
		file = filepath.Join(e.Cwd, file)
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		return f, ""
	}
	digest, why := m.disk.digest(abs)
	if digest != "" {
		f.Executable, f.Digest = portable(abs), digest
	}
	return f, why
}

// program returns the file whose content determines what an entry does: the script named in an
// argument or, without one, the command, unless that is a system program controlled by its
// arguments.
func (m machine) program(e *configfile.Entry, l *launch.Command) string {
	for _, a := range e.Args {
		if a == "" || a[0] == '-' {
			continue
		}
		path := a
		if e.Cwd != "" && !filepath.IsAbs(a) {
			path = filepath.Join(e.Cwd, a)
		}
		if _, err := regular(path); err == nil {
			return a
		}
	}
	if l.Launches() {
		return ""
	}
	return m.lookPath(e.Command)
}

// lookPath looks a command up in PATH in the same way as the code that starts the server.
func (m machine) lookPath(command string) string {
	if filepath.Base(command) != command {
		return command
	}
	for _, dir := range filepath.SplitList(m.getenv("PATH")) {
		if found, err := exec.LookPath(filepath.Join(dir, command)); err == nil && filepath.IsAbs(found) {
			return found
		}
	}
	return command
}

// CommandFiles returns the files that a command line may name: the program, and each argument or,
// after an equals sign, its value. They need not exist.
func CommandFiles(command string, args []string, dir string) (files []string) {
	if command == "" {
		return nil
	}
	in := func(path string) string {
		if dir == "" || filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(dir, path)
	}
	files = append(files, in(machine{getenv: os.Getenv}.lookPath(command)))
	for _, a := range args {
		files = append(files, in(a))
		if _, value, ok := strings.Cut(a, "="); ok {
			files = append(files, in(value))
		}
	}
	return files
}

// portable returns a relative path if the file is in the working directory, because lockfiles are
// read on other machines, and the absolute path otherwise.
func portable(abs string) string {
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, abs); err == nil && filepath.IsLocal(rel) {
			return "./" + filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(abs)
}
