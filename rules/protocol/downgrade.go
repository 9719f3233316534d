package protocol

import (
	"fmt"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// firstGuarded is the first protocol version that has no batches and requires HTTP requests after
// initialization to state the version.
const firstGuarded = "2025-06-18"

var Downgrade = scanner.Rule{
	ID:         "prt-downgrade",
	Category:   "protocol",
	Title:      "A server downgrades the protocol version",
	Why:        "Older versions lack later protections: some allow batches, or HTTP requests that do not state a version. A server or a man in the middle that downgrades a client removes these protections.",
	Fix:        "Make the client refuse versions that it does not need. Find out why the server downgraded.",
	Severity:   scanner.Note,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "Old servers are legitimate, so the finding is a note. It is reported if the server used a newer version earlier in the session, or if the client requested a newer version and the server answered with one older than 2025-06-18.",
	Refs:       []string{"OWASP-MCP:MCP07", "CWE-757"},
	On:         mcp.OnIntroduction,
	Judge: func(p *scanner.JudgePass) {
		info := p.Message.Server
		if info == nil || !version(info.Protocol) || p.Direction != mcp.ServerToClient || p.Message.Kind != mcp.Response {
			return
		}
		before, why := p.Server.Info.Protocol, "it previously used"
		if c := p.Server.Client; !version(before) || before <= info.Protocol {
			if c == nil || info.Protocol >= firstGuarded {
				return
			}
			before, why = c.Protocol, "the client requested"
		}
		if !version(before) || before <= info.Protocol {
			return
		}
		p.Report(scanner.JudgeIssue{Severity: scanner.Note, Subject: mcp.ServerSubject, Pointer: "/protocolVersion", Offset: p.Message.Offset,
			Message: fmt.Sprintf("the server uses protocol version %s, but %s %s", info.Protocol, why, before), Evidence: info.Protocol})
	},
}

// version reports whether a string is a protocol version, which is a date.
func version(s string) bool {
	if len(s) != len("2025-06-18") || s[4] != '-' || s[7] != '-' {
		return false
	}
	for _, c := range s {
		if c != '-' && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}
