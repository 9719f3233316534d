package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/app"
)

// fenced finds the YAML and TOML code blocks in a document.
var fenced = regexp.MustCompile("(?s)\n```(toml|yaml)\n(.*?)\n```")

// placeholder matches a digest that a document abbreviates.
var placeholder = regexp.MustCompile(`sha256:[0-9a-f]*\.\.\.`)

// TestDocumentedPolicies checks that every policy shown in the documents about YAML and TOML
// policies loads unchanged. internal/config tests what such policies decide.
func TestDocumentedPolicies(t *testing.T) {
	folder := filepath.Join("..", "..", "..", "shared", "seeds")
	files, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skipf("the documents are not on this machine: %s", folder)
	}
	read := map[string]int{}
	for _, file := range files {
		for _, block := range fenced.FindAllStringSubmatch(readFile(t, file), -1) {
			language, text := block[1], block[2]
			if language == "yaml" && !strings.Contains(text, "enforce_policy:") {
				continue
			}
			text = placeholder.ReplaceAllString(text, "sha256:"+strings.Repeat("0a", 32))
			name := filepath.Join(t.TempDir(), "policy."+language)
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, _, err := app.LoadPolicy(name); err != nil {
				t.Errorf("%s: %v in\n%s", filepath.Base(file), err, text)
			}
			read[language]++
		}
	}
	if read["toml"] < 5 || read["yaml"] < 1 {
		t.Errorf("read %v, want the five examples in TOML and the one in YAML", read)
	}
}
