package supplychain

import "github.com/mcpscan/mcpscan/scanner"

var KnownMalicious = scanner.Rule{
	ID:         "sup-known-malicious",
	Category:   "supply_chain",
	Title:      "A package is started in a version that is known to be malicious",
	Why:        "The package does what its author wants, with the rights and the credentials of the server: it was published for that, or taken over.",
	Fix:        "Remove it, and replace every credential that it could read.",
	Severity:   scanner.Critical,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "Every version that can be fetched was reported as malicious by whom the message names.",
	Refs:       []string{"OWASP-MCP:MCP04", "OWASP-LLM:LLM03", "ATLAS:AML.T0011.002", "CWE-506"},
	Config:     NewAdvisories(nil).check(true),
}
