package declaration

import (
	"fmt"

	"github.com/mcpscan/mcpscan/internal/jsonschema"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/tools"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// The maximum cost of a schema. The specification (2026-07-28) requires clients to limit the depth
// and number of subschemas, but names no values. Each limit exceeds the maximum among 2,301 tools
// of published servers: 76 kB, 1,160 objects, 24 levels of JSON, 9 kB of patterns.
const (
	maxSchemaBytes = 256 << 10
	maxSubschemas  = 5000
	maxSchemaDepth = 32
	maxPatterns    = 64 << 10 // in bytes
)

var ResourceBomb = scanner.Rule{
	ID:         "sch-resource-bomb",
	Category:   "schema",
	Title:      "A schema is too expensive to process",
	Why:        "A client that compiles or validates such a schema can hang or run out of memory, and a scanner that gives up has not inspected it.",
	Fix:        "Make the server send a smaller schema. Limit how much work the client does per schema.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "Each limit exceeds what the published servers examined need. A schema that refers to itself through a property or an array describes a tree and is not reported. A schema that refers back to itself for the same value is reported, because validating that value never ends.",
	Refs:       []string{"OWASP-LLM:LLM10", "CWE-400", "CWE-674", "CWE-1333"},
	Message: func(p *scanner.MessagePass) {
		tools.Each(p, func(_ *mcp.Definition, node int) {
			for _, key := range [...]string{"inputSchema", "outputSchema"} {
				root := p.Doc.Get(node, key)
				if p.Doc.Kind(root) != wire.Object || p.Full() {
					continue
				}
				if at, message := tooCostly(p.Doc, root); message != "" {
					p.Report(at, false, scanner.Medium, message)
				}
			}
		})
	},
}

// tooCostly describes the first limit that a schema exceeds, and returns the node that exceeds it.
// It stops there, so that its own work is bounded.
func tooCostly(doc *wire.Doc, root int) (at int, message string) {
	if n := len(doc.Raw(root)); n > maxSchemaBytes {
		return root, fmt.Sprintf("a schema of %d bytes: expected at most %d bytes", n, maxSchemaBytes)
	}
	count, patterns, refs := 0, 0, 0
	jsonschema.Subschemas(doc, root, func(s jsonschema.Subschema) bool {
		if count++; count > maxSubschemas {
			at, message = root, fmt.Sprintf("more than %d subschemas in one schema", maxSubschemas)
		} else if s.Depth > maxSchemaDepth {
			at, message = root, fmt.Sprintf("schemas nested deeper than %d levels", maxSchemaDepth)
		}
		if doc.Get(s.Node, "$ref") >= 0 {
			refs++
		}
		if c := doc.Get(s.Node, "pattern"); message == "" && doc.Kind(c) == wire.String {
			pattern := doc.TextString(c)
			if patterns += len(pattern); patterns > maxPatterns {
				at, message = c, fmt.Sprintf("the patterns in one schema total more than %d bytes", maxPatterns)
			} else if jsonschema.CatastrophicPattern(pattern) {
				at, message = c, "a pattern takes exponential time in backtracking engines"
			}
		}
		return message == ""
	})
	if message == "" && refs > 0 {
		return jsonschema.RefExpansion(doc, root)
	}
	return at, message
}
