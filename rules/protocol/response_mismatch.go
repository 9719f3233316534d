package protocol

import (
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var ResponseMismatch = scanner.Rule{
	ID:         "prt-response-mismatch",
	Category:   "protocol",
	Title:      "A response matches no open request",
	Why:        "A client that does not check IDs strictly may mistake such a response for the answer to another request. If a request gets two answers, a scanner may see the first and the client act on the second.",
	Fix:        "Check that the recording is complete. If it is, the server sends unsolicited or duplicate responses.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "A second answer with different content is not a recording error and is rated high. The answer to another session's open request is rated high if its ID is too long for two sessions to share by chance. The same answer twice, or one to an unknown ID, is rated low: recordings start late, lack one direction or repeat lines. A response whose sender is not recorded is also rated low if client and server both had an open request with its ID. Nothing is reported before the first recorded request to the server.",
	Refs:       []string{"OWASP-MCP:MCP06", "CWE-345"},
	On:         mcp.OnResponse,
	Judge: func(p *scanner.JudgePass) {
		m := p.Message
		matches := p.Request != nil && strings.HasPrefix(m.ID, p.Request.Sent)
		if m.Kind != mcp.Response || p.Direction != mcp.ServerToClient || matches || m.ID == "" || !p.Server.Asked || p.Unasked() {
			return
		}
		severity, why := scanner.Low, "matches no open request"
		before, same := p.Answered()
		switch {
		case p.Request != nil:
			why = "matches the ID of the request only as a number"
		case p.Disputed():
			why = "answers no open request of the client, but may be the client's response to a request of the server"
		case before && same:
			why = "repeats an earlier response word for word"
		case before:
			severity, why = scanner.High, "is a second response with different content"
		case len(m.ID) >= longID && p.OpenElsewhere():
			severity, why = scanner.High, "answers a request that is open in another session of the server"
		}
		p.Report(scanner.JudgeIssue{Severity: severity, Subject: mcp.MessageSubject, Pointer: "/id", Offset: m.Offset,
			Message: fmt.Sprintf("the response to id %s of server %s %s", m.ID, text.QuoteName(p.Server.ID), why), Evidence: m.ID})
	},
}

// longID is the minimum length, in bytes of raw JSON, of an ID that two sessions are unlikely to share
// by coincidence. Counters are shorter, and random IDs are longer.
const longID = 8
