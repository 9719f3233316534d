package protocol

import (
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

var DuplicateDefinition = scanner.Rule{
	ID:         "prt-duplicate-definition",
	Category:   "protocol",
	Title:      "A list contains two definitions with the same name",
	Why:        "The protocol does not define which of the two a client uses: a reviewer may read one and the model the other.",
	Fix:        "Make the server list each name once.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The published servers examined rarely list two different definitions with one name, and only by mistake. Listing the same definition twice is rated low.",
	Refs:       []string{"OWASP-MCP:MCP03", "CWE-436"},
	Message: func(p *scanner.MessagePass) {
		type key struct {
			kind mcp.SubjectKind
			name string
		}
		seen := map[key]*mcp.Definition{}
		for i := range p.Message.Definitions {
			d := &p.Message.Definitions[i]
			if d.Name == "" {
				continue
			}
			k := key{d.Kind, d.Name}
			first := seen[k]
			if first == nil {
				seen[k] = d
				continue
			}
			if first.Digest == d.Digest {
				p.Report(d.Node, false, scanner.Low, "the list contains the same definition twice")
			} else {
				p.Report(d.Node, false, scanner.High, "the list contains another definition with the same name")
			}
		}
	},
}
