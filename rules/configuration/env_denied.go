package configuration

import (
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var EnvDenied = scanner.Rule{
	ID:         "cfg-env-denied",
	Category:   "policy",
	Title:      "A server gets an environment variable that the policy does not allow",
	Why:        "A server can read its whole environment and send it anywhere. It can leak any key in its environment, whether it needs the key or not.",
	Fix:        "Remove the variable from the configuration, or add it to env_allow if the server needs it.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The policy states what the user allows, so the violation is certain. The finding is high if the name of the variable indicates a secret, otherwise medium. Servers that the policy does not declare are not checked.",
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
				p.Report(e, pointer, severity, "the policy does not allow this variable for the server: "+d.Reason, name,
					scanner.Related{Message: "the policy declares the server here", Location: d.Location})
			})
		}
	},
}
