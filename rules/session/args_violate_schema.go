package session

import (
	"fmt"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var ArgsViolateSchema = scanner.Rule{
	ID:         "ses-args-violate-schema",
	Category:   "schema",
	Title:      "The arguments of a call violate the tool's schema",
	Why:        "Reviewers rely on the schema. A server that accepts more than it declares can be called in ways that were not reviewed. A model may have invented an undeclared argument, or taken it from another source, such as injected text.",
	Fix:        "Check arguments in the client before it sends them, and in the server before it uses them. Find out where the model got the argument from.",
	Severity:   scanner.Low,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The violation of the server's own schema is certain, but most such violations are mistakes by the model, so the severity is low. mcpscan does not check a schema that refers to external documents, is larger than 16 KiB or cannot be checked within limits; nor does it check calls to a tool that the server listed with two different definitions.",
	Refs:       []string{"OWASP-MCP:MCP05", "OWASP-LLM:LLM05", "CWE-20"},
	On:         mcp.OnCall,
	Judge: func(p *scanner.JudgePass) {
		m := p.Message
		if m.Kind != mcp.Request || m.Method != "tools/call" || p.Direction != mcp.ClientToServer {
			return
		}
		known := p.Server.Tools[m.Target]
		if known == nil || known.Definition.Foreign || p.Server.Relisted[m.Target] {
			return
		}
		b := p.Violation(known.Definition)
		if b.Message == "" {
			return
		}
		where := "an argument"
		if b.Pointer == "" {
			where = "the argument object"
		}
		p.Report(scanner.JudgeIssue{Severity: scanner.Low, Subject: mcp.CallSubject, Name: m.Target, Pointer: "/arguments" + b.Pointer,
			Message: fmt.Sprintf("%s to %s %s", where, text.QuoteName(m.Target), b.Message), Evidence: b.Value, Key: b.Message, Offset: b.Offset,
			Related: []scanner.Related{{Message: "the schema that the server listed", Location: known.Location()}}})
	},
}
