package protocol

import (
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// lastBatch is the last protocol version that supports JSON-RPC batches; 2025-06-18 removed them.
const lastBatch = "2025-03-26"

var Batch = scanner.Rule{
	ID:         "prt-batch",
	Category:   "protocol",
	Title:      "A server sends a batch in a protocol version without batches",
	Why:        "A scanner that expects one message per frame may ignore a batch; a lenient client obeys each message in it.",
	Fix:        "Make the server send one message per frame. mcpscan inspected each message in the batch.",
	Severity:   scanner.Low,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "A batch is reported only after the server has stated a protocol version without batches.",
	Refs:       []string{"OWASP-MCP:MCP03", "CWE-436"},
	On:         mcp.OnBatch,
	Judge: func(p *scanner.JudgePass) {
		if p.Message.Batch == 1 && p.Direction == mcp.ServerToClient && p.Server.Info.Protocol > lastBatch {
			p.Report(scanner.JudgeIssue{Severity: scanner.Low, Subject: mcp.MessageSubject, Offset: p.Message.Offset,
				Message: "the frame is a JSON-RPC batch, which protocol version " + p.Server.Info.Protocol + " does not support"})
		}
	},
}
