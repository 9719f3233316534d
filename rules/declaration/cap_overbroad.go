package declaration

import (
	"fmt"

	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/tools"
	"github.com/mcpscan/mcpscan/scanner"
)

// manyTools is what a model is given at once at most: the APIs of OpenAI and the
// chat of VS Code take 128 tools in a request.
const manyTools = 128

var CapOverbroad = scanner.Rule{
	ID:         "cap-overbroad",
	Category:   "policy",
	Title:      "A server offers more than a client can tell apart",
	Why:        "A client that goes by annotations cannot ask before a tool that destroys and does not say so. A list beyond what fits a request is cut, and nobody reviews it.",
	Fix:        "Switch off the tools that are not needed, and have calls of the others approved.",
	Severity:   scanner.Note,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "An inventory, no accusation: one tool in twenty-five of published servers has the name of one that destroys and no annotation. To be annotated as the opposite is low.",
	Refs:       []string{"OWASP-MCP:MCP02", "OWASP-LLM:LLM06", "CWE-250"},
	Message: func(p *scanner.MessagePass) {
		count, list := 0, -1
		tools.Each(p, func(d *scanner.Definition, node int) {
			count, list = count+1, int(p.Doc.Nodes[node].Parent)
			if !tools.DestroysByName(names.Spell(d.Name)) {
				return
			}
			_, readOnly := tools.Annotation(p.Doc, node, "readOnlyHint")
			switch at, destructive := tools.Annotation(p.Doc, node, "destructiveHint"); {
			case readOnly || destructive: // the former is ann-readonly-contradiction
			case at >= 0:
				p.Report(at, false, scanner.Low, "the tool is annotated as not destructive, and its name says that it is")
			default:
				p.Report(p.Doc.Get(node, "name"), false, scanner.Note, "the tool destroys something by its name, and no annotation says so")
			}
		})
		if count > manyTools {
			p.Report(list, false, scanner.Note, fmt.Sprintf("a list of %d tools: more than fit into a request", count))
		}
	},
}
