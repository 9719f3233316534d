package crossserver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/tools"
	"github.com/mcpscan/mcpscan/scanner"
)

var PrefixConfusion = scanner.Rule{
	ID:         "xs-prefix-confusion",
	Category:   "tool_shadowing",
	Title:      "A tool's name can be mistaken for that of another server's tool",
	Why:        "Clients join the names of server and tool, as in mcp__server__tool. A name with such a separator can be read or split as the name of a trusted server's tool.",
	Fix:        "Rename the tool without separators. If the name contains another server's name, find out why before you approve the tool.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The finding is medium if the name begins with the name of another server in the session, or has the form of such a joined name. A double underscore, slash or colon alone is only a note, because legitimate names can contain one.",
	Refs:       []string{"OWASP-MCP:MCP03", "ATLAS:AML.T0074", "CWE-436"},
	On:         mcp.OnNewServer | mcp.OnList,
	Judge: func(p *scanner.JudgePass) {
		if !p.Server.Seen {
			namedAfter(p)
		}
		tools.EachNew(p, func(d *mcp.Definition) {
			if !names.Qualified(d.Name) {
				return
			}
			severity, message := qualified(p, d.Name)
			p.Report(scanner.JudgeIssue{Severity: severity, Subject: mcp.ToolSubject, Name: d.Name, Pointer: "/name",
				Message: message, Evidence: d.Name, Offset: d.Offset})
		})
	},
}

// qualified rates a tool name that contains a separator.
func qualified(p *scanner.JudgePass, name string) (scanner.Severity, string) {
	server, joined := claimed(name)
	words := names.Distinctive(server)
	for _, o := range p.Session.First {
		switch {
		case o == p.Server:
		case len(words) > 0 && slices.Equal(words, names.Distinctive(o.ID)):
			return scanner.Medium, fmt.Sprintf("the tool %q of server %q begins with the name of server %q, as clients write it", name, p.Server.ID, o.ID)
		case strings.HasPrefix(p.Server.ID+"__"+name, o.ID+"__") && len(o.ID) > len(p.Server.ID):
			return scanner.Medium, fmt.Sprintf("when a client joins the tool name %q with its server's name %q, the result reads like a tool of server %q", name, p.Server.ID, o.ID)
		}
	}
	if joined && !slices.Equal(words, names.Distinctive(p.Server.ID)) {
		return scanner.Medium, fmt.Sprintf("the tool name %q looks like a name that a client builds from server and tool, but the tool belongs to server %q", name, p.Server.ID)
	}
	return scanner.Note, fmt.Sprintf("the tool name %q contains a separator that clients put between server and tool", name)
}

// claimed returns the server name at the start of a tool name, and whether the tool name has the
// form of a client's qualified name.
func claimed(name string) (server string, joined bool) {
	name, joined = strings.CutPrefix(name, "mcp__")
	server = name
	for _, separator := range [...]string{"__", "/", ":"} {
		if before, _, ok := strings.Cut(server, separator); ok {
			server = before
		}
	}
	return server, joined && server != name
}

// namedAfter reports tools that were listed before the current server appeared, and whose names
// begin with its name.
func namedAfter(p *scanner.JudgePass) {
	own := names.Distinctive(p.Server.ID)
	for _, k := range p.Session.Qualified {
		if server, _ := claimed(k.Definition.Name); k.Server == p.Server.ID || len(own) == 0 || !slices.Equal(names.Distinctive(server), own) {
			continue
		}
		p.Report(scanner.JudgeIssue{Severity: scanner.Medium, Subject: mcp.ServerSubject, Offset: p.Message.Offset,
			Message:  fmt.Sprintf("the tool %q of server %q begins with the name of server %q, as clients write it", k.Definition.Name, k.Server, p.Server.ID),
			Evidence: k.Definition.Name, Key: k.Server + "\x00" + k.Definition.Name,
			Related: []scanner.Related{{Message: fmt.Sprintf("listed by server %q", k.Server), Location: k.Location()}}})
	}
}
