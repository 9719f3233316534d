package rules

import (
	"unicode"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/scanner"
)

var hidZeroWidth = scanner.Rule{
	ID:         "hid-zero-width",
	Category:   "hidden_instructions",
	Title:      "Text has characters that nobody sees",
	Why:        "Characters without width or without meaning split words that filters look for, and carry messages bit by bit.",
	Fix:        "Have them removed. A text that needs them for its script is not reported.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "Joiners between letters of the scripts that need them, and between emoji, are left alone. A run of four or more, one of two kinds and one inside a Latin word are no accident; one behind a word can be, and is medium. Web pages are full of them, so data counts one step less.",
	Refs:       []string{"OWASP-MCP:MCP03", "OWASP-LLM:LLM01", "ATLAS:AML.T0068", "CWE-1007"},
	Unusual: func(p *scanner.TextPass) {
		for i := 0; i < len(p.Source); {
			if !unseen(p.Source[i:]) {
				_, n := utf8.DecodeRune(p.Source[i:])
				i += n
				continue
			}
			start, kinds := i, map[rune]bool{}
			count := 0
			for i < len(p.Source) && unseen(p.Source[i:]) {
				r, n := utf8.DecodeRune(p.Source[i:])
				kinds[r], count, i = true, count+1, i+n
			}
			severity := scanner.Medium
			switch {
			case count >= 4 || len(kinds) > 1 || private(kinds) || latin(p.Source[:start]) && starts(p.Source[i:]):
				severity = scanner.High
			case start == 0 || !latin(p.Source[:start]):
				continue
			}
			p.ReportSource(scanner.Issue{Start: start, End: i, Severity: lowered(p, severity),
				Message: "the text has characters that nobody sees"})
			return
		}
	},
}

// unseen reports a character at the start of s that has no width, or no meaning
// outside of an agreement between two parties.
func unseen(s []byte) bool {
	r, _ := utf8.DecodeRune(s)
	switch {
	case r >= 0x200B && r <= 0x200D, r >= 0x2060 && r <= 0x2064, r == 0xFEFF, r == 0x180E, r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0:
		return true
	}
	return unicode.Is(unicode.Co, r)
}

func private(kinds map[rune]bool) bool {
	for r := range kinds {
		if unicode.Is(unicode.Co, r) {
			return true
		}
	}
	return false
}

// starts reports whether s begins with a Latin letter.
func starts(s []byte) bool {
	r, _ := utf8.DecodeRune(s)
	return unicode.Is(unicode.Latin, r)
}

// latin reports whether s ends in a Latin letter or a digit, where no joiner belongs.
func latin(s []byte) bool {
	r, _ := utf8.DecodeLastRune(s)
	return unicode.Is(unicode.Latin, r) || r >= '0' && r <= '9'
}
