package main

import (
	"errors"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpscan/mcpscan/internal/app"
	"github.com/mcpscan/mcpscan/internal/config"
)

// reads parses a configuration with the parser for its folder: settings, client, policy or fixture.
func reads(name string, data []byte) error {
	switch path.Dir(name) {
	case "settings":
		_, err := config.ParseSettings(name, data, app.Vocabulary())
		return err
	case "client":
		file, err := config.Parse(name, data)
		if err == nil && len(file.Problems) > 0 {
			return errors.New(file.Problems[0].Msg)
		}
		for i := 0; err == nil && i < len(file.Entries); i++ {
			if p := file.Entries[i].Problems; len(p) > 0 {
				return errors.New(p[0])
			}
		}
		return err
	case "policy":
		_, err := config.ParsePolicy(name, data)
		return err
	case "fixture":
		_, err := parseFixture(name, data)
		return err
	}
	return errors.New("no folder of that name")
}

// TestConfigurationsOfTheDesigns checks that configurations for agentsh, MCPProxy and ClawDefender
// are read without errors.
func TestConfigurationsOfTheDesigns(t *testing.T) {
	ar, err := txtar.ParseFile("testdata/designs.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range ar.Files {
		if err := reads(f.Name, f.Data); err != nil {
			t.Error(err)
		}
	}
}

// TestConfigurationsInTheDesigns reads each configuration in the documents themselves, if
// they are available. In the documents on agentsh MCP security, the configurations have lost their
// indentation.
func TestConfigurationsInTheDesigns(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/seeds/*.txt")
	if len(files) == 0 {
		t.Skip("the documents are not at hand; TestConfigurationsOfTheDesigns reads configurations like theirs")
	}
	read := map[string]int{}
	for _, file := range files {
		for _, b := range blocks(readFile(t, ".", file)) {
			folders := readers(b)
			for _, folder := range folders {
				read[folder]++
				if err := reads(folder+"/"+filepath.Base(file), []byte(b.text)); err != nil {
					t.Errorf("%v\n%s", err, b.text)
				}
			}
		}
	}
	for _, folder := range []string{"settings", "client", "policy", "fixture"} {
		if read[folder] == 0 {
			t.Errorf("the documents have no configuration for %s: %v", folder, read)
		}
	}
}

// block is a code block of a document in a configuration language.
type block struct{ language, text string }

var (
	fencedConfigurations = regexp.MustCompile("(?ms)^```(yaml|json|toml)\n(.*?)^```")
	bareObjects          = regexp.MustCompile(`(?ms)^\{\n.*?^\}`)
)

// blocks returns the blocks in a document. It splits a block that shows two configurations.
func blocks(document string) (out []block) {
	for _, m := range fencedConfigurations.FindAllStringSubmatch(document, -1) {
		for part := range strings.SplitSeq(strings.ReplaceAll(m[2], "\n# New", "\x00# New"), "\x00") {
			out = append(out, block{m[1], part})
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, text := range bareObjects.FindAllString(document, -1) { // the page has no code fences
		out = append(out, block{"json", text})
	}
	return out
}

// readers returns the folders under which reads must be able to parse a block. It returns none for
// most JSON blocks, which are messages or events.
func readers(b block) []string {
	switch {
	case b.language == "yaml":
		return []string{"settings"}
	case b.language == "toml":
		return []string{"policy"}
	case strings.Contains(b.text, `"mcpServers"`):
		return []string{"settings", "client"}
	case strings.Contains(b.text, `"quarantine_enabled"`):
		return []string{"settings"}
	case strings.Contains(b.text, `"expected"`):
		return []string{"fixture"}
	}
	return nil
}
