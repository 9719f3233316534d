package hidden

import (
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var Bidi = scanner.Rule{
	ID:         "hid-bidi",
	Category:   "hidden_instructions",
	Title:      "Bidirectional controls change the order in which text is displayed",
	Why:        "Bidirectional overrides make people see different words than the model reads (the Trojan Source technique, CVE-2021-42574).",
	Fix:        "Make the controls visible and read the text. Remove the server if it has no reason for them.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "Tool documentation needs neither overrides nor embeddings. Isolates and marks, which right-to-left text needs, are not reported.",
	Refs:       []string{"OWASP-MCP:MCP03", "ATLAS:AML.T0068", "CWE-1007"},
	Unusual: func(p *scanner.TextPass) {
		for i := text.NonASCII(p.Source, 0); i < len(p.Source); i = text.NonASCII(p.Source, i) {
			r, n := utf8.DecodeRune(p.Source[i:])
			if r >= 0x202A && r <= 0x202E && r != 0x202C {
				severity := scanner.High
				if clause.IsResult(p) {
					severity = scanner.Medium
				}
				p.ReportSource(scanner.Issue{Start: i, End: i + n, Severity: severity,
					Message: "the text contains a bidirectional override or embedding: people may see the words in a different order than the model reads them"})
				return
			}
			i += n
		}
	},
}
