package configfile

import (
	"path"
	"slices"
	"strings"
)

// RelativeCommand returns how the entry starts its server, with paths in the workspace relative to it, as other clients
// write them. If the server starts in another directory, only that directory is relative.
func (e *Entry) RelativeCommand() (command string, args []string, cwd string) {
	command, args, cwd = e.Command, e.Args, e.Cwd
	if !e.ExpandsWorkspace {
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
