package rules

import (
	"fmt"

	"github.com/mcpscan/mcpscan/scanner"
)

var prtResponseMismatch = scanner.Rule{
	ID:         "prt-response-mismatch",
	Category:   "protocol",
	Title:      "A response answers no request",
	Why:        "A client that matches answers loosely takes it for the answer to something else; a recording in which it stands is not complete.",
	Fix:        "Check that the recording is complete. If it is, the server answers what it was not asked, or answers twice.",
	Severity:   scanner.Low,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "Recordings that start late or lack a direction have such responses; only servers that were asked something before are reported.",
	Refs:       []string{"OWASP-MCP:MCP06", "CWE-345"},
	Judge: func(p *scanner.JudgePass) {
		m := p.Message
		if m.Kind != scanner.Response || p.Direction != scanner.ServerToClient || p.Request != nil || m.ID == "" || !p.Server.Asked {
			return
		}
		p.Report(scanner.JudgeIssue{Severity: scanner.Low, Subject: scanner.MessageSubject, Pointer: "/id", Offset: m.Offset,
			Message: fmt.Sprintf("the response to id %s of server %q answers no open request", m.ID, p.Server.ID), Evidence: m.ID})
	},
}
