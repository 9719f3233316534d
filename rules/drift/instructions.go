package drift

import "github.com/mcpscan/mcpscan/scanner"

var Instructions = scanner.Rule{
	ID:         "drift-instructions",
	Category:   "version_pin",
	Title:      "The instructions of a server are not those that were approved",
	Why:        "Instructions reach the system prompt of many clients: they govern every tool, not one.",
	Fix:        "Read the diff. If the change is honest, run mcpscan approve; if not, stay on the version that was approved.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The change is a fact; it is weighed like that of a description. Servers that gain instructions are as common as upgrades, so by themselves they are medium.",
	Refs:       []string{"OWASP-MCP:MCP04", "ATLAS:AML.T0109", "CWE-494"},
	On:         scanner.OnList,
	Compare:    compareTexts,
	Judge: func(p *scanner.JudgePass) {
		changes(p, func(c *change) {
			if c.d.Kind == scanner.ServerSubject {
				reportTexts(c)
			}
		})
		p.Unapproved(func(d *scanner.Definition, pending *scanner.Offered) {
			if d.Kind != scanner.ServerSubject {
				return
			}
			p.Report(scanner.JudgeIssue{Severity: scanner.Medium, Subject: d.Kind, Pointer: "/instructions", Offset: d.Offset, Key: d.Digest.String(),
				Message: "the server has instructions, and none were approved", Evidence: d.Description, Related: seenAt(pending), Approval: p.ApprovedInChange(d)})
		})
	},
}

// seenAt points at what waits for approval.
func seenAt(pending *scanner.Offered) []scanner.Related {
	if pending == nil {
		return nil
	}
	return []scanner.Related{{Message: "waits for approval here", Location: pending.Location}}
}
