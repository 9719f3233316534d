package rules

import (
	"fmt"

	"github.com/mcpscan/mcpscan/scanner"
)

var xsNameLookalike = scanner.Rule{
	ID:         "xs-name-lookalike",
	Category:   "tool_shadowing",
	Title:      "A tool has almost the name of another server's tool, or of one that the client brings along",
	Why:        "A model that reads both names takes one for the other, and sends the imitation what was meant for the original.",
	Fix:        "Compare the two tools. Remove the one that you do not know, or rename it.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "Only a slip of the pen counts: one letter of a long word, letters swapped, doubled or alike, and never two words of the language, a plural or a number. A name that is exactly a built-in one is honest more often than not (file servers have read_file), so it is a note.",
	Refs:       []string{"OWASP-MCP:MCP03", "ATLAS:AML.T0074", "CWE-1007"},
	Message: func(p *scanner.MessagePass) {
		for i := range p.Message.Definitions {
			d := &p.Message.Definitions[i]
			if d.Kind != scanner.ToolSubject || d.Foreign {
				continue
			}
			switch b, exact := imitates(d.Name); {
			case exact && disguised(d.Name):
				reportName(p, d, scanner.Medium, fmt.Sprintf("the name of the tool looks like that of %s, which %s brings along", b.name, b.client))
			case exact:
				reportName(p, d, scanner.Note, fmt.Sprintf("the tool has the name of %s, which %s brings along", b.name, b.client))
			case b != nil:
				reportName(p, d, scanner.Medium, fmt.Sprintf("the name of the tool is almost that of %s, which %s brings along", b.name, b.client))
			}
		}
	},
	Judge: func(p *scanner.JudgePass) {
		for i := range p.Message.Definitions {
			d := &p.Message.Definitions[i]
			if p.Full() {
				return
			}
			if d.Kind != scanner.ToolSubject || p.Server.Tools[d.Name] != nil {
				continue
			}
			for _, other := range p.Session.Near(d.Name, p.Server.ID) {
				o := other.Definition
				if is, _ := slip(foldWords(scanner.Words(d.Name)), foldWords(scanner.Words(o.Name)), imitationShare); !is {
					continue
				}
				p.Report(scanner.JudgeIssue{
					Severity: scanner.Medium, Subject: scanner.ToolSubject, Name: d.Name, Pointer: "/name", Offset: d.Offset,
					Message:  fmt.Sprintf("the name of tool %q of server %q is almost that of %q of server %q", d.Name, p.Server.ID, o.Name, other.Server),
					Evidence: d.Name, Key: other.Server + "\x00" + o.Name,
					Related: []scanner.Related{{Message: fmt.Sprintf("first offered by server %q", other.Server), Location: other.Location}},
				})
			}
		}
	},
}

// reportName reports a finding about the name of a definition.
func reportName(p *scanner.MessagePass, d *scanner.Definition, severity scanner.Severity, message string) {
	p.Report(p.Doc.Get(p.DefinitionNode(d), "name"), false, severity, message)
}
