package scanner_test

import (
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestDefinitionsOfALongListAreNotMoved checks that the slice of definitions is not
// reallocated while a long list is read, which would take twice the memory.
func TestDefinitionsOfALongListAreNotMoved(t *testing.T) {
	list := strings.Repeat(`{"name":"a"},7,`, 3000) + `{"name":"a"}`
	e, err := scanner.New(nil, scanner.Options{})
	if err != nil {
		t.Fatal(err)
	}
	facts := e.NewInspector().Inspect(&scanner.Event{Direction: mcp.ServerToClient, Frame: []byte(`{"jsonrpc":"2.0","id":1,"result":{"tools":[` + list + `]}}`)})
	if len(facts.Messages) != 1 {
		t.Fatalf("%d messages", len(facts.Messages))
	}
	if all := facts.Messages[0].Definitions; len(all) != 3001 || cap(all) > 3100 {
		t.Errorf("%d definitions in the place of %d", len(all), cap(all))
	}
}
