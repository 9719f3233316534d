package supplychain

import "github.com/mcpscan/mcpscan/scanner"

var KnownVulnerable = scanner.Rule{
	ID:         "sup-known-vulnerable",
	Category:   "supply_chain",
	Title:      "A package is started in a version with a known vulnerability",
	Why:        "What is published is tried on all who did not update. A vulnerable server, or a bridge to one, gives its machine to whoever can reach it or speaks to it through a model.",
	Fix:        "Name a version that is fixed. The message tells the first, and where it was published.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "Every version that can be fetched is affected. The severity is that of the advisory, a step lower where its range was not verified.",
	Refs:       []string{"OWASP-MCP:MCP04", "ATLAS:AML.T0010.005", "CWE-1395"},
	Config:     NewAdvisories(nil).check(false),
}
