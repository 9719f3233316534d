package protocol

import (
	"fmt"

	"github.com/mcpscan/mcpscan/scanner"
)

// firstGuarded is the first protocol version without batches and with the version in
// every request.
const firstGuarded = "2025-06-18"

var Downgrade = scanner.Rule{
	ID:         "prt-downgrade",
	Category:   "protocol",
	Title:      "A server speaks an older protocol version than it did, or was asked for",
	Why:        "Older versions lack what later ones guard: they have batches, and requests without a version. A server, or somebody between, that makes a client go back makes those holes usable again.",
	Fix:        "Let the client refuse versions that it does not need. Find out why the server went back.",
	Severity:   scanner.Note,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "Old servers are honest, so it is a note: told where a session has seen a later version of the server, and where the client asked for a later one and got one before 2025-06-18.",
	Refs:       []string{"OWASP-MCP:MCP07", "CWE-757"},
	On:         scanner.OnIntroduction,
	Judge: func(p *scanner.JudgePass) {
		info := p.Message.Server
		if info == nil || !version(info.Protocol) || p.Direction != scanner.ServerToClient || p.Message.Kind != scanner.Response {
			return
		}
		before, why := p.Server.Info.Protocol, "the server spoke"
		if c := p.Server.Client; !version(before) || before <= info.Protocol {
			if c == nil || info.Protocol >= firstGuarded {
				return
			}
			before, why = c.Protocol, "the client asked for"
		}
		if !version(before) || before <= info.Protocol {
			return
		}
		p.Report(scanner.JudgeIssue{Severity: scanner.Note, Subject: scanner.ServerSubject, Pointer: "/protocolVersion", Offset: p.Message.Offset,
			Message: fmt.Sprintf("protocol version %s, where %s %s", info.Protocol, why, before), Evidence: info.Protocol})
	},
}

// version reports whether a text is a protocol version, which is a date.
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
