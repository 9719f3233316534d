package drift

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var SchemaBreaking = scanner.Rule{
	ID:         "drift-schema-breaking",
	Category:   "version_pin",
	Title:      "A schema asks for more, or lets more through, than was approved",
	Why:        "A new required parameter makes a model hand over something that it did not before; a constraint that is gone lets values through that were ruled out.",
	Fix:        "Read the diff, and ask what the new value is for. If the change is honest, run mcpscan approve.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "High where a new parameter takes credentials or what was said to the model, or must be given and names a destination or a command; where what is run, opened or reached is less restricted, or anything in a tool that destroys, runs, pays, grants or sends; where a choice of what is done turns grave; where a switch, an agreement or a sum that held a call back does not; and where a default leads to somebody else. Patterns are tried on hostile texts. Any other new requirement, a choice or default that a text tells of, a parameter that only has another name, and what is less restricted elsewhere, are medium. What stands in parts, variants and references counts as if it stood in place, and what is too deep or too large to be compared is high.",
	Refs:       []string{"OWASP-MCP:MCP04", "OWASP-MCP:MCP02", "ATLAS:AML.T0109", "CWE-353"},
	On:         scanner.OnList,
	Judge: func(p *scanner.JudgePass) {
		changes(p, func(c *change) { reportSchema(c, scanner.Medium, scanner.Critical, "the schema") })
	},
}

var SchemaCompatible = scanner.Rule{
	ID:         "drift-schema-compatible",
	Category:   "version_pin",
	Title:      "A schema changed in a way that old calls survive",
	Why:        "What changed is not what was reviewed, even where it is harmless: an optional parameter, a narrower value, another result.",
	Fix:        "Read the diff, then run mcpscan approve.",
	Severity:   scanner.Note,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The change is a fact, and upgrades are made of it: 54 of 169 upgrades of published servers add an optional parameter.",
	Refs:       []string{"OWASP-MCP:MCP04", "CWE-353"},
	On:         scanner.OnList,
	Judge: func(p *scanner.JudgePass) {
		changes(p, func(c *change) { reportSchema(c, scanner.Note, scanner.Low, "the schema") })
	},
}

// reportSchema reports the differences of a definition's schemas whose weight lies
// between two severities, as one finding for each schema.
func reportSchema(c *change, from, to scanner.Severity, what string) {
	for _, name := range [...]string{"inputSchema", "outputSchema"} {
		old, now := c.member(name)
		if c.same(old, now) {
			continue
		}
		found := compareSchemas(c, old, now, name == "outputSchema")
		if len(found) == 0 && !c.retoldIn("/"+name) {
			found = append(found, difference{"/" + name, "", "it says the same in another way", scanner.Note})
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
		c.report(all[0].weight, all[0].pointer, what+" changed: "+text.JoinSome(told), strings.Join(namesOf(all), ", "), c.diffOf(name))
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
