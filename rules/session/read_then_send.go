package session

import (
	"github.com/mcpscan/mcpscan/internal/capability"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

var ReadThenSend = scanner.Rule{
	ID:         "read-then-send",
	Category:   "cross_server_flow",
	Title:      "A send follows a read on another server",
	Why:        "One server returns data and another sends it away: a common exfiltration path in which each server only does its job. The author of the data may have asked for the send.",
	Fix:        "Check what was read and what was sent. Require approval for calls that send data, or do not combine servers that can send data with servers that have private data.",
	Severity:   scanner.Critical,
	Confidence: scanner.ConfidenceLow,
	Basis:      "The rule sees only the order of calls, which is the same when a user asks to mail a file; docs/detection.md has the rate in clean agent runs. The finding is therefore medium; it is rated critical, as in the agentsh design, if the read returned a secret or instructions to an AI, or if the name of its tool or server indicates secrets. In the strict profile it is always critical. Whatever the severity, mcpscan allows or blocks the call as the agentsh design prescribes. A read that has no request_id and has not been answered yet does not count, unless the recording has no answers from its server. The category of a tool comes from its definition, or from its name if no definition was seen.",
	Refs:       []string{"OWASP-MCP:MCP10", "OWASP-LLM:LLM06", "ATLAS:AML.T0086", "CWE-200"},
	Flows:      true, // for secrets in data that was read
	On:         mcp.OnCall,
	Judge: func(p *scanner.JudgePass) {
		if c := p.Call(); c != nil && c.Category == capability.Send {
			reportReads(p, flowWeights{scanner.Critical, scanner.Medium}, deeds[c.Category], "cross_server.read_then_send", p.Limits.ReadThenSend, false)
		}
	},
}

// deeds contains the verbs that findings use for a call, indexed by the category of the call.
var deeds = [...]string{
	capability.Unknown: "is called",
	capability.Read:    "reads",
	capability.Write:   "writes",
	capability.Send:    "sends",
	capability.Compute: "computes",
}
