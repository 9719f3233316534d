package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/scanner"
)

var hidHomoglyph = scanner.Rule{
	ID:         "hid-homoglyph",
	Category:   "tool_shadowing",
	Title:      "A name mixes look-alike letters",
	Why:        "A name with one letter of another alphabet looks like a trusted name but is a different one.",
	Fix:        "Do not approve the tool. Compare the name with the one you know, letter by letter.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "Only a word that mixes Latin letters with Cyrillic, Greek or Cherokee ones is reported, as in the restriction levels of UTS #39; a name in one foreign script is not.",
	Refs:       []string{"OWASP-MCP:MCP04", "ATLAS:AML.T0074", "CWE-1007"},
	Unusual: func(p *scanner.TextPass) {
		if key := p.Key(); !p.Subject.Definition() || key != "name" && key != "title" && key != "uri" {
			return
		}
		if start, end, mixed := mixedAlphabets(p.Source); mixed {
			p.ReportSource(scanner.Issue{Start: start, End: end, Severity: scanner.High, Message: "the name mixes alphabets with look-alike letters"})
		}
	},
}

// mixedAlphabets finds the first word that mixes Latin letters with those of another
// alphabet that look like them.
func mixedAlphabets(s []byte) (start, end int, mixed bool) {
	for i := 0; i < len(s); {
		start, latin, alike := i, false, false
		for i < len(s) {
			r, n := utf8.DecodeRune(s[i:])
			if !unicode.IsLetter(r) {
				break
			}
			latin = latin || unicode.Is(unicode.Latin, r)
			alike = alike || unicode.In(r, unicode.Cyrillic, unicode.Cherokee, unicode.Armenian) || strings.ContainsRune(latinGreek, r)
			i += n
		}
		if latin && alike {
			return start, i, true
		}
		if i < len(s) {
			_, n := utf8.DecodeRune(s[i:])
			i += n
		}
	}
	return 0, 0, false
}

// latinGreek are the Greek letters that a reader takes for Latin ones; a delta
// or a mu in a name is mathematics.
const latinGreek = "αικνορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ"
