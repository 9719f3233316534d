package launch

import (
	"slices"
	"strings"
)

// Limits on the search for commands behind a program.
const (
	maxNested = 3  // depth of nested texts that contain commands
	maxReach  = 64 // words parsed after the name of a program
)

// Each invokes the callback for the command and those behind it.
func (l *Command) Each(each func(*Command)) {
	each(l)
	for i := range l.Behind {
		each(&l.Behind[i])
	}
}

// EachPackage invokes the callback once for every package that the command or one behind it
// fetches.
func (l *Command) EachPackage(each func(*Command, Package)) {
	seen := map[Package]bool{}
	l.Each(func(c *Command) {
		for _, p := range append([]Package{c.Package}, c.With...) {
			key := p
			key.Arg = 0
			if p.Ecosystem.Fetched() && !seen[key] {
				seen[key] = true
				each(c, p)
			}
		}
	})
}

// search collects the commands in the arguments of a program or package that is not known as a
// wrapper: the server behind a bridge such as supergateway, or all commands of a shell. The name of
// a launcher begins a command anywhere; the name of an interpreter or wrapper does so only as the
// first argument or after --, except for sudo and similar programs in front of a known program or a
// path.
func (l *Command) search(command string, args []string, depth int) {
	if depth >= maxNested {
		return
	}
	contained := l.RunsContainer()
	add := func(one Command, arg func(int) int) {
		behind := one.Behind
		one.Behind = nil
		for _, c := range append([]Command{one}, behind...) {
			c.move(arg)
			c.Contained = c.Contained || contained
			l.Behind = append(l.Behind, c)
		}
	}
	text := func(arg int, s string) {
		code := arg == l.Code && shell(l.Interpreter)
		for _, c := range shellCommands(s) {
			if code || known(program(c.words[0])) || commandLine(c.words[0], "") != nil {
				one := parse(c.words[0], c.words[1:], depth+1)
				for _, w := range c.env {
					one.assign(w, arg)
				}
				from := len(l.Behind)
				add(one, func(int) int { return arg })
				for i := range l.Behind[from:] {
					b := &l.Behind[from+i]
					b.First, b.Text, b.inText = InText, arg, len(b.Words)
					if i == 0 || b.TextWords == nil {
						b.TextWords = slices.Concat(c.env, c.words)
					}
				}
			}
		}
	}
	if l.First == InText && l.Text == InCommand {
		text(InCommand, command)
	}
	from := max(l.First-1, 0)                // the program itself can be a string of shell commands
	if l.Ecosystem.Fetched() && l.Arg >= 0 { // words before the package are options of its launcher
		from = l.Arg
		if l.First != InText {
			from++
		}
	}
	first := l.First // index of the first argument of the program or package, which can be a bridge
	if l.Ecosystem.Fetched() {
		first = from
	}
	for i := from; i < len(args); i++ {
		if strings.ContainsAny(args[i], " \t\n;&|") {
			text(i, args[i])
			continue
		}
		name := program(args[i])
		starts := launchers[name] != nil || (i == first || i > from && args[i-1] == "--") && known(name)
		root := has(elevating, name)
		if !starts && !root {
			continue
		}
		one := parse(args[i], args[i+1:min(i+1+maxReach, len(args))], maxNested)
		if !root || one.Program != name && (starts || one.Name != "" && (one.Launches() || one.Ecosystem == Local)) {
			from := i + 1
			i += max(one.First, 0)
			add(one, func(arg int) int { return from + arg })
			contained = contained || one.RunsContainer()
			if one.Ecosystem.Fetched() {
				first = from + one.Arg + 1
			}
		}
	}
}

// enter adds the command that docker run --entrypoint starts in the container. It ignores docker
// commands in shell code, because that code is inspected as a whole.
func (l *Command) enter(depth int) {
	if l.entry == "" || !l.Ecosystem.Fetched() || l.First == InText || depth > maxNested {
		return
	}
	from := len(l.Options) + 1 // after the image
	one := parse(l.entry, l.Words[from:], maxNested+1)
	one.move(func(arg int) int { return l.ArgOf(from + arg) })
	one.Contained, one.Behind = true, nil
	l.Behind = append(l.Behind, one)
}

// bridge records the variables that mcp-proxy sets for the server behind it: -e NAME VALUE, before or
// after the command of the server, but not after --.
func (l *Command) bridge() {
	from, name := 0, l.Program
	if at := len(l.Options); l.Ecosystem.Fetched() && at < len(l.Words) {
		from, name = at+1, program(l.Words[at])
	}
	if name, _, _ = strings.Cut(strings.NewReplacer("@", "=", ":", "=", "[", "=").Replace(name), "="); name != "mcp-proxy" {
		return
	}
	for i := from; i+2 < len(l.Words) && l.Words[i] != "--"; i++ {
		if w := l.Words[i]; w == "-e" || w == "--env" {
			l.Env = append(l.Env, Assignment{l.Words[i+1], l.Words[i+2], l.ArgOf(i + 1)})
			i += 2
		}
	}
}

// RunsContainer reports whether the program runs the command given in its arguments in a container.
func (l *Command) RunsContainer() bool { return has(" docker podman nerdctl container ", l.Program) }

// move maps a command's argument indexes to those of the command that contains it.
func (l *Command) move(arg func(int) int) {
	if l.First != InText {
		l.First = arg(l.First)
	}
	l.Text, l.Arg = arg(l.Text), arg(l.Arg)
	for i := range l.With {
		l.With[i].Arg = arg(l.With[i].Arg)
	}
	for i := range l.Env {
		l.Env[i].Arg = arg(l.Env[i].Arg)
	}
	for _, at := range [...]*int{&l.Root, &l.Code} {
		if *at != NoCode {
			*at = arg(*at)
		}
	}
}
