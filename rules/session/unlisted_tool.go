package session

import (
	"fmt"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

var UnlistedTool = scanner.Rule{
	ID:         "ses-unlisted-tool",
	Category:   "policy",
	Title:      "A call names a tool that the server never listed",
	Why:        "An unlisted tool was neither reviewed nor pinned; the model may have invented its name, or learned it from another source.",
	Fix:        "Find out where the model got the name. Let clients call only listed tools.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "A call is reported only if the server has listed its tools in the session. Truncated lists in recordings are a known source of false positives.",
	Refs:       []string{"OWASP-MCP:MCP09", "ATLAS:AML.T0053", "CWE-862"},
	On:         mcp.OnCall,
	Judge: func(p *scanner.JudgePass) {
		m := p.Message
		if m.Kind != mcp.Request || m.Method != "tools/call" || p.Direction != mcp.ClientToServer {
			return
		}
		if !p.Server.Listed || p.Server.Tools[m.Target] != nil {
			return
		}
		p.Report(scanner.JudgeIssue{Severity: scanner.Medium, Subject: mcp.CallSubject, Name: m.Target, Pointer: "/name",
			Message: fmt.Sprintf("the client calls tool %q, which server %q has not listed", m.Target, p.Server.ID), Evidence: m.Target, Offset: m.Offset})
	},
}
