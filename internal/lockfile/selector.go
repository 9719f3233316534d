package lockfile

import (
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/internal/mcp"
)

// Selector selects a whole server, or its definitions with one name.
type Selector struct {
	Server string
	All    bool            // the whole server
	Named  bool            // the user named the server
	Kind   mcp.SubjectKind // NoSubject for definitions of any kind with the name
	Name   string
}

// Selects reports whether a definition of the server is selected. Instructions, which have no name, are
// selected only by their kind or with the whole server.
func (sel Selector) Selects(k mcp.DefinitionKey) bool {
	if sel.All || k.Kind == sel.Kind {
		return sel.All || k.Name == sel.Name
	}
	return sel.Kind == mcp.NoSubject && k.Kind != mcp.ServerSubject && k.Name == sel.Name
}

// ParseSelector parses SERVER, SERVER:NAME, SERVER:KIND:NAME or SERVER:instructions. Both names may contain
// colons, so the content of the file determines where each of them ends.
func (f *File) ParseSelector(s string) (Selector, error) {
	if f.Servers[s] != nil {
		return Selector{Server: s, All: true, Named: true}, nil
	}
	for i := len(s) - 1; i > 0; i-- {
		if s[i] == ':' && f.Servers[s[:i]] != nil {
			return f.Select(s[:i], s[i+1:])
		}
	}
	return Selector{}, fmt.Errorf("%s: no server named %q; expected SERVER or SERVER:NAME; servers in the file: %s", f.Path, s, quoted(f.Names()))
}

// Select returns the selector for NAME, KIND:NAME or instructions in a server of the file. A definition
// with exactly this name takes precedence.
func (f *File) Select(server, name string) (Selector, error) {
	kind, rest, _ := strings.Cut(name, ":")
	named, ofKind := Selector{Server: server, Name: name}, Selector{}
	for k := range f.Servers[server].Entries {
		switch {
		case named.Selects(k):
			return named, nil
		case k.Kind == mcp.ServerSubject:
			if name == "instructions" {
				ofKind = Selector{Server: server, Kind: k.Kind}
			}
		case k.Kind.String() == kind && k.Name == rest:
			ofKind = Selector{Server: server, Kind: k.Kind, Name: rest}
		}
	}
	switch {
	case ofKind.Server != "":
		return ofKind, nil
	case name == "":
		return named, fmt.Errorf("expected a name after %q; to select the whole server, leave out the colon", server+":")
	}
	return named, fmt.Errorf("%s: server %q has no %q in the lockfile; run mcpscan pins list to list its definitions", f.Path, server, name)
}

func quoted(names []string) string {
	const most = 10
	if len(names) == 0 {
		return "none"
	}
	var out []string
	for _, n := range names[:min(len(names), most)] {
		out = append(out, fmt.Sprintf("%q", n))
	}
	if len(names) > most {
		out = append(out, "and more")
	}
	return strings.Join(out, ", ")
}
