package launch

import (
	"path"
	"slices"
	"strings"
)

// Script is local code that a runtime such as node or python3 loads.
type Script struct {
	Runtime string
	Path    string // a file or directory as written, or the name of a Python module
	Module  bool   // Path is the name of a Python module
	// Isolated means that an option removes the working directory from the search path of the module.
	Isolated bool
	Program  string // the runtime of a module as written; "" behind a launcher
}

// Script returns the local code that the command starts through a runtime, also behind a launcher, as in
// uv run or npx tsx. The path is empty if there is none.
func (l *Command) Script() Script {
	switch {
	case l.Program == "bun" && l.Ecosystem == Local:
		return Script{Runtime: l.Program, Path: l.Name}
	case has(" npx npm pnpx pnpm yarn bunx bun uvx uv pipx ", l.Program):
		if at := len(l.Options); l.Options != nil && at < len(l.Words) {
			if l.Program == "uv" && (slices.Contains(l.Options, "-m") || slices.Contains(l.Options, "--module")) {
				return Script{Runtime: "python", Path: l.Words[at], Module: true}
			}
			return script(l.Words[at], l.Words[at+1:])
		}
	case !interpreter.MatchString(l.Program):
		return script(l.Program, l.Words)
	case l.Ecosystem == Local:
		return Script{Runtime: l.Program, Path: l.Name}
	case strings.HasPrefix(l.Program, "py"):
		return l.module()
	}
	return Script{}
}

// script returns the local code that a program starts, which may be behind a launcher.
func script(command string, words []string) Script {
	name, _, _ := strings.Cut(command, "@")
	name, _, _ = strings.Cut(name, "==")
	switch name = program(name); {
	case strings.HasSuffix(name, ".py"): // uv run FILE
		return Script{Runtime: "python", Path: command}
	case name == "mcp" || name == "fastmcp": // mcp run FILE or FILE:OBJECT
		verb := ""
		for _, w := range words {
			file, _, _ := strings.Cut(w, ".py:")
			switch {
			case verb == "" && !strings.HasPrefix(w, "-"):
				verb = w
			case !has(" run dev ", verb):
			case file != w:
				return Script{Runtime: "python", Path: file + ".py"}
			case strings.HasSuffix(w, ".py"):
				return Script{Runtime: "python", Path: w}
			}
		}
	case interpreter.MatchString(name) && !shell(name):
		c := Parse(name, words)
		return c.Script()
	}
	return Script{}
}

// module returns the module of python -m.
func (l *Command) module() Script {
	at := slices.Index(l.Words, "-m")
	if at < 0 || at+1 >= len(l.Words) || l.Words[at+1] != l.Name {
		return Script{}
	}
	isolated := slices.ContainsFunc(l.Words[:at], func(w string) bool { return w == "-I" || w == "-P" })
	return Script{Runtime: l.Program, Path: l.Name, Module: true, Isolated: isolated, Program: l.written}
}

// chdir records that the program starts in another directory.
func (l *Command) chdir(dir string) {
	dir = strings.ReplaceAll(dir, `\`, "/")
	if path.IsAbs(dir) || drive.MatchString(dir) || l.Dir == "" {
		l.Dir = dir
	} else if dir != "" {
		l.Dir = path.Join(l.Dir, dir)
	}
}
