package drift

import (
	"fmt"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

var RemovedTool = scanner.Rule{
	ID:         "drift-removed-tool",
	Category:   "version_pin",
	Title:      "An approved definition or server was removed",
	Why:        "What was removed does no harm, but work that relies on it fails, and another server can take over its name.",
	Fix:        "Find out why it was removed. To remove the approval of a definition, run mcpscan lock --prune.",
	Severity:   scanner.Note,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "A removal is reported only if the list was read to its end. A server's list can depend on the capabilities of the client. The finding is low if the change under review removes a whole server, because a later change could add the server again, with other definitions, as a new one.",
	Refs:       []string{"OWASP-MCP:MCP04", "CWE-494"},
	On:         mcp.OnList | mcp.OnIdentity,
	Judge: func(p *scanner.JudgePass) {
		if p.Message.Kind == mcp.Removed {
			reportRemovedServer(p)
			return
		}
		p.Missing(func(was *scanner.Offered) {
			p.Report(scanner.JudgeIssue{Severity: scanner.Note, Subject: was.Kind, Name: was.Name, Offset: p.Message.Offset,
				Message: gone(was.Kind),
				Related: []scanner.Related{{Message: "approved here", Location: was.Location}}})
		})
		reportNewlyUnlisted(p)
	},
}

func gone(kind mcp.SubjectKind) string {
	if kind == mcp.ServerSubject {
		return "the server no longer sends instructions, although its instructions were approved"
	}
	return fmt.Sprintf("the server no longer lists the %s, which was approved", kind)
}
