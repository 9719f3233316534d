package session

import (
	"fmt"

	"github.com/mcpscan/mcpscan/internal/capability"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var Burst = scanner.Rule{
	ID:         "burst",
	Category:   "burst",
	Title:      "A server received many calls within seconds",
	Why:        "An attacker who controls an agent can collect data before anyone notices, or keep a server too busy to serve others.",
	Fix:        "Check what the calls requested. Limit the calls per turn in the client.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceLow,
	Basis:      "Severity and limits come from the agentsh design. Programs that call tools in a loop look the same, so the confidence is low. Each burst produces one finding at full severity, at the first call over the limit. A call beyond the limit is blocked if the tool sends data or the session has another server, because the call can then carry data away. If at least half of the calls began before an earlier one was answered, only calls that send data are blocked, because agents call tools in parallel. With cross_server.burst.enabled: true, all calls beyond the limit are blocked. Each blocked call after the first is reported as low. The finding is medium if the session has no other server and the tool does not send data. It is also medium for a burst of parallel reads: models read many files in one turn. In the strict profile it is always high. A call that the recording reports as blocked does not lengthen a burst.",
	Refs:       []string{"OWASP-LLM:LLM10", "ATLAS:AML.T0086", "CWE-770"},
	On:         mcp.OnCall,
	Judge: func(p *scanner.JudgePass) {
		c := p.Call()
		if !p.Exceeded.Burst {
			return
		}
		sends, several, parallel := c.Category == capability.Send, len(p.Session.Servers) > 1, p.Exceeded.Parallel
		blocks := p.Limits.BlockBursts || sends || several && !parallel
		verdict := scanner.Alert
		if blocks {
			verdict = scanner.Block
		}
		p.Refuse(scanner.CrossServerCheck, verdict, fmt.Sprintf("more than %d calls to this server within %s (cross_server.burst in mcpscan.yaml)", p.Limits.BurstCalls, p.Limits.BurstWindow))
		first, began := p.Exceeded.FirstBurst, p.Exceeded.Began
		severity, how := scanner.High, ""
		switch {
		case !first && !blocks:
			return
		case !first:
			severity, how = scanner.Low, "; another call of the same burst"
		case c.Category == capability.Read && parallel:
			severity, how = scanner.Medium, ", at least half of them in parallel"
		case !several && !sends:
			severity, how = scanner.Medium, " in a session with no other server"
		}
		p.Report(scanner.JudgeIssue{Severity: severity, Subject: mcp.CallSubject, Name: p.Message.Target, Pointer: "/name",
			Message:  fmt.Sprintf("more than %d calls to server %s within %s%s", p.Limits.BurstCalls, text.QuoteName(p.Server.ID), p.Limits.BurstWindow, how),
			Evidence: p.Message.Target, Offset: p.Message.Offset, Related: []scanner.Related{{Message: "first of these calls", Location: began}}})
	},
}
