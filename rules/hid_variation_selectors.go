package rules

import (
	"unicode"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/scanner"
)

var hidVariationSelectors = scanner.Rule{
	ID:         "hid-variation-selectors",
	Category:   "hidden_instructions",
	Title:      "Variation selectors carry a hidden text",
	Why:        "The 256 variation selectors are invisible and stand for 256 bytes: any text fits behind one emoji.",
	Fix:        "Remove the server. One selector belongs behind one character; a run of them is a message.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "Unicode allows one selector behind a base character. Two or more in a row have no meaning in any text.",
	Refs:       []string{"OWASP-MCP:MCP03", "OWASP-LLM:LLM01", "ATLAS:AML.T0068", "CWE-1007"},
	Unusual: func(p *scanner.TextPass) {
		for i := 0; i < len(p.Source); {
			start := i
			var said []byte
			for i < len(p.Source) {
				r, n := utf8.DecodeRune(p.Source[i:])
				if !unicode.Is(unicode.Variation_Selector, r) || r < 0xFE00 {
					break
				}
				said, i = append(said, selected(r)), i+n
			}
			if i == start {
				_, n := utf8.DecodeRune(p.Source[i:])
				i += n
				continue
			}
			if len(said) < 2 {
				continue
			}
			decoded := ""
			if utf8.Valid(said) {
				decoded = string(said)
			}
			p.ReportSource(scanner.Issue{Start: start, End: i, Severity: scanner.High, Decoded: decoded,
				Message: "the text has a run of variation selectors: bytes that nobody sees"})
		}
	},
}

// selected returns the byte that a variation selector stands for, by number.
func selected(r rune) byte {
	if r >= 0xE0100 {
		return byte(r - 0xE0100 + 16)
	}
	return byte(r - 0xFE00)
}
