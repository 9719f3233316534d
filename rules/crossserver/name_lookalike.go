package crossserver

import (
	"fmt"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/tools"
	"github.com/mcpscan/mcpscan/scanner"
)

var NameLookalike = scanner.Rule{
	ID:         "xs-name-lookalike",
	Category:   "tool_shadowing",
	Title:      "A tool's name imitates that of another server's tool or of a built-in tool",
	Why:        "A model that reads both names may confuse them and send data meant for the original to the imitation.",
	Fix:        "Compare the two tools. If you do not know one of them, remove its server. If both are legitimate, rename one.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "Only typos count: one changed, missing or extra letter in a long word, or letters that are swapped, doubled or replaced with look-alikes. Names that differ by a dictionary word, a plural or a number do not count. An imitation that also has a description like the other tool's is deliberate, and rated high. A name identical to that of a built-in tool is usually legitimate (file servers have read_file), so it is reported as a note.",
	Refs:       []string{"OWASP-MCP:MCP03", "ATLAS:AML.T0074", "CWE-1007"},
	Message: func(p *scanner.MessagePass) {
		tools.Each(p, func(d *mcp.Definition, node int) {
			if severity, message := likeBuiltin(d.Name); message != "" {
				p.Report(p.Doc.Get(node, "name"), false, severity, message)
			}
		})
	},
	On: mcp.OnList,
	Judge: func(p *scanner.JudgePass) {
		tools.EachNew(p, func(d *mcp.Definition) {
			for _, other := range p.Session.Near(d.Name, p.Server.ID) {
				name := other.Definition.Name
				if is, _ := names.Slip(names.FoldWords(names.Words(d.Name)), names.FoldWords(names.Words(name)), names.ImitationShare); !is {
					continue
				}
				severity, too := scanner.Medium, ""
				if names.Reworded(d.Description, other.Definition.Description) {
					severity, too = scanner.High, ", and a similar description"
				}
				tools.ReportBeside(p, d, other, severity,
					fmt.Sprintf("tool %q on server %q has almost the same name as %q on server %q%s", d.Name, p.Server.ID, name, other.Server, too))
			}
		})
	},
}

// likeBuiltin rates a name's similarity to built-in tools. The message is "" if the name resembles
// none of them.
func likeBuiltin(name string) (scanner.Severity, string) {
	switch b, exact := names.Imitates(name); {
	case exact && names.Disguised(name):
		return scanner.Medium, fmt.Sprintf("the tool has a name that looks like %s, which is built into %s", b.Name, b.Client)
	case exact:
		return scanner.Note, fmt.Sprintf("the tool has the same name as %s, which is built into %s", b.Name, b.Client)
	case b != nil:
		return scanner.Medium, fmt.Sprintf("the tool has almost the same name as %s, which is built into %s", b.Name, b.Client)
	}
	return 0, ""
}
