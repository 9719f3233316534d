package hidden

import (
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/scanner"
)

var Homoglyph = scanner.Rule{
	ID:         "hid-homoglyph",
	Category:   "tool_shadowing",
	Title:      "A name mixes look-alike letters of different alphabets",
	Why:        "A name with one letter of another alphabet can look exactly like a trusted name.",
	Fix:        "Do not approve the tool. Compare the name with the one you know, letter by letter.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The rule reports words that mix Latin letters with Cyrillic, Armenian or Cherokee ones, or with Greek ones that look like Latin letters. The Highly Restrictive level of UTS #39 excludes such words. Names in a single non-Latin script are not reported.",
	Refs:       []string{"OWASP-MCP:MCP04", "ATLAS:AML.T0074", "CWE-1007"},
	Unusual: func(p *scanner.TextPass) {
		if key := p.Key(); !p.Subject.Definition() || key != "name" && key != "title" && key != "uri" {
			return
		}
		if start, end, mixed := names.MixedAlphabets(p.Source); mixed {
			p.ReportSource(scanner.Issue{Start: start, End: end, Severity: scanner.High, Message: "the name mixes look-alike letters of different alphabets"})
		}
	},
}
