package baseline

import (
	"path"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/launch"
)

// relative returns how an entry starts its server, with paths in the workspace relative to it, as other clients
// write them. If the server starts in another directory, only that directory is relative.
func relative(e *configfile.Entry) (command string, args []string, cwd string) {
	command, args, cwd = e.Command, e.Args, e.Cwd
	if !e.Workspace {
		return command, args, cwd
	}
	if inside, ok := inWorkspace(cwd); ok {
		if cwd = path.Clean(inside); cwd == "." {
			cwd = ""
		}
	}
	if cwd != "" && cwd != "." {
		return command, args, cwd
	}
	if inside, ok := inWorkspace(command); ok {
		command = inside
	}
	args = slices.Clone(args)
	for i, arg := range args {
		option, value, _ := strings.Cut(arg, "=")
		if inside, ok := inWorkspace(arg); ok {
			args[i] = inside
		} else if inside, ok := inWorkspace(value); ok {
			args[i] = option + "=" + inside
		}
	}
	return command, args, cwd
}

// inWorkspace returns a path in the workspace as a relative path that begins with a dot.
func inWorkspace(name string) (string, bool) {
	rest, ok := strings.CutPrefix(name, "${workspaceFolder}")
	return "." + rest, ok && (rest == "" || rest[0] == '/') && !strings.Contains(rest, "$")
}

// Plain returns a command with its arguments, without the ./ before a path that means the same without it: that of
// a program which is not looked up in PATH anyway, and that of the script which an interpreter loads.
func Plain(command string, args []string) (string, []string) {
	if rest, ok := strings.CutPrefix(command, "./"); ok && strings.Contains(rest, "/") {
		command = rest
	}
	if !slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "./") }) {
		return command, args
	}
	l := launch.Parse(command, args)
	s := l.Script()
	if l.Ecosystem != launch.Local || l.Arg < 0 || l.Arg >= len(args) || args[l.Arg] != s.Path || s.Module || s.Runtime == "bun" { // bun has scripts in package.json
		return command, args
	}
	rest, ok := strings.CutPrefix(s.Path, "./")
	if !ok || !strings.ContainsAny(rest, "./") || rest[0] == '-' { // can be a subcommand or an option
		return command, args
	}
	args = slices.Clone(args)
	args[l.Arg] = rest
	return command, args
}

// Plain returns a copy of the identity with a plain command.
func (id *Identity) Plain() *Identity {
	plain := *id
	plain.Command, plain.Args = Plain(id.Command, id.Args)
	if id.Package == id.Command {
		plain.Package = plain.Command
	}
	for i, arg := range id.Args {
		if arg == id.Package {
			plain.Package = plain.Args[i]
		}
	}
	return &plain
}
