package hidden

import (
	"strings"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var UnicodeTags = scanner.Rule{
	ID:         "hid-unicode-tags",
	Category:   "hidden_instructions",
	Title:      "Text contains invisible tag characters",
	Why:        "Unicode tag characters encode ASCII text that terminals and browsers do not display but models can read, so they can hide an instruction from a reviewer.",
	Fix:        "Remove the server. Apart from flag emoji, these characters have no legitimate use.",
	Severity:   scanner.Critical,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "Unicode has deprecated the use of tag characters as language tags. It now uses them only in emoji, and recommends only three such emoji for interchange: the flags of England, Scotland and Wales. Other text has no use for tag characters.",
	Refs:       []string{"OWASP-MCP:MCP03", "OWASP-LLM:LLM01", "ATLAS:AML.T0068", "CWE-1007"},
	Unusual: func(p *scanner.TextPass) {
		for i := text.NonASCII(p.Source, 0); i < len(p.Source); i = text.NonASCII(p.Source, i) {
			r, n := utf8.DecodeRune(p.Source[i:])
			if !tag(r) {
				i += n
				continue
			}
			start := i
			var said strings.Builder
			for i < len(p.Source) {
				r, n := utf8.DecodeRune(p.Source[i:])
				if !tag(r) {
					break
				}
				if r >= 0xE0020 && r < 0xE007F {
					said.WriteByte(byte(r - 0xE0000))
				}
				i += n
			}
			if flag(p.Source[:start], said.String()) {
				continue
			}
			p.ReportSource(scanner.Issue{Start: start, End: i, Severity: scanner.Critical, Decoded: said.String(),
				Message: "part of the text is invisible: it consists of Unicode tag characters"})
		}
	},
}

func tag(r rune) bool { return r >= 0xE0000 && r <= 0xE007F }

// flag reports whether the tags spell one of the flags that UTS #51 recommends for interchange
// (England, Scotland and Wales) and follow a black flag.
func flag(before []byte, said string) bool {
	last, _ := utf8.DecodeLastRune(before)
	return last == 0x1F3F4 && (said == "gbeng" || said == "gbsct" || said == "gbwls")
}
