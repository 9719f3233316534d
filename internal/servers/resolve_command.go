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
	getenv  func(string) string
	disk    *Disk
	project string // directory of the project whose configuration contains the entry; "" for none
	// image asks a container engine for an image's digest; nil if running programs is not allowed.
	image func(engine, name string) string
}

// Find returns what is known on this machine about the command of an entry in a project's
// configuration, and why parts of it are missing. project is "" for an entry that belongs to no
// project. Find runs no program.
func (d *Disk) Find(e *configfile.Entry, project string) (f configfile.Found, why string) {
	return machine{getenv: os.Getenv, disk: d, project: project}.find(e)
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
	dir, err := filepath.Abs(Directory(Directory(m.project, e.Cwd), filepath.FromSlash(l.Dir)))
	if err != nil {
		return f, ""
	}
	file := ""
	if f.Instead = e.Found.Instead; f.Instead != "" {
		e, l.Ecosystem, l.Name, dir = &configfile.Entry{}, launch.Local, f.Instead, Directory(m.project, "")
	}
	switch l.Ecosystem {
	case launch.NPM:
		f.Resolved, f.Integrity = m.fetchedByNPX(&l, Directory(m.project, e.Cwd))
	case launch.PyPI:
		f.Resolved, f.Integrity = m.fetchedFromPyPI(&l)
	case launch.OCI:
		f.Resolved, f.Integrity = m.fetchedImage(&l, e.Command)
	case launch.Local:
		file = l.Name
	case launch.None:
		file = m.program(e, &l, dir)
	}
	s := l.Script()
	if script := m.script(s, dir); script != "" {
		file = script
	} else if installed := m.installedModule(s, dir); installed != "" {
		_, f.Resolved = distribution(installed)
		f.Integrity = m.wheelDigest(installed)
	}
	if file != "" {
		why = m.executable(&f, filepath.Clean(Directory(dir, file)))
	}
	return f, why
}

// executable adds what is known about a command's executable, and returns why its digest is missing.
func (m machine) executable(f *configfile.Found, file string) (why string) {
	if installed := m.consoleScript(file); installed != "" {
		name, version := distribution(installed)
		f.Resolved, f.Integrity = version, m.wheelDigest(installed)
		f.Executable, f.Digest = portable(file, m.project), nameDigest(name)
		return ""
	}
	sum, why := m.disk.digest(file)
	if sum.raw != "" {
		f.Executable = portable(file, m.project)
		f.Digest, f.DigestLF, f.DigestCRLF = sum.raw, sum.lf, sum.crlf
	}
	return why
}

// Directory resolves a path in an entry against dir or, if dir is "", against the working directory.
func Directory(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// program returns the file whose content determines what an entry does: the code named in an
// argument or, without it, the program, unless that is a system program controlled by its
// arguments.
func (m machine) program(e *configfile.Entry, l *launch.Command, dir string) string {
	for _, a := range e.Args {
		if a != "" && a[0] != '-' && isCode(Directory(dir, a)) {
			return a
		}
	}
	if l.Launches() {
		return ""
	}
	return m.lookPath(l.Name)
}

// lookPath looks a command up in PATH as the code that starts the server does.
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

// CommandFiles returns the files that a command line may name: the program, each argument, and the part
// of an argument after an equals sign. They need not exist.
func CommandFiles(command string, args []string, dir string) (files []string) {
	if command == "" {
		return nil
	}
	files = append(files, Directory(dir, machine{getenv: os.Getenv}.lookPath(command)))
	for _, a := range args {
		files = append(files, Directory(dir, a))
		if _, value, ok := strings.Cut(a, "="); ok {
			files = append(files, Directory(dir, value))
		}
	}
	return files
}

// portable returns a path relative to the project, or to the working directory if there is none, because
// lockfiles are read on other machines. It returns the absolute path of a file outside that directory.
func portable(abs, project string) string {
	if dir, err := filepath.Abs(project); err == nil {
		if rel, err := filepath.Rel(dir, abs); err == nil && filepath.IsLocal(rel) {
			return "./" + filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(abs)
}
