package session

import (
	"fmt"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var MessageFlood = scanner.Rule{
	ID:         "ses-message-flood",
	Category:   "burst",
	Title:      "A server sends more than a client or person can handle",
	Why:        "A person who is asked again and again may eventually agree; a client that requests the list again after each notification does little else; and important log lines get lost.",
	Fix:        "In the client, limit what servers may request and announce. Remove the server, or have it fixed.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The limits depend on how much work a message causes, and for whom. For questions (sampling, elicitation), they are 10 at once and then 10 per minute; for notifications of a changed list or resource, 60 at once and then one per second; for other notifications, 1,000 at once and then 100 per second. Exceeding only the limit for other notifications is rated low, because legitimate servers may log too much. A flood is reported once. The next one is reported only if the server sent few enough messages in between for the limit to refill.",
	Refs:       []string{"OWASP-LLM:LLM10", "OWASP-MCP:MCP06", "CWE-770"},
	On:         mcp.OnQuestion | mcp.OnNotification,
	Judge: func(p *scanner.JudgePass) {
		class, flood := p.Flood()
		if !flood {
			return
		}
		limit := class.Limit()
		severity, what := scanner.Low, "notifications"
		switch class {
		case scanner.Asks:
			severity, what = scanner.Medium, "questions"
		case scanner.Relists:
			severity, what = scanner.Medium, "change notifications"
		}
		p.Report(scanner.JudgeIssue{Severity: severity, Subject: mcp.MessageSubject, Pointer: "/method", Offset: p.Message.Offset,
			Message:  fmt.Sprintf("server %s sends more than %d %s at once, or %d per minute", text.QuoteName(p.Server.ID), limit.Burst, what, limit.CallsPerMinute),
			Evidence: p.Message.Method, Key: what})
	},
}
