package instructions

import (
	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/scanner"
)

var MarkdownExfil = scanner.Rule{
	ID:         "inj-markdown-exfil",
	Category:   "exfiltration",
	Title:      "The URL of an image or link contains a placeholder for data",
	Why:        "A client that renders the answer fetches the image, and the data in its URL is sent without a click.",
	Fix:        "Do not render images whose URLs come from data. Find out who wrote the text.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "A URL with a placeholder is an ordinary template unless the text says what to fill in. Without such an instruction, the finding is low.",
	Refs:       []string{"OWASP-MCP:MCP10", "OWASP-LLM:LLM05", "ATLAS:AML.T0077", "CWE-200"},
	Markup:     true,
	Patterns: []scanner.Pattern{{
		Name: "picture_with_blank",
		Expr: `(!?\[[^\]\n]{0,80}\]\(|<img\s[^>]{0,80}src\s*=\s*["']?)https?://[^\s)"'>]{1,120}[?&/=]\s*(\{+|<|\[|%7b|\$\{?|(the|your|all|insert|put)[_-]|` +
			`\w{0,40}[_-]here\b|(data|secret|conversation|summary|base64|payload|api_?key|token|password)s?\b)`,
		Anchors: []string{"](http", "src=", "src ="},
	}},
	Text: func(p *scanner.TextPass) {
		for _, m := range p.Matches {
			around := p.Folded[max(0, m.Start-160):min(len(p.Folded), m.End+160)]
			blank := p.Folded[m.End:min(len(p.Folded), m.End+blankReach)]
			severity, signals := scanner.Low, []string{"an address with a placeholder"}
			if (fillsBlank.Match(around) || contextBlank.Match(blank)) && !clause.NegatedOrQuoted(p.Folded, m.Start, m.End) {
				severity, signals = scanner.High, append(signals, "an instruction to fill in the placeholder")
				if clause.IsResult(p) {
					severity = clause.InData(p, m.Start, m.End, scanner.High)
				}
			}
			p.Report(scanner.Issue{Start: m.Start, End: m.End, Severity: severity, Signals: signals, Message: "the address of an image or link contains a placeholder for data"})
		}
	},
}

// blankReach is the maximum length of a placeholder, in bytes.
const blankReach = 60

// contextBlank matches a placeholder for information from the conversation.
var contextBlank = lazyregexp.New(`^[^)>\n]{0,40}\b(user|conversation|chat|summary|question|prompt|history|message|secret|password|token|e-?mail|session)\b[^)>\n]*[ _-]`)

// fillsBlank matches an instruction to put information from the conversation into an address.
var fillsBlank = lazyregexp.New(`\b(put|insert|replac\w+|fill|append|encode|include|add|substitut\w+|where)\b[^\n]{0,100}\b(` +
	clause.Conversation + `|` + clause.Secrets + `|conversation|chat|keys?|` +
	`tokens?|passwords?|e-?mails?|data|contents?|summary|names?|secrets?)\b`)
