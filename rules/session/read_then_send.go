package session

import (
	"github.com/mcpscan/mcpscan/internal/capability"
	"github.com/mcpscan/mcpscan/scanner"
)

var ReadThenSend = scanner.Rule{
	ID:         "read-then-send",
	Category:   "cross_server_flow",
	Title:      "One server was read, and another one was used to send soon after",
	Why:        "This is how data leaves: one server hands it over, another carries it away, and each does what it is for. Whoever wrote what was read may have asked for it.",
	Fix:        "Look at what was read and at what was sent. Have calls that send confirmed, or keep servers that send away from those that hold private data.",
	Severity:   scanner.Critical,
	Confidence: scanner.ConfidenceLow,
	Basis:      "The rule sees the order of calls, and a user who asks for a file to be mailed looks the same; docs/detection.md has how often that is in clean runs of agents. So it is medium, and critical, as in the agentsh design, where what was read gives orders to an AI or holds a secret, or the name of what was read says that it keeps secrets. With the profile strict it is always critical. The decision about the call is that of that design, whatever it weighs. What a tool does is told from its definition, or from its name alone where none was seen.",
	Refs:       []string{"OWASP-MCP:MCP10", "OWASP-LLM:LLM06", "ATLAS:AML.T0086", "CWE-200"},
	Flows:      true, // for secrets in what is read
	On:         scanner.OnCall,
	Judge: func(p *scanner.JudgePass) {
		if c := p.Call(); c != nil && c.Category == capability.Send {
			reportReads(p, flowWeights{scanner.Critical, scanner.Medium}, deeds[c.Category], p.Limits.ReadThenSend, false)
		}
	},
}

// deeds say what a tool does, by its category.
var deeds = [...]string{
	capability.Unknown: "is called",
	capability.Read:    "reads",
	capability.Write:   "writes",
	capability.Send:    "sends",
	capability.Compute: "computes",
}
