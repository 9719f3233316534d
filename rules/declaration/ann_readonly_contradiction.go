package declaration

import (
	"github.com/mcpscan/mcpscan/internal/tools"
	"github.com/mcpscan/mcpscan/scanner"
)

var ReadonlyContradiction = scanner.Rule{
	ID:         "ann-readonly-contradiction",
	Category:   "policy",
	Title:      "A tool that calls itself read-only says that it changes something",
	Why:        "Clients run read-only tools without asking. A false annotation turns that off for a tool that deletes or sends.",
	Fix:        "Do not let the client approve by annotations of this server. Have the annotation corrected.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The name or the first words of the description are a verb of change, with no verb of reading beside it. Of 598 read-only tools of published servers one is found, which writes a file. Tools that create a text for the model to use are the known false alarm.",
	Refs:       []string{"OWASP-MCP:MCP02", "OWASP-LLM:LLM06", "CWE-807"},
	Message: func(p *scanner.MessagePass) {
		tools.Each(p, func(d *scanner.Definition, node int) {
			at, readOnly := tools.Annotation(p.Doc, node, "readOnlyHint")
			if readOnly && tools.WritesItself(d) {
				p.Report(at, false, scanner.Medium, "the tool is annotated as read-only, and its name or description says that it is not")
			}
		})
	},
}
