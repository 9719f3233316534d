package launch

import (
	"slices"
	"strings"
)

// Canonical returns a command with its arguments, without the ./ before a path that means the same without it: that of
// a program which is not looked up in PATH anyway, and that of the script which an interpreter loads.
func Canonical(command string, args []string) (string, []string) {
	if rest, ok := strings.CutPrefix(command, "./"); ok && strings.Contains(rest, "/") {
		command = rest
	}
	if !slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "./") }) {
		return command, args
	}
	l := Parse(command, args)
	s := l.Script()
	if l.Ecosystem != Local || l.Arg < 0 || l.Arg >= len(args) || args[l.Arg] != s.Path || s.Module || s.Runtime == "bun" { // bun has scripts in package.json
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
