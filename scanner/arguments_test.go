package scanner_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/rules"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestArgumentBehindALongText checks that arguments are still inspected if they follow one that is
// too long.
func TestArgumentBehindALongText(t *testing.T) {
	set := slices.DeleteFunc(rules.All(), func(r scanner.Rule) bool { return r.ID != "ses-config-write" })
	call := func(content string) *scanner.Event {
		return frame(0, mcp.ClientToServer, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write_file","arguments":{"content":%q,"path":"~/.bashrc"}}}`, content))
	}
	for _, size := range []int{1, 256 << 10, 1 << 20} {
		e := call(strings.Repeat("x", size))
		if got, _ := told(t, scanner.Options{}, set, []*scanner.Event{e}); !slices.Equal(got, []string{"config-write 1"}) {
			t.Errorf("%d bytes: %q", size, got)
		}
	}
}

// TestPlaceOfABreach checks that a schema violation is reported at its location in
// the file.
func TestPlaceOfABreach(t *testing.T) {
	set := slices.DeleteFunc(rules.All(), func(r scanner.Rule) bool { return r.ID != "ses-args-violate-schema" })
	list := frame(0, mcp.ServerToClient, `{"jsonrpc":"2.0","id":0,"result":{"tools":[{"name":"sum","inputSchema":{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}}]}}`)
	for _, c := range []struct {
		text   string
		column int
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sum","arguments":{"é":1, "a" : "x"}}}`, 96},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sum","arguments": {} }}`, 83},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sum"}}`, 1},
		{`[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sum"}}]`, 2},
	} {
		got, _ := run(t, set, list, frame(1, mcp.ClientToServer, c.text))
		if len(got.findings) != 1 || got.findings[0].Location != (scanner.Location{File: "f", Line: 2, Column: c.column}) {
			t.Errorf("%s: %+v", c.text, got.findings)
		}
		list.SetTree(nil, 0)
	}
}

// named is a policy that keeps the pointers of the arguments that it sees, with their names.
type named map[string]string

func (n named) Decide(r *scanner.PolicyRequest) scanner.Decision {
	for _, a := range r.Arguments {
		n[a.Pointer] = a.Name
	}
	return scanner.Decision{}
}

// TestNamesOfArguments checks the names of arguments, and of other parameters.
func TestNamesOfArguments(t *testing.T) {
	got := named{}
	told(t, scanner.Options{Policy: got}, nil, []*scanner.Event{
		frame(0, mcp.ClientToServer, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","argumentsPath":"p","arguments":{"a/b":{"c":1},"":2}}}`),
		frame(1, mcp.ClientToServer, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t","arguments":"text"}}`),
	})
	want := named{"/name": "name", "/argumentsPath": "argumentsPath", "/arguments/a~1b/c": "a/b", "/arguments/": "", "/arguments": ""}
	if !maps.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
