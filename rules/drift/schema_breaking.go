package drift

import (
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

var SchemaBreaking = scanner.Rule{
	ID:         "drift-schema-breaking",
	Category:   "version_pin",
	Title:      "A schema asks for more or allows more than was approved",
	Why:        "A new required parameter makes the model hand over something new; a removed constraint allows values that were excluded.",
	Fix:        "Read the diff, and find out why the tool needs the change. If the change is legitimate, run mcpscan approve.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The finding is high mainly in these cases. A new parameter takes credentials or the conversation, or is required and names a destination or a command. The schema relaxes a restriction on a value that is run, opened or connected to, or on any value in a tool that destroys, runs, pays, grants or sends. A list of actions gains a dangerous one. A switch, a confirmation parameter or a limit no longer restricts calls. A default points to another party. A schema is too deep or too large to compare. The finding is medium for any other new requirement, a renamed required parameter, a restriction relaxed elsewhere, and an added action or changed default that the tool's text mentions. To find out whether a pattern was relaxed, mcpscan tests both versions with hostile strings. Subschemas, variants and references are compared as if they were inlined.",
	Refs:       []string{"OWASP-MCP:MCP04", "OWASP-MCP:MCP02", "ATLAS:AML.T0109", "CWE-353"},
	On:         mcp.OnList,
	Judge: func(p *scanner.JudgePass) {
		changes(p, func(c *change) { reportSchema(c, scanner.Medium, scanner.Critical) })
	},
}
