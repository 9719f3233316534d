package supplychain

import "github.com/mcpscan/mcpscan/scanner"

var KnownMalicious = scanner.Rule{
	ID:         "sup-known-malicious",
	Category:   "supply_chain",
	Title:      "A server runs a package version known to be malicious",
	Why:        "The package acts for its author, with the server's permissions and credentials: someone published it for that purpose, or took over an existing package.",
	Fix:        "Remove the package, and rotate every credential that it could read.",
	Severity:   scanner.Critical,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "A package is reported only if the advisory named in the message lists every version that the launcher may fetch as malicious.",
	Refs:       []string{"OWASP-MCP:MCP04", "OWASP-LLM:LLM03", "ATLAS:AML.T0011.002", "CWE-506"},
	Config:     NewAdvisories(nil).check(true),
}
