package session

import (
	"fmt"

	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var MessageFlood = scanner.Rule{
	ID:         "ses-message-flood",
	Category:   "burst",
	Title:      "A server sends more than anybody can take in",
	Why:        "A person who is asked again and again agrees at last; a client that lists again for each notice does nothing else; and what matters in a log is washed away.",
	Fix:        "Let the client limit what servers may ask and announce. Remove the server, or have it corrected.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The limits are those of who has to take it in: 10 questions (sampling, elicitation) at once and 10 a minute from then on, 60 notices that a list or a resource has changed and one a second, 1,000 other notifications and 100 a second. The last is low: an honest server that logs too much does it. Told once, and again when the server has been quiet.",
	Refs:       []string{"OWASP-LLM:LLM10", "OWASP-MCP:MCP06", "CWE-770"},
	On:         scanner.OnQuestion | scanner.OnNotification,
	Judge: func(p *scanner.JudgePass) {
		class, flood := p.Flood()
		if !flood {
			return
		}
		limit := scanner.FloodLimit(class)
		severity, what := scanner.Low, "notifications"
		switch class {
		case scanner.Asks:
			severity, what = scanner.Medium, "questions"
		case scanner.Relists:
			severity, what = scanner.Medium, "notices of changes"
		}
		p.Report(scanner.JudgeIssue{Severity: severity, Subject: scanner.MessageSubject, Pointer: "/method", Offset: p.Message.Offset,
			Message:  fmt.Sprintf("server %s sends more than %d %s at once, or %d a minute", text.QuoteName(p.Server.ID), limit.Burst, what, limit.CallsPerMinute),
			Evidence: p.Message.Method, Key: what})
	},
}
