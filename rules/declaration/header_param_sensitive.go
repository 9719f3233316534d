package declaration

import (
	"github.com/mcpscan/mcpscan/internal/jsonschema"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/tools"
	"github.com/mcpscan/mcpscan/scanner"
)

var HeaderParamSensitive = scanner.Rule{
	ID:         "sch-header-param-sensitive",
	Category:   "exfiltration",
	Title:      "A sensitive parameter is copied to an HTTP header",
	Why:        "Proxies and gateways often log headers, but seldom bodies.",
	Fix:        "Remove x-mcp-header from the parameter: headers are for values that intermediaries need for routing.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "Protocol version 2026-07-28 says that passwords, keys, tokens and personal data should not be in headers. A parameter for free text can contain anything, so it is rated low.",
	Refs:       []string{"OWASP-MCP:MCP01", "OWASP-LLM:LLM02", "CWE-532"},
	Message: func(p *scanner.MessagePass) {
		tools.Each(p, func(d *mcp.Definition, node int) {
			headerParameters(p.Doc, node, func(s jsonschema.Subschema, header int) {
				if s.Around < 0 || p.Full() {
					return
				}
				name := p.Doc.KeyString(s.Node)
				switch said := names.Spell(name); {
				case secretParameter(p.Doc, d.Name, s.Node, name) != noSecret:
					p.Report(header, false, scanner.Medium, "a secret is copied to a header")
				case personalData.MatchString(said):
					p.Report(header, false, scanner.Medium, "personal data is copied to a header")
				case freeText.MatchString(said) && jsonschema.HoldsText(p.Doc, s.Node):
					p.Report(header, false, scanner.Low, "free text is copied to a header")
				}
			})
		})
	},
}

var (
	personalData = lazyregexp.New(`\b(e ?mail|phone|mobile|fax|(street|home|postal|billing) address|birth ?(day|date)|date of birth|dob|passport|` +
		`(tax|national|insurance) (id|number)|iban|account number|(first|last|full|sur|family) ?name|patient|diagnosis|salary|latitude|longitude)\b`)
	freeText = lazyregexp.New(`\b(prompt|messages?|body|text|contents?|comments?|notes?|question|query|search|description|instructions?)$`)
)
