package protocol

import "github.com/mcpscan/mcpscan/scanner"

var EmptyCursor = scanner.Rule{
	ID:         "prt-empty-cursor",
	Category:   "protocol",
	Title:      "A list goes on behind an empty cursor",
	Why:        "By the specification an empty cursor is one like any other, and many clients and checkers take it for the end. What stands behind it is offered to some readers and never seen by the others.",
	Fix:        "Have the server leave nextCursor out where a list ends, and write cursors that are not empty.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "Definitions on the page behind are a fact, and medium. An empty cursor that nobody followed is mostly a slip in a server's types, and low.",
	Refs:       []string{"OWASP-MCP:MCP03", "CWE-436"},
	On:         scanner.OnList,
	Judge: func(p *scanner.JudgePass) {
		m := p.Message
		if m.Kind != scanner.Response || p.Direction != scanner.ServerToClient {
			return
		}
		if p.Request != nil && p.Request.NoCursor && len(m.Definitions) > 0 {
			p.Report(scanner.JudgeIssue{Severity: scanner.Medium, Subject: scanner.MessageSubject, Pointer: "/result", Offset: m.Offset,
				Message: "the page behind an empty cursor has definitions: clients that stop there do not see them", Key: "page"})
		}
		if m.NoCursor {
			p.Report(scanner.JudgeIssue{Severity: scanner.Low, Subject: scanner.MessageSubject, Pointer: "/result/nextCursor", Offset: m.Offset,
				Message: "the list names the empty cursor: some clients go on there, and others stop", Key: "cursor"})
		}
	},
}
