package configuration

import (
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var EnvDenied = scanner.Rule{
	ID:         "cfg-env-denied",
	Category:   "policy",
	Title:      "A server is handed a variable that the policy does not let it have",
	Why:        "A server can read all of its environment and send it anywhere. A key that it does not need is a key that it can lose.",
	Fix:        "Take the variable out of the configuration, or name it in env_allow if the server needs it.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The policy is the user's own. High where the variable holds a secret by its name, and medium otherwise. Silent for servers that the policy does not declare.",
	Refs:       []string{"OWASP-MCP:MCP01", "OWASP-MCP:MCP02", "CWE-526"},
	Config: func(p *scanner.ConfigPass) {
		for i := range p.Entries {
			e := &p.Entries[i]
			named(e.Env, "/env/", func(pointer, name, _ string) {
				d := p.Variable(e, name)
				if d.Verdict != scanner.Block {
					return
				}
				severity := scanner.Medium
				if text.NamesSecret(name) {
					severity = scanner.High
				}
				p.Report(e, pointer, severity, "the policy does not let the server have this variable: "+d.Reason, name,
					scanner.Related{Message: "the server is declared here", Location: d.Location})
			})
		}
	},
}
