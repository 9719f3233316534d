package session

import (
	"fmt"

	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var RateLimit = scanner.Rule{
	ID:         "rate-limit",
	Category:   "policy",
	Title:      "A server was called more often than its rate limit allows",
	Why:        "An agent that is out of control, or in somebody else's, spends money, fetches more than its task needs, or keeps a server from serving others.",
	Fix:        "Look at what the calls were for, and enforce the limit in the client. A limit that ordinary work meets is too low.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceHigh,
	OptIn:      true,
	Basis:      "Off unless rate_limits.enabled asks for it: only its user knows what is too much. A bucket of tokens for each server of a session: weighed at the first call that finds none, and again only when the bucket has been full since; the calls between are blocked as well, and low.",
	Refs:       []string{"OWASP-LLM:LLM10", "CWE-770"},
	On:         scanner.OnCall,
	Judge: func(p *scanner.JudgePass) {
		if !p.OverRate() {
			return
		}
		p.Refuse(scanner.RateCheck, scanner.Block, "more calls of the server than its rate limit allows")
		l, severity, how := p.RateLimit(), scanner.Medium, ""
		if !p.RateExceeded() {
			severity, how = scanner.Low, ": this is another one that is blocked"
		}
		p.Report(scanner.JudgeIssue{Severity: severity, Subject: scanner.CallSubject, Name: p.Message.Target, Pointer: "/name",
			Message:  fmt.Sprintf("calls of server %s exceed %d a minute, with %d at once%s", text.QuoteName(p.Server.ID), l.CallsPerMinute, l.Burst, how),
			Evidence: p.Message.Target, Offset: p.Message.Offset})
	},
}
