package drift

import (
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

var Instructions = scanner.Rule{
	ID:         "drift-instructions",
	Category:   "version_pin",
	Title:      "A server's instructions changed after approval",
	Why:        "Many clients put server instructions into the system prompt, where they affect every tool.",
	Fix:        "Read the diff. If the change is legitimate, run mcpscan approve; otherwise stay on the approved version.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The change is certain and is rated like a changed description. Servers often gain instructions in an upgrade, so new instructions alone are rated medium.",
	Refs:       []string{"OWASP-MCP:MCP04", "ATLAS:AML.T0109", "CWE-494"},
	On:         mcp.OnList,
	Compare:    compareTexts,
	Judge: func(p *scanner.JudgePass) {
		changes(p, func(c *change) {
			if c.d.Kind == mcp.ServerSubject {
				reportTexts(c)
			}
		})
		p.Unapproved(func(d *mcp.Definition, pending *scanner.Offered) {
			if d.Kind != mcp.ServerSubject {
				return
			}
			p.Report(scanner.JudgeIssue{Severity: scanner.Medium, Subject: d.Kind, Pointer: "/instructions", Offset: d.Offset, Key: d.Digest.String(),
				Message: "the server now sends instructions, but none were approved", Evidence: d.Description, Related: seenAt(pending), Approval: p.ApprovedInChange(d)})
		})
	},
}

// seenAt returns the location of the pending definition.
func seenAt(pending *scanner.Offered) []scanner.Related {
	if pending == nil {
		return nil
	}
	return []scanner.Related{{Message: "pending here", Location: pending.Location}}
}
