package hidden

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/tools"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

var UIModelSplit = scanner.Rule{
	ID:         "hid-ui-model-split",
	Category:   "hidden_instructions",
	Title:      "A tool's title does not match its name and description",
	Why:        "Clients show the title when they ask for consent, but give the model the name and description. The user may approve a title that does not describe what the tool does.",
	Fix:        "Read the description, not the title. Ask the author to correct the title, or remove the server.",
	Severity:   scanner.Low,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "No word in the title has the same beginning as a word in the name or description. All 1,625 tool titles in 308 listings of published servers contain such a word, but a loosely translated title may contain none, so the severity is low.",
	Refs:       []string{"OWASP-MCP:MCP03", "ATLAS:AML.T0074", "CWE-451"},
	Message: func(p *scanner.MessagePass) {
		tools.Each(p, func(d *mcp.Definition, node int) {
			if len(d.Description) == 0 {
				return
			}
			for _, at := range [...]int{p.Doc.Get(node, "title"), p.Doc.Get(p.Doc.Get(node, "annotations"), "title")} {
				if p.Doc.Kind(at) != wire.String {
					continue
				}
				title := p.Doc.TextString(at)
				shown := stems(title[:min(len(title), shownTitle)])
				if len(shown) >= splitWords && !mayShare(d, shown) {
					p.Report(at, false, scanner.Low, "the title that people see shares no word with the name and description")
				}
			}
		})
	},
}

// shownTitle is the maximum number of bytes compared in a title; clients show fewer.
const shownTitle = 200

// splitWords is the minimum number of words in a compared title: a single word may be a brand or
// nickname.
const splitWords = 2

// The minimum length of a compared word, and the length of its stem, so that "file" and "files" are
// equal.
const (
	stemWord = 3
	stem     = 4
)

// stems returns the stems of a title's words. It returns none for a title with a non-ASCII letter,
// because a translation may share no words with the original.
func stems(title string) (all []string) {
	for w := range names.EachWord(title) {
		if !isASCII(w) {
			return nil
		}
		if len(w) >= stemWord {
			all = append(all, w[:min(len(w), stem)])
		}
	}
	return all
}

// mayShare reports whether a definition's name or description has a word with one of the stems, or, as
// in a translation, a word with a non-ASCII letter.
func mayShare(d *mcp.Definition, stems []string) bool {
	for _, s := range [...]string{d.Name, d.Description} {
		for w := range names.EachWord(s) {
			if !isASCII(w) || len(w) >= stemWord && slices.Contains(stems, w[:min(len(w), stem)]) {
				return true
			}
		}
	}
	return false
}

func isASCII(word string) bool {
	return !strings.ContainsFunc(word, func(r rune) bool { return r >= utf8.RuneSelf })
}
