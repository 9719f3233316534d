package session

import (
	"fmt"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var RateLimit = scanner.Rule{
	ID:         "rate-limit",
	Category:   "policy",
	Title:      "A server received more calls than its rate limit allows",
	Why:        "An agent that is out of control, or controlled by an attacker, spends money, fetches more than its task needs, or overloads a server.",
	Fix:        "Check what the calls were for, and enforce the limit in the client. Raise the limit if ordinary work reaches it.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceHigh,
	OptIn:      true,
	Basis:      "The rule is off unless rate_limits.enabled is set, because only the user knows the right limit. Each server in a session has a token bucket. The first call that finds the bucket empty is reported at full severity; until the bucket has refilled completely, further calls beyond the limit are also blocked, but reported as low.",
	Refs:       []string{"OWASP-LLM:LLM10", "CWE-770"},
	On:         mcp.OnCall,
	Judge: func(p *scanner.JudgePass) {
		if !p.Exceeded.Rate {
			return
		}
		p.Refuse(scanner.RateCheck, scanner.Block, "more calls to the server than its rate limit allows (rate_limits in mcpscan.yaml)")
		l, severity, how := p.RateLimit(), scanner.Medium, ""
		if !p.Exceeded.FirstRate {
			severity, how = scanner.Low, ": another call beyond the limit"
		}
		p.Report(scanner.JudgeIssue{Severity: severity, Subject: mcp.CallSubject, Name: p.Message.Target, Pointer: "/name",
			Message:  fmt.Sprintf("calls to server %s exceed %d per minute, with a burst of %d%s", text.QuoteName(p.Server.ID), l.CallsPerMinute, l.Burst, how),
			Evidence: p.Message.Target, Offset: p.Message.Offset})
	},
}
