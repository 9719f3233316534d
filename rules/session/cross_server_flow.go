package session

import (
	"github.com/mcpscan/mcpscan/internal/capability"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

var CrossServerFlow = scanner.Rule{
	ID:         "cross-server-flow",
	Category:   "cross_server_flow",
	Title:      "A call follows a read on another server in the same turn",
	Why:        "Data returned by one server can end up in what another one stores, runs or sends, although the user did not ask for it.",
	Fix:        "Check what was read and the arguments of the call. Use only one of the two servers, or require approval for calls that change something.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceLow,
	Basis:      "The finding is high, as in the agentsh design, if the read returned a secret or instructions to an AI, or if the name of its tool or server suggests that it handles secrets; the order of calls alone is rated medium. In the strict profile it is always high. Two calls are in one turn if the recording gives them the same request_id; the order of such calls suffices, as in the design, although the arguments of both were written before either returned anything. Without a request_id, a read that waits for its answer does not count, because parallel calls cannot contain its data, and a call after the answer belongs to another turn. Only if the recording has no answers from the server that was read are the two calls taken to be in one turn. A call that read-then-send has already reported is not reported again.",
	Refs:       []string{"OWASP-MCP:MCP10", "OWASP-LLM:LLM06", "ATLAS:AML.T0086", "CWE-668"},
	Flows:      true, // for secrets in data that was read
	On:         mcp.OnCall,
	Judge: func(p *scanner.JudgePass) {
		if c := p.Call(); c != nil && c.Category != capability.Read && !p.AlreadyReported("read-then-send") {
			reportReads(p, flowWeights{scanner.High, scanner.Medium}, deeds[c.Category], "cross_server.cross_server_flow", p.Limits.Flow, !p.Limits.AnyTurn)
		}
	},
}
