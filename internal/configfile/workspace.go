package configfile

import (
	"path"
	"slices"
	"strings"
)

// RelativeCommand returns the entry's command, arguments and working directory with paths in the
// workspace made relative to it, as clients without ${workspaceFolder} write them. If the server starts
// in another directory, only the working directory changes, because the paths are relative to that
// directory.
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

// inWorkspace returns a path that begins with ${workspaceFolder} as a relative path that begins with a
// dot. ok is false for any other path.
func inWorkspace(name string) (string, bool) {
	rest, ok := strings.CutPrefix(name, "${workspaceFolder}")
	return "." + rest, ok && (rest == "" || rest[0] == '/') && !strings.Contains(rest, "$")
}
