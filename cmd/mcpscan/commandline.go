package main

import (
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// onlyCommand returns an option that removes all commands from the grammar except the one that the
// first argument names: building the flags of all commands takes longer than many commands
// take to run. It returns nil if the first argument is not a command, or is one that describes
// other commands, such as help.
func onlyCommand(args []string) []kong.Option {
	if len(args) == 0 || slices.Contains([]string{"help", "completion", "__complete"}, args[0]) {
		return nil
	}
	var others []string
	known := false
	for field := range reflect.TypeFor[grammar]().Fields() {
		_, isCommand := field.Tag.Lookup("cmd")
		switch {
		case !isCommand:
		case strings.ToLower(field.Name) == args[0]:
			known = true
		default:
			others = append(others, field.Name)
		}
	}
	if !known {
		return nil
	}
	return []kong.Option{kong.IgnoreFields(`^grammar\.(` + strings.Join(others, "|") + `)$`)}
}

// commandFirst moves the words of the command to the front: the parser recognises a flag only after
// its command, but users write it anywhere.
func commandFirst(root *kong.Node, args []string) []string {
	var words, flags []string
	at, node := 0, root
	for at < len(args) && len(node.Children) > 0 && args[at] != "--" {
		word := args[at]
		if child := subcommand(node, word); child != nil {
			words, node = append(words, word), child
			at++
			continue
		}
		if !isFlag(word) {
			break
		}
		n := flagLength(root, node, args[at:])
		flags = append(flags, args[at:at+n]...)
		at += n
	}
	if len(words) == 0 {
		return args
	}
	return slices.Concat(words, flags, args[at:])
}

// isFlag reports whether an argument is a flag.
func isFlag(arg string) bool { return arg != "-" && strings.HasPrefix(arg, "-") }

// flagLength returns the number of arguments that the flag at the beginning of args takes, including
// itself. node is the command to which the arguments before it belong.
func flagLength(root, node *kong.Node, args []string) int {
	if len(args) > 1 && takesNext(root, args[0], subcommand(node, args[1]) != nil) {
		return 2
	}
	return 1
}

// subcommand returns the subcommand of a node with the given name, or nil.
func subcommand(of *kong.Node, name string) *kong.Node {
	for _, child := range of.Children {
		if child.Name == name || slices.Contains(child.Aliases, name) {
			return child
		}
	}
	return nil
}

// takesNext reports whether the argument after a flag is its value. An argument after an unknown
// flag counts as the flag's value unless it is a command, because the parser needs the command to
// report the flag.
func takesNext(root *kong.Node, word string, beforeCommand bool) bool {
	if strings.Contains(word, "=") {
		return false
	}
	flag := findFlag(root, word)
	if flag == nil {
		return !beforeCommand
	}
	attached := !strings.HasPrefix(word, "--") && len(word) > 2 // as in -j4
	return !attached && !flag.IsBool() && !flag.IsCounter()
}

// findFlag returns the flag, of any command, that a word such as --output or -o names.
func findFlag(node *kong.Node, word string) *kong.Flag {
	long, isLong := strings.CutPrefix(word, "--")
	for _, f := range node.Flags {
		switch {
		case isLong && (f.Name == long || slices.Contains(f.Aliases, long)):
			return f
		case !isLong && len(word) > 1 && f.Short != 0 && strings.HasPrefix(word[1:], string(f.Short)):
			return f
		}
	}
	for _, child := range node.Children {
		if f := findFlag(child, word); f != nil {
			return f
		}
	}
	return nil
}

// commandPath returns the words that name a command.
func commandPath(node *kong.Node) string {
	if node.Parent == nil || node.Parent.Parent == nil {
		return node.Name
	}
	return commandPath(node.Parent) + " " + node.Name
}
