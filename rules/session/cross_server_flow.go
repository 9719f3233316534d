package session

import (
	"github.com/mcpscan/mcpscan/internal/capability"
	"github.com/mcpscan/mcpscan/scanner"
)

var CrossServerFlow = scanner.Rule{
	ID:         "cross-server-flow",
	Category:   "cross_server_flow",
	Title:      "One server was read, and another one was called in the same turn",
	Why:        "What one server hands over can end up in what another one stores, runs or sends, without anybody having asked for it.",
	Fix:        "Look at what was read and at the arguments of the call. Let the client use only one of the two servers, or have calls that change something confirmed.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceLow,
	Basis:      "High, as in the agentsh design, where what was read gives orders to an AI or holds a secret, or its name says that secrets are kept there; the order of calls alone is medium. With the profile strict it is always high. Calls are of one turn where a recording gives both the same request_id, or gives none and the second was made before the first had its answer. Silent where read-then-send tells of the same call.",
	Refs:       []string{"OWASP-MCP:MCP10", "OWASP-LLM:LLM06", "ATLAS:AML.T0086", "CWE-668"},
	Flows:      true, // for secrets in what is read
	On:         scanner.OnCall,
	Judge: func(p *scanner.JudgePass) {
		if c := p.Call(); c != nil && c.Category != capability.Read && !p.Told("read-then-send") {
			reportReads(p, flowWeights{scanner.High, scanner.Medium}, deeds[c.Category], p.Limits.Flow, !p.Limits.AnyTurn)
		}
	},
}
