package drift

import (
	"fmt"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

var NewTool = scanner.Rule{
	ID:         "drift-new-tool",
	Category:   "version_pin",
	Title:      "A definition was never approved",
	Why:        "A server whose earlier definitions were approved now offers a new one.",
	Fix:        "Read the definition, then run mcpscan approve.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "107 of 239 upgrades of published servers add a tool, so a new tool needs a review but is no reason for alarm. A new prompt or resource is rated low, because the user selects it.",
	Refs:       []string{"OWASP-MCP:MCP04", "OWASP-MCP:MCP02", "CWE-494"},
	On:         mcp.OnList,
	Judge: func(p *scanner.JudgePass) {
		p.Unapproved(func(d *mcp.Definition, pending *scanner.Offered) {
			if d.Kind == mcp.ServerSubject {
				return
			}
			severity := scanner.Low
			if d.Kind == mcp.ToolSubject {
				severity = scanner.Medium
			}
			p.Report(scanner.JudgeIssue{Severity: severity, Subject: d.Kind, Name: d.Name, Offset: d.Offset, Key: d.Digest.String(),
				Message: fmt.Sprintf("the %s was never approved", d.Kind), Evidence: d.Description, Related: seenAt(pending), Approval: p.ApprovedInChange(d)})
		})
	},
}
