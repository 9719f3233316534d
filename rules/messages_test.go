package rules_test

import (
	"context"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestMessages checks messages and evidence that depend on what the rule found.
func TestMessages(t *testing.T) {
	for _, tt := range []struct{ rule, input, message, evidence string }{
		{"sch-remote-ref", "-- definition.json --\n" + `{"tools":[{"name":"t","inputSchema":{"$schema":"urn:x","type":"object"}}]}` + "\n",
			"the schema names a dialect that few validators support", `"urn:x"`},
		{"cfg-unpinned-package", "-- config/.mcp.json --\n" + `{"mcpServers":{"a":{"command":"docker","args":["run","-i","example/notes:latest"]}}}` + "\n",
			"the image has neither a digest (name@sha256:…) nor an exact version tag (name:1.2.3); the version is a tag, a branch or a range", "example/notes:latest"},
		{"hid-ansi-control", "-- frames --\n" + `< {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"t","description":"Adds. \u001b[8mSecret\u001b[0m\nOne\rTwo","inputSchema":{"type":"object"}}]}}` + "\n",
			"the text contains terminal codes that make text invisible", "<U+001B>[8m"},
		{"hid-ansi-control", "-- frames --\n" + `< {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"t","description":"Adds.\nOne\rTwo\rThree","inputSchema":{"type":"object"}}]}}` + "\n",
			"part of the text is overwritten on a terminal", "One"},
	} {
		var got []string
		_, err := under(t, rules.All(), "").Run(context.Background(), source(t, txtar.Parse([]byte(tt.input))), each(func(f *scanner.Finding) {
			if f.Rule.ID == tt.rule {
				got = append(got, f.Message, f.Evidence.Text)
			}
		}))
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != 2 || got[0] != tt.message || got[1] != tt.evidence {
			t.Errorf("%s: got %q, want %q", tt.rule, got, []string{tt.message, tt.evidence})
		}
	}
}
