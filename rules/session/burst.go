package session

import (
	"fmt"

	"github.com/mcpscan/mcpscan/internal/capability"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var Burst = scanner.Rule{
	ID:         "burst",
	Category:   "burst",
	Title:      "A server was called many times within seconds",
	Why:        "Somebody who has an agent in hand fetches what there is before anyone looks, or keeps a server too busy to serve others.",
	Fix:        "Look at what the calls asked for. Have the client limit the calls of a turn.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceLow,
	Basis:      "The severity and the figures are those of the agentsh design. Programs that call tools in a loop look the same, so the confidence is low. Weighed once for each burst, at the first call that is one too many; the calls of the burst behind it are blocked as well, and low. It is medium where nothing can leave by it, because the session has no other server and the tool does not send, and for reads most of which were asked for before one of them had its answer: models read many files in one turn. With the profile strict it is always high. A call that the recording says was blocked does not lengthen it.",
	Refs:       []string{"OWASP-LLM:LLM10", "ATLAS:AML.T0086", "CWE-770"},
	On:         scanner.OnCall,
	Judge: func(p *scanner.JudgePass) {
		c := p.Call()
		if !p.Bursting() {
			return
		}
		p.Refuse(scanner.CrossServerCheck, scanner.Block, "more calls of the server than a burst may have")
		first, began := p.Burst()
		severity, how := scanner.High, ""
		switch {
		case !first:
			severity, how = scanner.Low, ", of which this is another one that is blocked"
		case c.Category == capability.Read && 2*p.AtOnce() > p.Limits.BurstCalls:
			severity, how = scanner.Medium, ", most of them before one of them had its answer"
		case !oneOfSeveral(p) && c.Category != capability.Send:
			severity, how = scanner.Medium, ", the only server of the session"
		}
		p.Report(scanner.JudgeIssue{Severity: severity, Subject: scanner.CallSubject, Name: p.Message.Target, Pointer: "/name",
			Message:  fmt.Sprintf("more than %d calls of server %s within %s%s", p.Limits.BurstCalls, text.QuoteName(p.Server.ID), p.Limits.BurstWindow, how),
			Evidence: p.Message.Target, Offset: p.Message.Offset, Related: []scanner.Related{{Message: "the first of these calls", Location: began}}})
	},
}
