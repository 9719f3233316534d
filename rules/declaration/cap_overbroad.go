package declaration

import (
	"fmt"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/tools"
	"github.com/mcpscan/mcpscan/scanner"
)

// manyTools is the maximum number of tools in a request to the OpenAI API or VS Code chat.
const manyTools = 128

var CapOverbroad = scanner.Rule{
	ID:         "cap-overbroad",
	Category:   "policy",
	Title:      "A server offers too many tools, or does not annotate destructive ones",
	Why:        "A client that asks only before calls to tools with destructiveHint: true does not ask before it runs a destructive tool without this annotation. A list that is too long for a request is refused or truncated, so the model does not see all tools.",
	Fix:        "Disable the tools that you do not need, and require approval for calls to the others.",
	Severity:   scanner.Note,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The finding is a note, because legitimate servers have such tools, too: one in twenty-five tools of the published servers examined has a destructive name and no annotation. An annotation that contradicts the name is rated low.",
	Refs:       []string{"OWASP-MCP:MCP02", "OWASP-LLM:LLM06", "CWE-250"},
	Message: func(p *scanner.MessagePass) {
		count, list := 0, -1
		tools.Each(p, func(d *mcp.Definition, node int) {
			count, list = count+1, int(p.Doc.Nodes[node].Parent)
			if !tools.DestroysByName(names.Spell(d.Name)) {
				return
			}
			_, readOnly := tools.Annotation(p.Doc, node, "readOnlyHint")
			switch at, destructive := tools.Annotation(p.Doc, node, "destructiveHint"); {
			case readOnly || destructive: // ann-readonly-contradiction covers readOnly
			case at >= 0:
				p.Report(at, false, scanner.Low, "annotated destructiveHint: false, but the name indicates that the tool destroys something")
			default:
				p.Report(p.Doc.Get(node, "name"), false, scanner.Note, "the name indicates that the tool destroys something, but no annotation does")
			}
		})
		if count > manyTools {
			p.Report(list, false, scanner.Note, fmt.Sprintf("the list has %d tools, more than fit into one request", count))
		}
	},
}
