package supplychain

import "github.com/mcpscan/mcpscan/scanner"

var KnownVulnerable = scanner.Rule{
	ID:         "sup-known-vulnerable",
	Category:   "supply_chain",
	Title:      "A server runs a package version with a known vulnerability",
	Why:        "Attackers try published vulnerabilities against everyone who has not updated. A vulnerable server or bridge may give control of its machine to anyone who can reach it or influence it through a model.",
	Fix:        "Upgrade to a version that the advisory does not list, such as one that the message names, and pin it. If there is no such version, replace the package.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "A package is reported only if every version that the launcher may fetch is affected. The finding has the severity that the advisory gives, or one level lower if the advisory's range was not verified.",
	Refs:       []string{"OWASP-MCP:MCP04", "ATLAS:AML.T0010.005", "CWE-1395"},
	Config:     NewAdvisories(nil).check(false),
}
