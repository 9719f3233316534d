package rules

import (
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/scanner"
)

var annOpenworldContradiction = scanner.Rule{
	ID:         "ann-openworld-contradiction",
	Category:   "policy",
	Title:      "A tool annotated openWorldHint false connects to an address that the caller chooses",
	Why:        "Clients trust results of closed-world tools and send them data. A tool that takes an address reads from and writes to anybody.",
	Fix:        "Treat the tool as one with network access. Ask the author to correct the annotation.",
	Severity:   scanner.Low,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The tool requires an address, or is named for fetching and takes one. The address may be within the server's own system, so the severity is low.",
	Refs:       []string{"OWASP-MCP:MCP10", "OWASP-LLM:LLM06", "CWE-807"},
	Message: func(p *scanner.MessagePass) {
		ownTools(p, func(d *scanner.Definition, node int) {
			at, open := annotation(p.Doc, node, "openWorldHint")
			if at < 0 || open {
				return
			}
			fetches, found := fetchesWeb.MatchString(spell(d.Name)), false
			parameters(p.Doc, node, func(s subschema, name string) {
				found = found || s.depth == 1 && addressParameter.MatchString(spell(name)) && (fetches || p.Required(s.around, name))
			})
			if found {
				p.Report(at, false, scanner.Low, "annotated openWorldHint: false, but takes an address to connect to")
			}
		})
	},
}

var (
	fetchesWeb       = lazyregexp.New(`\b(fetch|crawl|scrape|browse|navigate|download|http|web|website|url)\b`)
	addressParameter = lazyregexp.New(`^((web|page|target|site|remote) ?)?(url|uri|website|web ?page|link)s?$`)
)
