package launch

import (
	"slices"
	"strings"
)

// Limits for the search for packages behind a program.
const (
	maxNested = 3  // texts within texts
	maxReach  = 64 // words after the name of a launcher
)

// search collects the packages that words of a command start although its program is not a known
// wrapper: a bridge such as supergateway, or a shell with several commands.
func (l *Command) search(command string, args []string, depth int) {
	if depth == maxNested {
		return
	}
	seen := map[Package]bool{}
	first := func(p Package) bool {
		p.Arg = 0
		again := seen[p]
		seen[p] = true
		return !again
	}
	for _, p := range append([]Package{l.Package}, l.With...) {
		first(p)
	}
	add := func(one *Command, arg func(Package) int) {
		for _, p := range slices.Concat([]Package{one.Package}, one.With, one.Behind) {
			if p.Ecosystem.Fetched() && first(p) {
				p.Arg = arg(p)
				l.Behind = append(l.Behind, p)
			}
		}
	}
	text := func(arg int, s string) {
		for _, words := range shellCommands(s) {
			if known(program(words[0])) || commandLine(words[0], "") != nil {
				one := parse(words[0], words[1:], depth+1)
				add(&one, func(Package) int { return arg })
			}
		}
	}
	if l.First == InText && l.Text == InCommand {
		text(InCommand, command)
	}
	from := 0
	if l.Ecosystem.Fetched() && l.Arg >= 0 { // words before the package are options of its launcher
		from = l.Arg
		if l.First != InText {
			from++
		}
	}
	for i := from; i < len(args); i++ {
		if strings.ContainsAny(args[i], " \t\n;&|") {
			text(i, args[i])
			continue
		}
		name := program(args[i])
		if launcher := launchers[name]; launcher != nil {
			one := Command{Program: name, Words: args[i+1 : min(i+1+maxReach, len(args))], Code: NoCode}
			launcher(&one)
			add(&one, func(p Package) int { return i + 1 + p.Arg })
		}
	}
}
