package drift

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

var LockPending = scanner.Rule{
	ID:         "lock-pending",
	Category:   "version_pin",
	Title:      "A lockfile entry is pending approval",
	Why:        "mcpscan recorded the entry, but nobody has approved it.",
	Fix:        "Review the entry with mcpscan pins diff, then run mcpscan approve.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The status is certain; the drift-* rules rate what a change can do.",
	Refs:       []string{"OWASP-MCP:MCP04", "CWE-353"},
	On:         mcp.OnList | mcp.OnIdentity,
	Judge: func(p *scanner.JudgePass) {
		if p.Message.Kind != mcp.Lockfile {
			return
		}
		reportWaitingIdentity(p)
		for i := range p.Message.Definitions {
			d := &p.Message.Definitions[i]
			issue := aboutEntry(d)
			switch d.Status {
			case "pending":
				issue.Message += "was never approved; run mcpscan approve"
			case "changed":
				issue.Message += "differs from the approved one; run mcpscan pins diff, then mcpscan approve"
			default:
				continue
			}
			issue.Severity, issue.Evidence, issue.Key = scanner.Medium, d.Status, d.Digest.String()
			p.Report(issue)
		}
	},
}

// reportWaitingIdentity reports a server whose current identity is pending approval.
func reportWaitingIdentity(p *scanner.JudgePass) {
	locked := p.Locked()
	if !locked.Waits() {
		return
	}
	message := "nobody has approved this server; run mcpscan approve"
	if locked.Seen != nil {
		message = "the server changed since it was approved (" + strings.Join(locked.Identity.Differences(locked.Seen), ", ") + "); run mcpscan approve"
	}
	p.Report(scanner.JudgeIssue{Severity: scanner.Medium, Subject: mcp.ServerSubject, Pointer: "/identity", Offset: p.Message.IdentityAt, Message: message, Key: message})
}
