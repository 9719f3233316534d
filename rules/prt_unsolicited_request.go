package rules

import (
	"fmt"

	"github.com/mcpscan/mcpscan/scanner"
)

// clientMethods are requests that only a client may make.
var clientMethods = map[string]bool{
	"initialize": true, "server/discover": true, "tools/list": true, "tools/call": true, "prompts/list": true, "prompts/get": true,
	"resources/list": true, "resources/read": true, "resources/templates/list": true, "resources/subscribe": true,
	"resources/unsubscribe": true, "completion/complete": true, "logging/setLevel": true, "subscriptions/listen": true,
}

var prtUnsolicitedRequest = scanner.Rule{
	ID:         "prt-unsolicited-request",
	Category:   "protocol",
	Title:      "A server makes a request that is the client's to make",
	Why:        "It can pass for a call of the client in a log, or fill the tables of a checker that does not look at the direction.",
	Fix:        "Treat the server as hostile, or have it corrected.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The specification gives each request to one side.",
	Refs:       []string{"OWASP-MCP:MCP06", "CWE-346"},
	Judge: func(p *scanner.JudgePass) {
		m := p.Message
		if p.Direction == scanner.ServerToClient && m.Kind == scanner.Request && clientMethods[m.Method] {
			p.Report(scanner.JudgeIssue{Severity: scanner.Medium, Subject: scanner.MessageSubject, Pointer: "/method", Offset: m.Offset,
				Message: fmt.Sprintf("server %q sends the request %s, which only a client may send", p.Server.ID, m.Method), Evidence: m.Method})
		}
	},
}
