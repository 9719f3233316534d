package scanner

import (
	"path"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// Ecosystem is a package ecosystem.
type Ecosystem string

// The ecosystems. Local is a file that is there already; None is a program of
// the machine, a module of its interpreter, or nothing that could be told.
const (
	None  Ecosystem = ""
	NPM   Ecosystem = "npm"
	PyPI  Ecosystem = "pypi"
	OCI   Ecosystem = "oci"
	Go    Ecosystem = "go"
	NuGet Ecosystem = "nuget"
	Cargo Ecosystem = "cargo"
	JSR   Ecosystem = "jsr"
	Git   Ecosystem = "git"
	URL   Ecosystem = "url"
	Local Ecosystem = "path"
)

// Fetched reports whether the ecosystem is one that code comes from over a network.
func (e Ecosystem) Fetched() bool { return e != None && e != Local }

// InCommand is Launched.Arg where the package is in the command itself.
const InCommand = -1

// Package is something that a command starts or installs.
type Package struct {
	Ecosystem Ecosystem
	// Name is the package, image, module, address or path as its ecosystem knows it.
	Name string
	// Version is the version as written: a version, range, tag or branch; "" for none.
	Version string
	// Exact says that Version names one version. The tag of an image or of a
	// repository can still be moved.
	Exact bool
	// Digest is the digest or the commit that is asked for; "" for none.
	Digest string
	// Arg is the argument that names it.
	Arg int
}

// Launched is what a command starts.
type Launched struct {
	Package
	// With are additional packages that the command installs.
	With []Package
	// Program is the program without path and suffix, after wrappers such as env and cmd /c:
	// npx, docker, sh.
	Program string
	// Words are the arguments of Program, and First is the place of the first of
	// them in the arguments of the command. Where a shell cuts a text into words,
	// First is InText and the words are in the argument Text.
	Words []string
	First int
	Text  int

	// Code is the index of the argument with code for Interpreter, NoCode for none. A program
	// that shell code starts is included too.
	Code        int
	Interpreter string

	written string // the program as it is written
}

// InText is Launched.First where the words of a program are in one argument.
const InText = -2

// NoCode is Launched.Code where no argument is code.
const NoCode = -2

// ArgOf is the argument of the command that contains word i of the program.
func (l *Launched) ArgOf(i int) int {
	if l.First == InText {
		return l.Text
	}
	return l.First + i
}

// maxWrappers bounds how many programs that start others are seen through.
const maxWrappers = 6

// Launch returns what a command starts. It parses the options of the launchers that
// configurations use, and never fails: for unknown commands it returns None.
func Launch(command string, args []string) Launched {
	l := Launched{Program: program(command), Words: args, Code: NoCode, written: command}
	l.Arg = InCommand
	if words := commandLine(command, l.Program); len(words) > 1 {
		l.run(words[0], append(words[1:], args...))
		l.First, l.Text = InText, InCommand
	}
	for range maxWrappers {
		if !l.unwrap() {
			break
		}
	}
	if at := CodeWord(l.Program, l.Words); at >= 0 {
		l.runs(at)
	}
	l.fetch()
	return l
}

// program is the name of a program without its path and the suffixes of Windows.
func program(command string) string {
	name := strings.ToLower(strings.ReplaceAll(command, `\`, "/"))
	name = path.Base(strings.TrimRight(name, "/"))
	for _, suffix := range [...]string{".exe", ".cmd", ".bat", ".ps1"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return name
}

// commandLine cuts a command that has its arguments in it, as some files have it.
// A path may have spaces of its own.
func commandLine(command, name string) []string {
	if !strings.ContainsAny(command, " \t") || known(name) {
		return nil
	}
	words := shellWords(command)
	if len(words) == 0 || !known(program(words[0])) {
		return nil
	}
	return words
}

// known reports whether a program is a launcher, a wrapper, or an interpreter.
func known(name string) bool {
	_, launches := launchers[name]
	_, wraps := wrappers[name]
	return launches || wraps || interpreter.MatchString(name)
}

// Launches reports whether the program is one that starts what its arguments say, and
// is the same on no two machines.
func (l *Launched) Launches() bool { return known(l.Program) }

// interpreter starts a file, or a module that is installed.
var interpreter = lazyregexp.New(`^(?:(?:python|pypy)[0-9.]*w?|py|node|nodejs|tsx|ts-node|ts-node-esm|ruby|perl|php|java|rscript|julia|lua|swift|(?:ba|z|da|k|fi)?sh|cmd|powershell|pwsh|osascript)$`)

// unwrap goes on to the program that a wrapper starts, and reports whether there is one.
func (l *Launched) unwrap() bool {
	if shell(l.Program) {
		return l.unwrapShell()
	}
	w, ok := wrappers[l.Program]
	if !ok {
		return false
	}
	if l.Program == "env" && l.split() {
		return true
	}
	i := w.skip(l.Words)
	if i < 0 || i >= len(l.Words) {
		return false
	}
	l.skip(i)
	return true
}

// split goes on to the program of env -S, which cuts a text into words.
func (l *Launched) split() bool {
	for i, w := range l.Words {
		text, ok := strings.CutPrefix(w, "--split-string=")
		at := i
		switch {
		case ok:
		case (w == "-S" || w == "--split-string" || w == "-iS") && i+1 < len(l.Words):
			text, at = l.Words[i+1], i+1
		case strings.HasPrefix(w, "-S"):
			text = w[2:]
		case strings.HasPrefix(w, "-"), assignment.MatchString(w):
			continue
		default:
			return false
		}
		words := shellWords(text)
		for len(words) > 0 && assignment.MatchString(words[0]) {
			words = words[1:]
		}
		if len(words) == 0 {
			return false
		}
		l.Arg = l.ArgOf(at)
		rest := l.Words[at+1:]
		l.Text, l.First = l.Arg, InText
		l.run(words[0], append(words[1:], rest...))
		return true
	}
	return false
}

// run makes a program with its words the one that is started.
func (l *Launched) run(name string, words []string) {
	l.Program, l.written, l.Words = program(name), name, words
}

// skip makes word i the program that is started.
func (l *Launched) skip(i int) {
	l.Arg = l.ArgOf(i)
	if l.First != InText {
		l.First += i + 1
	}
	l.run(l.Words[i], l.Words[i+1:])
}

// fetch reads what the launcher starts.
func (l *Launched) fetch() {
	launcher, ok := launchers[l.Program]
	switch {
	case ok:
		launcher(l)
	case shell(l.Program):
	case interpreter.MatchString(l.Program):
		interpreted(l)
	default:
		l.Name = l.written
		if strings.ContainsAny(l.Name, `/\`) {
			l.Ecosystem = Local
		}
	}
}

// interpreted reads what an interpreter runs: a file, or a module.
func interpreted(l *Launched) {
	for i, w := range l.Words {
		switch {
		case w == "-m" && i+1 < len(l.Words) && strings.HasPrefix(l.Program, "py"), w == "-jar" && i+1 < len(l.Words) && l.Program == "java":
			l.Name, l.Arg = l.Words[i+1], l.ArgOf(i+1)
			if w == "-jar" {
				l.Ecosystem = Local
			}
			return
		case slices.Contains(codeOptions(l.Program), w):
			return
		case !strings.HasPrefix(w, "-") && l.Program != "java":
			if i > 0 && slices.Contains([]string{"-r", "--require", "--import", "--loader", "--env-file", "-W", "-X", "-I"}, l.Words[i-1]) {
				continue
			}
			if l.Ecosystem, l.Name, l.Arg = Local, w, l.ArgOf(i); w == "run" || w == "watch" {
				continue // tsx watch FILE
			}
			return
		}
	}
}
