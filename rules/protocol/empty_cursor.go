package protocol

import (
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

var EmptyCursor = scanner.Rule{
	ID:         "prt-empty-cursor",
	Category:   "protocol",
	Title:      "A list continues after an empty cursor",
	Why:        "The specification allows an empty cursor, but many clients and scanners treat it as the end of the list. Some clients fetch the next page; others never see it.",
	Fix:        "Make the server omit nextCursor at the end of a list, and never send an empty cursor.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The finding is medium if the client fetched the next page and it contains definitions. An empty cursor by itself is usually a mistake in the server, so it is rated low.",
	Refs:       []string{"OWASP-MCP:MCP03", "CWE-436"},
	On:         mcp.OnList,
	Judge: func(p *scanner.JudgePass) {
		m := p.Message
		if m.Kind != mcp.Response || p.Direction != mcp.ServerToClient {
			return
		}
		if p.Request != nil && p.Request.NoCursor && len(m.Definitions) > 0 {
			p.Report(scanner.JudgeIssue{Severity: scanner.Medium, Subject: mcp.MessageSubject, Pointer: "/result", Offset: m.Offset,
				Message: "the page after an empty cursor contains definitions, which many clients never see", Key: "page"})
		}
		if m.NoCursor {
			p.Report(scanner.JudgeIssue{Severity: scanner.Low, Subject: mcp.MessageSubject, Pointer: "/result/nextCursor", Offset: m.Offset,
				Message: "the list has an empty cursor: some clients continue there, and others stop", Key: "cursor"})
		}
	},
}
