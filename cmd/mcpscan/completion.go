package main

import (
	"cmp"
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/mcpscan/mcpscan/report"
)

// completionScripts query the program itself for candidates, so that they know every command and
// flag in the installed version.
//
//go:embed completion
var completionScripts embed.FS

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: bash, zsh, fish."`
}

// Run writes the script.
func (c *completionCmd) Run(std streams) error {
	script, err := completionScripts.ReadFile(path.Join("completion", "mcpscan."+c.Shell))
	if err != nil {
		return err
	}
	return put(std.out, script)
}

// completeCmd completes the last word of a command line. The scripts pass it the words up to the
// cursor, without the program name.
type completeCmd struct {
	Words []string `arg:"" optional:"" passthrough:""`
}

// Run writes one candidate per line, followed by a tab and a description. Without candidates, the
// shell completes file names.
func (c *completeCmd) Run(parsed *kong.Context, std streams) error {
	words := c.Words
	if len(words) > 0 && words[0] == "--" { // keeps the parser from interpreting the words
		words = words[1:]
	}
	var out strings.Builder
	for _, found := range completions(parsed.Model.Node, words) {
		fmt.Fprintf(&out, "%s\t%s\n", found.word, found.help)
	}
	return put(std.out, []byte(out.String()))
}

// completion is a candidate for the last word of a command line.
type completion struct{ word, help string }

// completions returns the candidates for the last word.
func completions(root *kong.Node, words []string) []completion {
	if len(words) == 0 {
		words = []string{""}
	}
	before, last := words[:len(words)-1], words[len(words)-1]
	if slices.Contains(before, "--") { // the rest is a server's command line
		return nil
	}
	before = commandFirst(root, before)
	node := root
	for len(before) > 0 && subcommand(node, before[0]) != nil {
		node, before = subcommand(node, before[0]), before[1:]
	}
	// Flags of the same name differ between commands.
	flagOf := func(word string) *kong.Flag { return cmp.Or(findFlag(node, word), findFlag(root, word)) }
	if len(before) > 0 && strings.HasPrefix(before[len(before)-1], "-") && takesNext(root, before[len(before)-1], true) {
		return values(flagOf(before[len(before)-1]).Value, "", last)
	}
	if name, value, ok := strings.Cut(last, "="); ok && strings.HasPrefix(name, "--") {
		if flag := flagOf(name); flag != nil {
			return values(flag.Value, name+"=", value)
		}
		return nil
	}
	return slices.DeleteFunc(next(root, node, before, strings.HasPrefix(last, "-")), func(c completion) bool { return !strings.HasPrefix(c.word, last) })
}

// next returns the flags of a command, or its subcommands and the values of its first argument.
func next(root, node *kong.Node, before []string, flags bool) []completion {
	var out []completion
	if flags {
		for _, group := range node.AllFlags(true) {
			for _, f := range group {
				out = append(out, completion{"--" + f.Name, firstSentence(f.Help)})
			}
		}
		return out
	}
	if node.Name == "help" {
		for node = root; len(before) > 0 && subcommand(node, before[0]) != nil; before = before[1:] {
			node = subcommand(node, before[0])
		}
	}
	for _, child := range node.Children {
		if !child.Hidden {
			out = append(out, completion{child.Name, firstSentence(child.Help)})
		}
	}
	if len(node.Positional) > 0 {
		out = append(out, values(node.Positional[0], "", "")...)
	}
	return out
}

// values returns the known values of an argument or a flag.
func values(v *kong.Value, prefix, begun string) []completion {
	var out []completion
	add := func(word, help string) {
		if word != "" && strings.HasPrefix(word, begun) {
			out = append(out, completion{prefix + word, help})
		}
	}
	switch {
	case v.Tag.PlaceHolder == "RULE":
		all := documented()
		for i := range all {
			add(all[i].ID, all[i].Title)
		}
		for _, name := range ruleNames(all)[len(all):] {
			add(name, "category")
		}
	case v.Enum != "":
		for _, name := range v.EnumSlice() {
			add(name, "")
		}
	case v.Name == "format":
		for _, name := range report.Formats() {
			add(name, "")
		}
	}
	return out
}

// firstSentence returns the start of a help text, up to the first period, colon or semicolon, as the
// description of a completion.
func firstSentence(s string) string {
	s, _, _ = strings.Cut(s, "; ")
	s, _, _ = strings.Cut(s, ": ")
	first, _, _ := strings.Cut(s, ". ")
	return strings.TrimSuffix(first, ".")
}
