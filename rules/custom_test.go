package rules_test

import (
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestCustomFields checks that each field selects the part of messages that its name denotes, and
// that a pattern without fields applies to everything that servers send.
func TestCustomFields(t *testing.T) {
	const frames = `
< {"jsonrpc":"2.0","id":0,"result":{"serverInfo":{"name":"zqword"},"instructions":"zqword"}}
< {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"zqword","title":"zqword","description":"zqword","inputSchema":{"properties":{"zqword":{"description":"zqword"}}},"annotations":{"title":"zqword"}}]}}
< {"jsonrpc":"2.0","id":2,"result":{"prompts":[{"name":"p","arguments":[{"name":"zqword"}]}],"resources":[{"uri":"zq://zqword"}]}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"t","arguments":{"a":"zqword"}}}
< {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"zqword"}]}}
< {"jsonrpc":"2.0","id":4,"error":{"code":1,"message":"zqword"}}
< {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"zqword"}}
`
	pattern, err := text.Custom("word", "zqword")
	if err != nil {
		t.Fatal(err)
	}
	count := func(fields ...string) int {
		id := "custom-" + strings.Join(append(fields, "word"), "-")
		rule := rules.Custom(scanner.CustomPattern{ID: id, Category: "custom", Severity: scanner.High, Description: "d", Fields: fields, Pattern: pattern}, "f")
		ar := &txtar.Archive{Files: []txtar.File{{Name: "frames", Data: []byte(strings.TrimSpace(frames))}}}
		return len(findings(t, []scanner.Rule{rule}, ar, id))
	}
	want := map[string]int{"name": 3, "description": 1, "parameters": 3, "definition": 8, "server": 2, "result": 2, "message": 1, "call": 1}
	for _, field := range rules.Fields {
		if got := count(field); got != want[field] {
			t.Errorf("%s: %d findings, want %d", field, got, want[field])
		}
	}
	if got := count(); got != 13 {
		t.Errorf("no fields: %d findings, want 13", got)
	}
	if got := count(rules.Fields...); got != 14 {
		t.Errorf("all fields: %d findings, want 14", got)
	}
}
