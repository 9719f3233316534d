package hidden

import (
	"maps"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var ZeroWidth = scanner.Rule{
	ID:         "hid-zero-width",
	Category:   "hidden_instructions",
	Title:      "Text contains invisible characters",
	Why:        "Zero-width and private-use characters split the words that filters look for, and can encode messages bit by bit.",
	Fix:        "Remove the characters. Those that the script of the text needs are not reported.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "Joiners between letters of scripts that need them, and between emoji, are not reported. Four or more invisible characters in a row, two kinds in one text, one inside a Latin word, or eight in one text are no accident. Fewer of one kind, outside of Latin words, may be accidental, so they are rated medium. Private-use characters have no meaning in tool documentation. Web pages contain many such characters, so the severity of findings in data is one level lower.",
	Refs:       []string{"OWASP-MCP:MCP03", "OWASP-LLM:LLM01", "ATLAS:AML.T0068", "CWE-1007"},
	Unusual: func(p *scanner.TextPass) {
		worst, total, all := scanner.Issue{}, 0, map[rune]bool{}
		for i := text.NonASCII(p.Source, 0); i < len(p.Source); i = text.NonASCII(p.Source, i) {
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
			severity := unseenSeverity(p.Source[:start], p.Source[i:], kinds, count)
			if severity == 0 {
				continue
			}
			total += count
			maps.Copy(all, kinds)
			if severity > worst.Severity {
				worst = scanner.Issue{Start: start, End: i, Severity: severity}
			}
		}
		if total >= unseenTotal || len(all) > 1 {
			worst.Severity = scanner.High
		}
		if total > 0 {
			worst.Severity, worst.Message = clause.LowerInResult(p, worst.Severity), "the text contains invisible characters"
			p.ReportSource(worst)
		}
	},
}

// The minimum numbers of invisible characters, in one run and in a whole text, that are no
// accident.
const (
	unseenRun   = 4
	unseenTotal = 8
)

// unseenSeverity rates a run of invisible characters between two parts of a text, or returns 0 if
// it is not worth a finding.
func unseenSeverity(before, after []byte, kinds map[rune]bool, count int) scanner.Severity {
	follows, _ := utf8.DecodeRune(after)
	precedes, _ := utf8.DecodeLastRune(before)
	joined := (kinds[0x200C] || kinds[0x200D]) && (notLatin(follows) || notLatin(precedes) || unicode.IsSymbol(precedes) || unicode.Is(unicode.Variation_Selector, precedes))
	switch {
	case count >= unseenRun || len(kinds) > 1 || privateUse(kinds) || unicode.Is(unicode.Latin, precedes) && unicode.Is(unicode.Latin, follows):
		return scanner.High
	case joined || len(before) == 0:
		return 0
	}
	return scanner.Medium
}

// notLatin reports whether r is a letter of a non-Latin script, or a mark that belongs to one, such
// as the virama before a joiner that ends a Malayalam word.
func notLatin(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M) && !unicode.In(r, unicode.Latin, unicode.Inherited)
}

// unseen reports whether s starts with an invisible or private-use character.
func unseen(s []byte) bool {
	r, _ := utf8.DecodeRune(s)
	return r >= 0x200B && r <= 0x200D || r >= 0x2060 && r <= 0x2064 || unicode.Is(unicode.Co, r) ||
		slices.Contains([]rune{0xFEFF, 0x180E, 0x115F, 0x1160, 0x3164, 0xFFA0}, r)
}

func privateUse(kinds map[rune]bool) bool {
	for r := range kinds {
		if unicode.Is(unicode.Co, r) {
			return true
		}
	}
	return false
}
