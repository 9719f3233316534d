package protocol

import (
	"fmt"

	"github.com/mcpscan/mcpscan/scanner"
)

var StdoutNoise = scanner.Rule{
	ID:         "prt-stdout-noise",
	Category:   "protocol",
	Title:      "A server prints lines that are no messages",
	Why:        "The channel belongs to the protocol. Some clients break on a banner, and one that is lenient can be made to read what a strict one skips.",
	Fix:        "Have the server log to standard error.",
	Severity:   scanner.Note,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "One published server in nine does it. The text is inspected like any other.",
	Refs:       []string{"OWASP-MCP:MCP08", "CWE-20"},
	On:         scanner.OnNoise,
	Judge: func(p *scanner.JudgePass) {
		if p.Noise && !p.Server.Noisy && p.Transport == "stdio" && p.Direction == scanner.ServerToClient {
			p.Report(scanner.JudgeIssue{Severity: scanner.Note, Subject: scanner.MessageSubject,
				Message: fmt.Sprintf("server %q prints lines that are no messages", p.Server.ID)})
		}
	},
}
