package launch

import (
	"slices"
	"strings"
)

// Canonical returns a command and its arguments without each leading ./ that makes no difference: before
// the path of a program that is not looked up in PATH anyway, and before the script that an interpreter
// loads.
func Canonical(command string, args []string) (string, []string) {
	if rest, ok := strings.CutPrefix(command, "./"); ok && strings.Contains(rest, "/") {
		command = rest
	}
	if !slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "./") }) {
		return command, args
	}
	l := Parse(command, args)
	s := l.Script()
	// bun run NAME can mean a script in package.json
	if l.Ecosystem != Local || l.Arg < 0 || l.Arg >= len(args) || args[l.Arg] != s.Path || s.Module || s.Runtime == "bun" {
		return command, args
	}
	rest, ok := strings.CutPrefix(s.Path, "./")
	// without ./, it could be a subcommand or an option
	if !ok || !strings.ContainsAny(rest, "./") || rest[0] == '-' {
		return command, args
	}
	args = slices.Clone(args)
	args[l.Arg] = rest
	return command, args
}
