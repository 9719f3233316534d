// Package launch parses command lines as launchers do. It determines which package npx, uvx,
// docker, shells and wrappers around them start, with its ecosystem and version.
package launch

import (
	"path"
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// Ecosystem tells where a package comes from: a registry, a repository, an address, or this machine.
type Ecosystem string

// The ecosystems. Local is a file or directory on this machine; None is an installed program, an
// installed module, or something unknown.
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

// Fetched reports whether packages of the ecosystem are fetched over a network.
func (e Ecosystem) Fetched() bool { return e != None && e != Local }

// InCommand is the value of Package.Arg if the command itself contains the package.
const InCommand = -1

// Package is a package that a command starts or installs.
type Package struct {
	Ecosystem Ecosystem
	// Name is the package, image, module, address or path, in the ecosystem's notation.
	Name string
	// Version is the version, range, tag or branch as written; "" for none.
	Version string
	// Exact is set if Version is a single version, or if an image has a Digest. The tag of an image or
	// repository can still be moved.
	Exact bool
	// Digest is the requested digest or commit; "" for none.
	Digest string
	// Arg is the index of the argument that contains the package, or InCommand.
	Arg int
}

// Command describes what a command starts.
type Command struct {
	Package
	// With lists additional packages that the command installs.
	With []Package
	// Installs means that the command only installs the packages, for other commands to start.
	Installs bool
	// Behind lists the commands that Program appears to start in turn, such as a server behind a
	// bridge or all commands of a shell. Their own Behind is empty.
	Behind []Command
	// Program is the program without path and suffix, after wrappers such as env and cmd /c: npx,
	// docker, sh.
	Program string
	// Words are the arguments of Program, and First is the index of the first one among the
	// arguments of the command. If a shell splits a string into words, First is InText and the
	// words are in the argument Text and those after it.
	Words []string
	First int
	Text  int

	// Dir is the directory to which an option or cd changes before the program starts, relative to the
	// directory of the command; "" for none.
	Dir string

	// Wrappers are the programs, such as env and mise, that start Program.
	Wrappers []string

	// Options are the words of a launcher before the package or the command that it starts.
	Options []string

	// Code is the index of the argument with code for Interpreter, or NoCode; CodeText is the code.
	// They are set even if Program was found in shell code.
	Code        int
	CodeText    string
	Interpreter string

	// Env lists the variables set by words before the program, or by options of a container or of
	// mcp-proxy.
	Env []Assignment

	// TextWords are set for a command of Behind that is part of an argument: the assignments before it
	// and all of its words. They are nil for other commands, whose words are arguments.
	TextWords []string
	// Contained is set for a command in Behind if it runs in a container started by another command.
	Contained bool
	// Root is the index of the argument that names sudo or a similar program, InCommand, or NoCode.
	Root int

	written string // the program as written
	entry   string // the program that docker run --entrypoint starts in the container
	inText  int    // how many Words are in Text if First is InText; negative if Program is not in Text
}

// Assignment is a word that sets a variable, and the index of the argument that contains it.
type Assignment struct {
	Name, Value string
	Arg         int
}

// InText is the value of Command.First if the argument Command.Text was split into words.
const InText = -2

// NoCode is the value of Command.Code when none of the arguments is code, and of Command.Root when
// none names sudo or a similar program.
const NoCode = -2

// ArgOf returns the index of the command's argument that contains word i of the program.
func (l *Command) ArgOf(i int) int {
	switch {
	case l.First != InText:
		return l.First + i
	case i < l.inText:
		return l.Text
	}
	return l.Text + 1 + i - l.inText
}

// maxWrappers is the maximum number of nested wrappers to unwrap.
const maxWrappers = 6

// Parse returns what a command starts. It parses the options of the launchers that configurations
// use, and never fails: for a program that it does not know, Name is that program.
func Parse(command string, args []string) Command { return parse(command, args, 0) }

func parse(command string, args []string, depth int) Command {
	l := Command{Program: program(command), Words: args, Code: NoCode, Root: NoCode, written: command}
	l.Arg = InCommand
	if words := commandLine(command, l.Program); len(words) > 1 {
		l.run(words[0], append(words[1:], args...))
		l.First, l.Text, l.inText = InText, InCommand, len(words)-1
	}
	for range maxWrappers {
		if !l.unwrap() {
			break
		}
	}
	if at, _ := codeWord(l.Program, l.Words); at >= 0 {
		l.runs(l.Program, at)
	}
	l.fetch()
	before := l.First
	if before == InText {
		before = l.Text
	}
	for i := range max(before, 0) {
		l.assign(args[i], i)
	}
	l.enter(depth)
	l.bridge()
	l.search(command, args, depth)
	return l
}

// assign records a word if it sets a variable.
func (l *Command) assign(word string, arg int) {
	if name, value, ok := strings.Cut(word, "="); ok && !strings.HasPrefix(name, "-") {
		l.Env = append(l.Env, Assignment{name, value, arg})
	}
}

// program returns the name of a program in lower case, without its path and Windows suffixes. For a
// name of pip with a version of Python, such as pip3.12, it returns pip.
func program(command string) string {
	name := strings.ToLower(strings.ReplaceAll(command, `\`, "/"))
	name = path.Base(strings.TrimRight(name, "/"))
	for _, suffix := range [...]string{".exe", ".cmd", ".bat", ".ps1"} {
		name = strings.TrimSuffix(name, suffix)
	}
	if version, ok := strings.CutPrefix(name, "pip"); ok && strings.Trim(version, "0123456789.") == "" {
		return "pip"
	}
	return name
}

// commandLine splits a command that includes its arguments, as in some configurations. A space may
// instead be part of a path.
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

// known reports whether a program is a launcher, a wrapper, an interpreter, or a Windows program
// that runs code from an address.
func known(name string) bool {
	_, launches := launchers[name]
	_, wraps := wrappers[name]
	return launches || wraps || scriptHosts[name] != nil || interpreter.MatchString(name)
}

// Launches reports whether the program is a launcher, a wrapper, an interpreter or a Windows program
// that runs code from an address. Its arguments determine what runs, and its own file differs between
// machines.
func (l *Command) Launches() bool { return known(l.Program) }

// interpreter detects programs that run a file or an installed module.
var interpreter = lazyregexp.New(`^(?:(?:python|pypy)[0-9.]*w?|py|node|nodejs|tsx|ts-node|ts-node-esm|ruby|perl|php|java|rscript|julia|lua|swift|(?:ba|z|da|a|k|fi)?sh|cmd|powershell|pwsh|osascript)$`)

// unwrap continues with the program that a wrapper starts, and reports whether there is one.
func (l *Command) unwrap() bool {
	if l.Root == NoCode && has(elevating, l.Program) {
		l.Root = l.Arg
	}
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
	change := func(option, value string, _ int) {
		if has(w.dir, option) {
			l.chdir(value)
		}
	}
	w.read(l.Words[:i], change)
	if w.verbs != "" {
		w.read(l.Words[w.verb(l.Words, w.verbs):i], change)
	}
	if w.tool != nil {
		for k := w.verb(l.Words, w.verbs); k < i-1; k++ {
			if p := w.tool(l.Words[k]); p.Ecosystem != None {
				p.Arg = l.ArgOf(k)
				l.With = append(l.With, p)
			}
		}
	}
	l.Wrappers = append(l.Wrappers, l.Program)
	l.skip(i)
	return true
}

// split continues with the program of env -S, which splits a string into words.
func (l *Command) split() bool {
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
		l.Text, l.First, l.inText = l.Arg, InText, len(words)-1
		l.run(words[0], append(words[1:], rest...))
		return true
	}
	return false
}

// elevating are the programs that start a program with another user's permissions.
const elevating = " sudo doas pkexec gsudo "

// run sets the program to start and its arguments.
func (l *Command) run(name string, words []string) {
	l.Program, l.written, l.Words = program(name), name, words
}

// skip makes word i the program to be started.
func (l *Command) skip(i int) {
	l.Arg = l.ArgOf(i)
	if l.First != InText {
		l.First += i + 1
	}
	l.inText -= i + 1
	l.run(l.Words[i], l.Words[i+1:])
}

// fetch determines what a launcher or interpreter starts.
func (l *Command) fetch() {
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

// interpreted determines what an interpreter runs: a file or a module.
func interpreted(l *Command) {
	if at, _ := codeWord(l.Program, l.Words); at >= 0 {
		return
	}
	values := codeSyntaxOf(l.Program).values
	for i, w := range l.Words {
		switch {
		case w == "-m" && i+1 < len(l.Words) && strings.HasPrefix(l.Program, "py") && launchers[l.Words[i+1]] != nil:
			l.skip(i + 1) // python -m pip
			l.fetch()
			return
		case w == "-m" && i+1 < len(l.Words) && strings.HasPrefix(l.Program, "py"), w == "-jar" && i+1 < len(l.Words) && l.Program == "java":
			l.Name, l.Arg = l.Words[i+1], l.ArgOf(i+1)
			if w == "-jar" {
				l.Ecosystem = Local
			}
			return
		case !strings.HasPrefix(w, "-") && l.Program != "java":
			if i > 0 && has(values, l.Words[i-1]) {
				continue
			}
			if l.Ecosystem, l.Name, l.Arg = Local, w, l.ArgOf(i); w == "run" || w == "watch" {
				continue // tsx watch FILE
			}
			return
		}
	}
}
