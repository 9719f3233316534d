package drift

import (
	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// reportUnearned reports approvals in the name of mcpscan that mcpscan would not have given. If a server
// was in the lockfile before the change, mcpscan leaves its new definitions pending, unless the settings
// trust the server.
func reportUnearned(p *scanner.JudgePass, before *scanner.Offer) {
	report := func(issue scanner.JudgeIssue, by, digest string) {
		issue.Severity, issue.Evidence, issue.Key = scanner.High, by, "unearned "+digest
		issue.Message += "is approved in the name of mcpscan, but mcpscan approves nothing new from a server that was in the lockfile before this change; restore the entry, then run mcpscan lock and mcpscan approve"
		p.Report(issue)
	}
	for i := range p.Message.Definitions {
		d := &p.Message.Definitions[i]
		was := before.Definitions[d.Key()]
		if (was == nil || was.Approval == nil) && unearned(p, d.Approval) {
			report(aboutEntry(d), d.Approval.By, d.Accepted)
		}
	}
	if was, now := before.Locked, p.Locked(); was != nil && was.Pending && now != nil && unearned(p, now.Approval) {
		report(scanner.JudgeIssue{Subject: mcp.ServerSubject, Pointer: "/identity", Offset: p.Message.IdentityAt, Message: "the server "}, now.Approval.By, "")
	}
}

// unearned reports whether an approval of something new in a known server has the name of an automatic
// approval that mcpscan would not give.
func unearned(p *scanner.JudgePass, a *baseline.Approval) bool {
	return a != nil && (a.By == baseline.FirstUse || a.By == baseline.Auto && !p.Trusted())
}
