package hidden

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var VariationSelectors = scanner.Rule{
	ID:         "hid-variation-selectors",
	Category:   "hidden_instructions",
	Title:      "Variation selectors hide text",
	Why:        "The 256 variation selectors are invisible and can encode all 256 byte values, so any text can hide behind one emoji.",
	Fix:        "Remove the server. A character takes at most one selector, so a run of selectors encodes a message.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "Unicode allows one selector after a base character. Two or more in a row, or one after each of three ASCII letters, have no meaning in any text.",
	Refs:       []string{"OWASP-MCP:MCP03", "OWASP-LLM:LLM01", "ATLAS:AML.T0068", "CWE-1007"},
	Unusual: func(p *scanner.TextPass) {
		onLetters := 0
		for i := text.NonASCII(p.Source, 0); i < len(p.Source); i = text.NonASCII(p.Source, i) {
			start := i
			var said []byte
			for i < len(p.Source) {
				r, n := utf8.DecodeRune(p.Source[i:])
				if r < 0xFE00 || !unicode.Is(unicode.Variation_Selector, r) {
					break
				}
				said, i = append(said, selected(r)), i+n
			}
			if i == start {
				_, n := utf8.DecodeRune(p.Source[i:])
				i += n
				continue
			}
			if base, _ := utf8.DecodeLastRune(p.Source[:start]); len(said) == 1 && base < utf8.RuneSelf && !(said[0] >= 14 && (base == '#' || base == '*' || base >= '0' && base <= '9')) {
				onLetters++
			}
			if len(said) == 1 && onLetters != letterSelectors || bytes.Equal(said, doubled) {
				continue
			}
			decoded := ""
			if utf8.Valid(said) {
				decoded = string(said)
			}
			p.ReportSource(scanner.Issue{Start: start, End: i, Severity: scanner.High, Decoded: decoded,
				Message: "the text contains variation selectors that encode invisible bytes"})
		}
	},
}

// doubled is a repeated emoji selector, a common editing mistake.
var doubled = []byte{15, 15}

// letterSelectors is the minimum number of ASCII characters without variant forms, such as letters,
// each followed by a variation selector, that counts as a hidden message.
const letterSelectors = 3

// selected returns the byte that a variation selector encodes.
func selected(r rune) byte {
	if r >= 0xE0100 {
		return byte(r - 0xE0100 + 16)
	}
	return byte(r - 0xFE00)
}
