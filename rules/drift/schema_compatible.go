package drift

import (
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

var SchemaCompatible = scanner.Rule{
	ID:         "drift-schema-compatible",
	Category:   "version_pin",
	Title:      "A schema changed without breaking existing calls",
	Why:        "The schema is not the one that was reviewed, even if the change is harmless, such as an optional parameter, a shorter list of values or a new member of the result.",
	Fix:        "Read the diff, then run mcpscan approve.",
	Severity:   scanner.Note,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The change is certain and common: 81 of 239 upgrades of published servers add an optional parameter.",
	Refs:       []string{"OWASP-MCP:MCP04", "CWE-353"},
	On:         mcp.OnList,
	Judge: func(p *scanner.JudgePass) {
		changes(p, func(c *change) { reportSchema(c, scanner.Note, scanner.Low) })
	},
}
