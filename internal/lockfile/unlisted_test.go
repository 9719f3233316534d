package lockfile

import (
	"testing"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// TestMissingLists checks that a server is dropped only if a missing list could hide what the file has.
func TestMissingLists(t *testing.T) {
	prompt, tool := mcp.DefinitionKey{Kind: mcp.PromptSubject, Name: "p"}, mcp.DefinitionKey{Kind: mcp.ToolSubject, Name: "t"}
	for name, c := range map[string]struct {
		has    []mcp.DefinitionKey // nil: the file does not have the server
		listed []mcp.SubjectKind
		want   bool
	}{
		"a new server without tools":                   {nil, []mcp.SubjectKind{mcp.PromptSubject}, true},
		"a new server without a list that it declares": {nil, []mcp.SubjectKind{mcp.ToolSubject}, false},
		"prompts that are not listed":                  {[]mcp.DefinitionKey{prompt, tool}, []mcp.SubjectKind{mcp.ToolSubject}, true},
		"no prompts in the file":                       {[]mcp.DefinitionKey{tool}, []mcp.SubjectKind{mcp.ToolSubject}, false},
		"tools that are not listed":                    {[]mcp.DefinitionKey{tool}, nil, true},
	} {
		f := &File{Servers: map[string]*Server{}}
		if c.has != nil {
			f.Servers["s"] = &Server{Name: "s", Entries: map[mcp.DefinitionKey]*Entry{}}
			for _, key := range c.has {
				f.Servers["s"].Entries[key] = &Entry{}
			}
		}
		now := scanner.NewSnapshot()
		o := now.Offer("s")
		o.Unlisted = true
		for _, kind := range c.listed {
			o.Lists[kind] = true
		}
		if left := f.DropUnlockable(now); (len(left) == 1) != c.want || (now.Servers["s"] == nil) != c.want {
			t.Errorf("%s: %+v", name, left)
		}
	}
	if left := (*File)(nil).DropUnlockable(scanner.NewSnapshot()); left != nil {
		t.Errorf("%+v", left)
	}
}
