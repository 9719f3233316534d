package protocol

import (
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

var AmbiguousMessage = scanner.Rule{
	ID:         "prt-ambiguous-message",
	Category:   "protocol",
	Title:      "A message is both a request and a response",
	Why:        "JSON-RPC distinguishes requests and responses by their members. A message with the members of both is a request to one reader and a response to another, so a scanner may miss what the client obeys.",
	Fix:        "Treat the server as hostile, or have it fixed. mcpscan inspected both interpretations.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "JSON-RPC 2.0 defines no such message, and libraries do not write one.",
	Refs:       []string{"OWASP-MCP:MCP03", "CWE-436"},
	Message: func(p *scanner.MessagePass) {
		if p.Message.Kind == mcp.Document || p.Message.Kind == mcp.Audit {
			return
		}
		doc := p.Doc
		method, result, err := doc.Get(p.Root, "method"), doc.Get(p.Root, "result"), doc.Get(p.Root, "error")
		switch {
		case method >= 0 && doc.Kind(method) != wire.Null && (result >= 0 || p.Message.IsError):
			p.Report(method, false, scanner.High, "the message has a method, and a result or an error: it is both a request and a response")
		case result >= 0 && p.Message.IsError:
			p.Report(err, false, scanner.Medium, "the response has both a result and an error")
		}
	},
}
