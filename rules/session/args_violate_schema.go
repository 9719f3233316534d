package session

import (
	"fmt"

	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var ArgsViolateSchema = scanner.Rule{
	ID:         "ses-args-violate-schema",
	Category:   "schema",
	Title:      "The arguments of a call are not what the tool's schema says",
	Why:        "The schema is what was reviewed. A server that takes more than it declares can be called in ways that nobody has looked at, and a model that sends more was told to elsewhere.",
	Fix:        "Let the client check arguments before it sends them, and the server before it uses them. Find out where the model learnt of the argument.",
	Severity:   scanner.Low,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "A breach of a schema that the server wrote itself is a fact; most are slips of a model, so it is low. A schema that refers elsewhere, is larger than 16 KiB or cannot be checked in bounded time is passed over, and so is a tool that was listed in two forms.",
	Refs:       []string{"OWASP-MCP:MCP05", "OWASP-LLM:LLM05", "CWE-20"},
	On:         scanner.OnCall,
	Judge: func(p *scanner.JudgePass) {
		m := p.Message
		if m.Kind != scanner.Request || m.Method != "tools/call" || p.Direction != scanner.ClientToServer {
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
			where = "what is given"
		}
		p.Report(scanner.JudgeIssue{Severity: scanner.Low, Subject: scanner.CallSubject, Name: m.Target, Pointer: "/arguments" + b.Pointer,
			Message: fmt.Sprintf("%s to %s %s", where, text.QuoteName(m.Target), b.Message), Evidence: b.Value, Key: b.Message, Offset: b.Offset,
			Related: []scanner.Related{{Message: "the schema that the server listed", Location: known.Location}}})
	},
}
