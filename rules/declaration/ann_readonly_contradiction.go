package declaration

import (
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/tools"
	"github.com/mcpscan/mcpscan/scanner"
)

var ReadonlyContradiction = scanner.Rule{
	ID:         "ann-readonly-contradiction",
	Category:   "policy",
	Title:      "A tool annotated as read-only claims to change something",
	Why:        "Many clients run read-only tools without asking. With a false annotation, a tool that deletes or sends runs without asking, too.",
	Fix:        "Do not let the client use this server's annotations to decide which calls need approval. Ask the author to correct them.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The name or the first words of the description contain a verb for changing something, and none for reading. Of 598 read-only tools on published servers, the rule reports one, which writes a file. Tools that create text for the model to use are a known source of false positives.",
	Refs:       []string{"OWASP-MCP:MCP02", "OWASP-LLM:LLM06", "CWE-807"},
	Message: func(p *scanner.MessagePass) {
		tools.Each(p, func(d *mcp.Definition, node int) {
			at, readOnly := tools.Annotation(p.Doc, node, "readOnlyHint")
			if readOnly && tools.WritesItself(d) {
				p.Report(at, false, scanner.Medium, "annotated readOnlyHint: true, but the name or description says that the tool changes something")
			}
		})
	},
}
