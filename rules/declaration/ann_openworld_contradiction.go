package declaration

import (
	"github.com/mcpscan/mcpscan/internal/jsonschema"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/tools"
	"github.com/mcpscan/mcpscan/scanner"
)

var OpenworldContradiction = scanner.Rule{
	ID:         "ann-openworld-contradiction",
	Category:   "policy",
	Title:      "A tool annotated openWorldHint: false connects to an address that the caller chooses",
	Why:        "A client may trust the results of a tool with openWorldHint: false, and call it without asking. A tool that takes an address can read from and write to any host.",
	Fix:        "Treat the tool as one with network access. Ask the author to correct the annotation.",
	Severity:   scanner.Low,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The tool requires an address, or accepts one and has a name that suggests that it fetches something. The address may be within the server's own system, so the severity is low.",
	Refs:       []string{"OWASP-MCP:MCP10", "OWASP-LLM:LLM06", "CWE-807"},
	Message: func(p *scanner.MessagePass) {
		tools.Each(p, func(d *mcp.Definition, node int) {
			at, open := tools.Annotation(p.Doc, node, "openWorldHint")
			if at < 0 || open {
				return
			}
			fetches, found := tools.FetchesWeb.MatchString(names.Spell(d.Name)), false
			jsonschema.Parameters(p.Doc, node, func(s jsonschema.Subschema, name string) {
				found = found || s.Depth == 1 && tools.AddressParameter.MatchString(names.Spell(name)) && (fetches || p.Required(s.Around, name))
			})
			if found {
				p.Report(at, false, scanner.Low, "annotated openWorldHint: false, but takes an address to connect to")
			}
		})
	},
}
