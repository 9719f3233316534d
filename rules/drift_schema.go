package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/scanner"
)

var driftSchemaBreaking = scanner.Rule{
	ID:         "drift-schema-breaking",
	Category:   "version_pin",
	Title:      "A schema asks for more, or lets more through, than was approved",
	Why:        "A new required parameter makes a model hand over something that it did not before; a constraint that is gone lets values through that were ruled out.",
	Fix:        "Read the diff, and ask what the new value is for. If the change is honest, run mcpscan approve.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "High where a call must now carry a value that it need not carry before, or where what is run, opened or reached is less restricted. A parameter that only has another name, and what is less restricted elsewhere, is medium.",
	Refs:       []string{"OWASP-MCP:MCP04", "OWASP-MCP:MCP02", "ATLAS:AML.T0109", "CWE-353"},
	Judge: func(p *scanner.JudgePass) {
		changes(p, func(c *change) { reportSchema(c, scanner.Medium, scanner.Critical, "the schema") })
	},
}

var driftSchemaCompatible = scanner.Rule{
	ID:         "drift-schema-compatible",
	Category:   "version_pin",
	Title:      "A schema changed in a way that old calls survive",
	Why:        "What changed is not what was reviewed, even where it is harmless: an optional parameter, a narrower value, another result.",
	Fix:        "Read the diff, then run mcpscan approve.",
	Severity:   scanner.Note,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The change is a fact, and upgrades are made of it: 54 of 169 upgrades of published servers add an optional parameter.",
	Refs:       []string{"OWASP-MCP:MCP04", "CWE-353"},
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
		s := schemaChange{change: c, pointer: "/" + name, result: name == "outputSchema"}
		if s.compare(old, now); len(s.found) == 0 && !c.retoldIn(s.pointer) {
			s.add(scanner.Note, "it says the same in another way")
		}
		all := slices.DeleteFunc(s.found, func(d difference) bool { return d.weight < from || d.weight > to })
		if len(all) == 0 {
			continue
		}
		slices.SortStableFunc(all, func(a, b difference) int { return int(b.weight) - int(a.weight) })
		var told []string
		for _, d := range all {
			told = append(told, d.what)
		}
		c.report(all[0].weight, all[0].pointer, what+" changed: "+joinWords(told), strings.Join(names(all), ", "), c.diffOf(name))
	}
}

func names(all []difference) (named []string) {
	for _, d := range all {
		if d.name != "" && !slices.Contains(named, d.name) && len(named) < 8 {
			named = append(named, d.name)
		}
	}
	return named
}

var driftOtherMember = scanner.Rule{
	ID:         "drift-other-member",
	Category:   "version_pin",
	Title:      "Another member of a definition is not what was approved",
	Why:        "Icons, arguments of a prompt, types of a resource and members that no specification knows reach clients, too.",
	Fix:        "Read the diff, then run mcpscan approve.",
	Severity:   scanner.Note,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The change is a fact; what it does depends on the client.",
	Refs:       []string{"OWASP-MCP:MCP04", "CWE-353"},
	Judge: func(p *scanner.JudgePass) {
		changes(p, func(c *change) {
			if c.d.Kind == scanner.ServerSubject {
				return
			}
			for _, name := range c.members() {
				if told[name] {
					continue
				}
				if old, now := c.member(name); !c.same(old, now) {
					c.report(scanner.Note, "/"+escapePointer.Replace(name), fmt.Sprintf("the member %q changed", name), "", c.diffOf(name))
				}
			}
		})
	},
}

// told are the members that other rules tell of.
var told = wordSet("name title description inputSchema outputSchema annotations _meta")

// members returns the names of the members of both definitions, in order.
func (c *change) members() (all []string) {
	for n := c.now.First(0); n >= 0; n = c.now.Next(n) {
		all = append(all, keyOf(&c.now, n))
	}
	for n := c.old.First(0); n >= 0; n = c.old.Next(n) {
		all = append(all, keyOf(&c.old, n))
	}
	slices.Sort(all)
	return slices.Compact(all)
}
