package drift

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
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
	Basis:      "The finding is high in six cases. A new parameter takes credentials or the conversation, or is required and names a destination or a command. The schema relaxes a restriction on a value that is run, opened or connected to, or on any value in a tool that destroys, runs, pays, grants or sends. A list of actions gains a dangerous one. A switch, a confirmation parameter or a limit no longer restricts calls. A default points to another party. A schema is too deep or too large to compare. The finding is medium for any other new requirement, a renamed parameter, a restriction relaxed elsewhere, and an added action or changed default that the tool's text mentions. To find out whether a pattern was relaxed, mcpscan tests both versions with hostile strings. Subschemas, variants and references are compared as if they were inlined.",
	Refs:       []string{"OWASP-MCP:MCP04", "OWASP-MCP:MCP02", "ATLAS:AML.T0109", "CWE-353"},
	On:         mcp.OnList,
	Judge: func(p *scanner.JudgePass) {
		changes(p, func(c *change) { reportSchema(c, scanner.Medium, scanner.Critical) })
	},
}

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

// reportSchema reports the differences in a definition's schemas whose severity is in [from, to],
// as one finding per schema.
func reportSchema(c *change, from, to scanner.Severity) {
	for _, name := range [...]string{"inputSchema", "outputSchema"} {
		old, now := c.member(name)
		if c.same(old, now) {
			continue
		}
		found := compareSchemas(c, old, now, name == "outputSchema")
		if len(found) == 0 && !c.textsChangedIn("/"+name) {
			found = append(found, difference{"/" + name, "", "equivalent, but written differently", scanner.Note})
		}
		all := slices.DeleteFunc(found, func(d difference) bool { return d.weight < from || d.weight > to })
		if len(all) == 0 {
			continue
		}
		slices.SortStableFunc(all, func(a, b difference) int { return int(b.weight) - int(a.weight) })
		var told []string
		for _, d := range all {
			told = append(told, d.what)
		}
		c.report(all[0].weight, all[0].pointer, "the schema changed: "+text.JoinSome(told), strings.Join(namesOf(all), ", "), c.diffOf(name))
	}
}

func namesOf(all []difference) (named []string) {
	for _, d := range all {
		if d.name != "" && !slices.Contains(named, d.name) && len(named) < 8 {
			named = append(named, d.name)
		}
	}
	return named
}
