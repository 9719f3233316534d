package main

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/goccy/go-yaml"

	"github.com/mcpscan/mcpscan/report"
)

// TestActionFlags checks that the command line has every flag that the action passes or
// docs/action.md shows, and that each action input that sets a flag has the flag's name.
func TestActionFlags(t *testing.T) {
	known, elsewhere := map[string]bool{}, map[string]bool{}
	for _, f := range report.Formats() {
		known[f] = true
	}
	parser, err := kong.New(&grammar{}, kong.Vars{"formats": ""})
	if err != nil {
		t.Fatal(err)
	}
	for _, child := range parser.Model.Children {
		for _, f := range child.Flags {
			known[f.Name] = known[f.Name] || child.Name == "scan"
			elsewhere[f.Name] = elsewhere[f.Name] || child.Name == "approve"
		}
		if child.Name == "lock" && !hasFlags(child, "run-servers", "lockfile") {
			t.Error("lock lacks flags that refresh-lockfile.yml passes")
		}
	}
	used := map[string]bool{}
	script := readFile(t, root, ".github", "action", "scan.sh")
	script = script[strings.Index(script, "arguments() {"):strings.Index(script, "# targets adds")]
	documented := readFile(t, root, "docs", "action.md")
	for _, text := range []string{script, documented, readFile(t, root, ".pre-commit-hooks.yaml")} {
		for _, m := range regexp.MustCompile(`[\s"(]--(?:format=(\w+)|([a-z][a-z-]+)(?:[=\s")]))`).FindAllStringSubmatch(text, -1) {
			if text != documented || !elsewhere[m[2]] {
				used[m[1]+m[2]] = true
			}
		}
	}
	var action struct{ Inputs map[string]any }
	if err := yaml.Unmarshal([]byte(readFile(t, root, "action.yml")), &action); err != nil {
		t.Fatal(err)
	}
	for name := range used {
		if !known[name] {
			t.Errorf("the flag or format %s is used, and scan does not know it", name)
		}
	}
	for _, name := range []string{"lockfile", "config", "baseline", "approvals", "fail-on", "min-severity", "run-servers", "allow-incomplete"} {
		if _, is := action.Inputs[name]; !is || !used[name] {
			t.Errorf("the flag %s has no input of its name (%v), or is not passed: %v", name, is, slices.Sorted(maps.Keys(used)))
		}
	}
}

func hasFlags(command *kong.Node, names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		return !slices.ContainsFunc(command.Flags, func(f *kong.Flag) bool { return f.Name == name })
	})
}
