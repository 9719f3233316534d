package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// nameFilter selects rows by name. It remembers the names in the recording, to suggest some of them if
// none passes.
type nameFilter struct {
	flag        string
	want        string          // "" if every name passes
	found       bool            // whether a name in the recording passes
	known       map[string]bool // whether a name passes, for the first maxNamesRemembered names
	suggestions map[string]bool // names to suggest, as shown in findings
}

// Limits on the names that a filter remembers and suggests.
const (
	maxNamesRemembered = 1024
	maxNamesSuggested  = 10
)

func newNameFilter(flag, want string) nameFilter {
	return nameFilter{flag: flag, want: want, known: map[string]bool{}, suggestions: map[string]bool{}}
}

// passes reports whether a name passes the filter.
func (n *nameFilter) passes(name string) bool {
	if n.want == "" || n.want == name {
		return true
	}
	passes, known := n.known[name]
	if !known {
		passes = sameName(n.want, name)
		if len(n.known) < maxNamesRemembered {
			n.known[strings.Clone(name)] = passes
		}
	}
	return passes
}

// record is like passes, and also remembers whether any name has passed. It is also called for names
// without a row, so that a filter that matches one of them is not reported as unmatched.
func (n *nameFilter) record(name string) bool {
	passes := n.passes(name)
	n.found = n.found || passes
	return passes
}

// recordSuggestion is like record, and also keeps a name that does not pass as a suggestion.
func (n *nameFilter) recordSuggestion(name string) bool {
	passes := n.record(name)
	if !passes && name != "" && len(n.suggestions) < maxNamesRemembered {
		n.suggestions[text.ShownName(name)] = true
	}
	return passes
}

// tell reports that no name in the recording passes the filter, and suggests names that exist.
func (n *nameFilter) tell(std streams) {
	names := slices.Sorted(maps.Keys(n.suggestions))
	hint := config.Similar(n.want, names)
	if hint == "" && len(names) > 0 {
		hint = "; expected "
		for i, name := range names[:min(len(names), maxNamesSuggested)] {
			if i > 0 {
				hint += ", "
			}
			hint += config.Quoted(name)
		}
		if len(names) > maxNamesSuggested {
			hint += ", …"
		}
	}
	fmt.Fprintf(std.err, "mcpscan: nothing in the recording matches %s %s%s\n", n.flag, config.Quoted(text.Mask(n.want)), hint)
}

// nameFilters are the name filters of a query.
type nameFilters struct{ session, server, tool, kind nameFilter }

// event records the names in an event. It suggests only servers of the selected session, and only tools
// of the selected server.
func (f *nameFilters) event(e *scanner.Event, out *scanner.Outcome) {
	if !f.session.recordSuggestion(e.Session) || !f.server.recordSuggestion(e.Server) || f.tool.want == "" {
		return
	}
	for i := range out.Messages {
		m := &out.Messages[i]
		if m.Method == "tools/call" || m.Kind == mcp.Audit {
			f.tool.recordSuggestion(m.Target)
		} else {
			f.tool.record(m.Target)
		}
		for k := range m.Definitions {
			if d := &m.Definitions[k]; d.Kind == mcp.ToolSubject {
				f.tool.recordSuggestion(d.Name)
			}
		}
	}
}

// finding records the names in a finding, which can be names that no event has, such as those of
// prompts.
func (f *nameFilters) finding(found *scanner.Finding) {
	if f.session.record(found.Session) && f.server.record(found.Server) {
		f.tool.record(found.Name)
	}
}

// tellUnmatched reports the first filter that no name passes.
func (f *nameFilters) tellUnmatched(std streams) {
	for _, n := range [...]*nameFilter{&f.session, &f.server, &f.tool, &f.kind} {
		if n.want != "" && !n.found {
			n.tell(std)
			return
		}
	}
}

// sameName reports whether a and b are the same name. Either may be copied from an output, where names
// are masked, escaped and truncated.
func sameName(a, b string) bool {
	if a == b {
		return true
	}
	a, b = inFull(a), inFull(b)
	return a == b || isTruncated(a, b) || isTruncated(b, a)
}

// inFull returns a name masked and escaped as in an output, but not truncated.
func inFull(name string) string {
	var b strings.Builder
	fmt.Fprintln(text.Guard(&b), text.Visible(text.Mask(name), math.MaxInt))
	return b.String()[:b.Len()-1]
}

// isTruncated reports whether an output could have truncated name to short.
func isTruncated(short, name string) bool {
	const least = cellChars - len("<U+10FFFF>") // truncation never splits an escape
	begin, cut := strings.CutSuffix(short, "…")
	return cut && utf8.RuneCountInString(begin) >= least && strings.HasPrefix(name, begin)
}
