package main

import (
	"io"
	"strings"
	"testing"
)

// TestExamples checks that every command in the help is in a group and has two
// examples, which the parser accepts.
func TestExamples(t *testing.T) {
	var g grammar
	parser, err := newParser(&g, streams{strings.NewReader(""), io.Discard, io.Discard}, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	commands := parser.Model.Leaves(true)
	if len(commands) != len(examples) {
		t.Errorf("%d commands have examples, want %d", len(examples), len(commands))
	}
	for _, command := range commands {
		path := commandPath(command)
		if command.ClosestGroup() == nil {
			t.Errorf("%s has no group", path)
		}
		for _, line := range examples[path] {
			line, _, _ = strings.Cut(line, " > ")
			line = strings.Trim(line, `eval "$()`)
			words := strings.Fields(strings.ReplaceAll(line, "reviewed in #12", "reviewed"))
			if len(words) < 2 || words[0] != "mcpscan" {
				t.Errorf("%s has the example %q", path, line)
				continue
			}
			args, _ := splitCommand(parser.Model.Node, commandFirst(parser.Model.Node, words[1:]))
			if parsed, err := parser.Parse(args); err != nil || parsed.Selected() != command {
				t.Errorf("%q does not run %s: %v", line, path, err)
			}
		}
	}
}

// TestFlagsAgree checks that a flag takes a value either in all commands that have it or
// in none, so that it can precede the command.
func TestFlagsAgree(t *testing.T) {
	var g grammar
	parser, err := newParser(&g, streams{strings.NewReader(""), io.Discard, io.Discard}, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	alone := map[string]bool{}
	for _, command := range append(parser.Model.Leaves(false), parser.Model.Node) {
		for _, f := range command.Flags {
			for _, name := range []string{"--" + f.Name, "-" + string(f.Short)} {
				if name == "-\x00" {
					continue
				}
				if before, known := alone[name]; known && before != f.IsBool() {
					t.Errorf("%s takes a value only in some commands", name)
				}
				alone[name] = f.IsBool()
			}
		}
	}
}

// TestCommandFirst checks that the words of the command are moved before the flags, and
// that flags keep their values.
func TestCommandFirst(t *testing.T) {
	var g grammar
	parser, err := newParser(&g, streams{strings.NewReader(""), io.Discard, io.Discard}, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	root := parser.Model.Node
	for in, want := range map[string]string{
		"":                               "",
		"scan x --quiet":                 "scan x --quiet",
		"--quiet scan x":                 "scan --quiet x",
		"-o scan scan x":                 "scan -o scan x",
		"-oscan scan x":                  "scan -oscan x",
		"--fail-on=high scan x":          "scan --fail-on=high x",
		"--fail-on high pins -q diff x":  "pins diff --fail-on high -q x",
		"--no-such scan x":               "scan --no-such x",
		"--no-such never scan x":         "scan --no-such never x",
		"x scan":                         "x scan",
		"--quiet -- scan":                "--quiet -- scan",
		"scan --quiet -- npx scan --all": "scan --quiet -- npx scan --all",
	} {
		if got := strings.Join(commandFirst(root, strings.Fields(in)), " "); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}
