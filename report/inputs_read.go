package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/scanner"
)

// The limits on names in the JSON report and in the sentence about what was read.
const (
	maxServerNames = 100
	maxNamed       = 8
	maxNamedName   = 80 // characters
)

// serverNames are the sorted names of the servers seen. Beyond the limit, the last names in
// this order are dropped, so that the order of the input does not matter.
type serverNames []string

// see adds an event's server, if it is that server's first event in a session.
func (s *serverNames) see(e *scanner.Event, out *scanner.Outcome) {
	if !out.First || e.Server == "" || e.Kind == scanner.ConfigEvent {
		return
	}
	s.add(foreign(e.Server, nameLimit))
}

// add adds a name, unless the list is full and the name sorts after the others.
func (s *serverNames) add(name string) {
	at, known := slices.BinarySearch(*s, name)
	if known || at == maxServerNames {
		return
	}
	*s = slices.Insert(*s, at, name)
	*s = (*s)[:min(len(*s), maxServerNames)]
}

// reading returns the names of the files and servers that were read, or "" if there are none.
func reading(r *Report) string {
	files := inputNames(r)
	var parts []string
	for _, p := range [...]struct {
		what  string
		names []string
		all   int
	}{{"file", files, len(files)}, {"server", r.Summary.ServerNames, max(r.Summary.Servers, len(r.Summary.ServerNames))}} {
		if len(p.names) > 0 {
			parts = append(parts, named(p.what, p.names, p.all))
		}
	}
	if parts == nil {
		return ""
	}
	return "Read: " + strings.Join(parts, "; ") + "."
}

// named returns the first few names, preceded by their kind.
func named(what string, names []string, all int) string {
	shown := names[:min(len(names), maxNamed)]
	var out []string
	for _, n := range shown {
		out = append(out, clip(shownName(n), maxNamedName))
	}
	if all > 1 {
		what += "s"
	}
	list := what + " " + strings.Join(out, ", ")
	if more := all - len(shown); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}

// inputNames returns the distinct files that were given or found.
func inputNames(r *Report) []string {
	var files []string
	for _, in := range r.Inputs {
		if name := visible(in.Name, textLimit); in.Kind != "server" && !slices.Contains(files, name) {
			files = append(files, name)
		}
	}
	return files
}

// visibleNames escapes names from a saved report.
func visibleNames(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = visible(n, textLimit)
	}
	return out
}
