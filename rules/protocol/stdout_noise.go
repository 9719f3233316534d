package protocol

import (
	"fmt"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

var StdoutNoise = scanner.Rule{
	ID:         "prt-stdout-noise",
	Category:   "protocol",
	Title:      "A server writes non-JSON-RPC output to stdout",
	Why:        "In the stdio transport, stdout is for protocol messages only. Some clients break on a banner, and a lenient client may read messages that a strict one skips.",
	Fix:        "Make the server log to stderr.",
	Severity:   scanner.Note,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "One in nine of the published servers examined writes such output. mcpscan inspected the text like any other.",
	Refs:       []string{"OWASP-MCP:MCP08", "CWE-20"},
	On:         mcp.OnNoise,
	Judge: func(p *scanner.JudgePass) {
		if p.Noise && !p.Server.Noisy && p.Transport == "stdio" && p.Direction == mcp.ServerToClient {
			p.Report(scanner.JudgeIssue{Severity: scanner.Note, Subject: mcp.MessageSubject,
				Message: fmt.Sprintf("server %q writes non-JSON-RPC lines to stdout", p.Server.ID)})
		}
	},
}
