package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/report"
	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestRulesDocument checks that docs/rules.md matches the documentation in the
// rules. go test ./cmd/mcpscan -run RulesDocument -update writes it.
func TestRulesDocument(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Rules\n\nThe rules of mcpscan. This file is generated from their source:\n`go test ./cmd/mcpscan -run RulesDocument -update` writes it.\n\n")
	b.WriteString("| rule | severity | confidence | what it finds |\n| --- | --- | --- | --- |\n")
	for _, r := range documented() {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s | %s |\n", r.ID, r.ID, r.Severity, r.Confidence, r.Title)
	}
	for _, r := range documented() {
		fmt.Fprintf(&b, "\n## %s\n\n**%s.** %s\n\n**What to do.** %s\n\n**%s, confidence %s.** %s\n\nCategory `%s`; %s.\n",
			r.ID, r.Title, r.Why, r.Fix, strings.ToUpper(r.Severity.String()[:1])+r.Severity.String()[1:], r.Confidence, r.Basis, r.Category, strings.Join(r.Refs, ", "))
	}
	path := filepath.Join(root, "docs", "rules.md")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if readFile(t, path) != b.String() {
		t.Error("docs/rules.md is stale: go test ./cmd/mcpscan -run RulesDocument -update")
	}
}

// TestConfigurationDocument checks that the examples in docs/configuration.md and README.md load,
// that the first one uses every key, and that the document explains all fields, categories and
// other values that a file may use.
func TestConfigurationDocument(t *testing.T) {
	document := readFile(t, root, "docs", "configuration.md")
	var loaded []*config.Settings
	for _, block := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(document+readFile(t, root, "README.md"), -1) {
		s, err := config.ParseSettings("docs/configuration.md", []byte(block[1]), app.Vocabulary())
		if err != nil {
			t.Fatal(err)
		}
		loaded = append(loaded, s)
	}
	if len(loaded) == 0 {
		t.Fatal("docs/configuration.md has no example")
	}
	complete(t, "settings", reflect.ValueOf(*loaded[0]))
	words := slices.Concat(rules.Fields, scanner.Categories)
	for _, s := range scanner.Severities {
		words = append(words, s.String())
	}
	for _, word := range words {
		if !strings.Contains(document, "`"+word+"`") {
			t.Errorf("docs/configuration.md does not mention %q", word)
		}
	}
}

// complete reports the fields that an example does not set.
func complete(t *testing.T, name string, v reflect.Value) {
	switch {
	case name == "settings.Profile", name == "settings.scopes": // a name stands for the whole profile; scopes are derived
	case v.IsZero(), v.Kind() == reflect.Slice && v.Len() == 0:
		t.Errorf("the first example of docs/configuration.md has no %s", name)
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct:
		complete(t, name, v.Index(0))
	case v.Kind() == reflect.Struct && v.Type().PkgPath() == reflect.TypeFor[config.Settings]().PkgPath():
		for i := range v.NumField() {
			complete(t, name+"."+v.Type().Field(i).Name, v.Field(i))
		}
	}
}

// TestReadme checks that the commands in README.md produce the output shown there.
func TestReadme(t *testing.T) {
	readme := readFile(t, root, "README.md")
	for _, want := range []string{testCommand, "go run ./cmd/mcpscan replay docs/examples/poisoned-session.events.jsonl"} {
		if !strings.Contains(readme, want) {
			t.Errorf("README.md does not show the command %q", want)
		}
	}
	for _, format := range report.Formats() {
		if !strings.Contains(readme, "\n| `"+format+"` | ") {
			t.Errorf("README.md does not say what the format %s is for", format)
		}
	}
	if ci := readFile(t, root, ".ci", "run"); !strings.Contains(ci, testCommand) {
		t.Errorf(".ci/run does not run the test command of the README, %q", testCommand)
	}
	shown := regexp.MustCompile("(?s)```console\n\\$ mcpscan replay docs/examples/poisoned-session.events.jsonl\n(.*?)…\n").FindStringSubmatch(readme)
	if shown == nil {
		t.Fatal("README.md does not show the beginning of the example's report")
	}
	t.Chdir(root)
	var out bytes.Buffer
	if code := run([]string{"replay", "docs/examples/poisoned-session.events.jsonl"}, streams{strings.NewReader(""), &out, io.Discard}); code != exitFindings {
		t.Errorf("the example exits %d", code)
	}
	if !strings.HasPrefix(out.String(), shown[1]) {
		t.Errorf("README.md shows\n%s\nand the example begins\n%s", shown[1], out.String()[:min(len(out.String()), len(shown[1])+200)])
	}
}
