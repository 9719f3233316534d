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
	Fix:        "Find out why it was removed. To remove it from the lockfile, run mcpscan lock --prune with all configurations, or mcpscan pins reset SERVER for the entry of one server.",
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
		reportUnlisted(p)
	},
}

func gone(kind mcp.SubjectKind) string {
	if kind == mcp.ServerSubject {
		return "the server no longer sends instructions, although its instructions were approved"
	}
	return fmt.Sprintf("the server no longer lists the %s, which was approved", kind)
}

// reportUnlisted reports approved definitions that a lockfile keeps although its server no longer lists
// them: a user can remove them with lock --prune. In a change under review, it leaves out those that the
// lockfile already marked before the change.
func reportUnlisted(p *scanner.JudgePass) {
	before := p.Before()
	if before == nil {
		return
	}
	for i := range p.Message.Definitions {
		d := &p.Message.Definitions[i]
		was := before.Definitions[d.Key()]
		if !d.Unlisted || was == nil || was.Status == "pending" || was.Unlisted && p.Revises() {
			continue
		}
		p.Report(scanner.JudgeIssue{Severity: scanner.Note, Subject: d.Kind, Name: d.Name, Offset: d.StatusAt,
			Message: gone(d.Kind), Related: []scanner.Related{{Message: "approved here", Location: was.Location}}})
	}
}

func reportRemovedServer(p *scanner.JudgePass) {
	issue := scanner.JudgeIssue{Severity: scanner.Note, Subject: mcp.ServerSubject, Message: fmt.Sprintf("server %q was removed", p.Server.ID), Evidence: p.Server.ID}
	if was := p.Before(); p.Change() && was != nil {
		issue.Severity, issue.Related = scanner.Low, []scanner.Related{{Message: "recorded here", Location: was.Location}}
		issue.Message = fmt.Sprintf("this change removed server %q: neither the lockfile nor a configuration names it", p.Server.ID)
	}
	p.Report(issue)
}
