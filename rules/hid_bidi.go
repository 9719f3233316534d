package rules

import (
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/scanner"
)

var hidBidi = scanner.Rule{
	ID:         "hid-bidi",
	Category:   "hidden_instructions",
	Title:      "Text is displayed in a different order than it is read",
	Why:        "Bidirectional overrides make a person see other words than the model reads (the Trojan Source technique, CVE-2021-42574).",
	Fix:        "Read the text with the marks made visible, and remove the server if it has no reason for them.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "Tool documentation does not need overrides and embeddings; isolates and marks, which right-to-left text needs, are not reported.",
	Refs:       []string{"OWASP-MCP:MCP03", "ATLAS:AML.T0068", "CWE-1007"},
	Unusual: func(p *scanner.TextPass) {
		for i := 0; i < len(p.Source); {
			r, n := utf8.DecodeRune(p.Source[i:])
			if r >= 0x202A && r <= 0x202E && r != 0x202C {
				severity := scanner.High
				if result(p) {
					severity = scanner.Medium
				}
				p.ReportSource(scanner.Issue{Start: i, End: i + n, Severity: severity,
					Message: "the text contains a bidirectional override: people see other words than the model reads"})
				return
			}
			i += n
		}
	},
}
