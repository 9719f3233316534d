package crossserver

import (
	"fmt"
	"slices"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/tools"
	"github.com/mcpscan/mcpscan/scanner"
)

var ShadowTool = scanner.Rule{
	ID:         "shadow-tool",
	Category:   "tool_shadowing",
	Title:      "Two servers list a tool with the same name",
	Why:        "A call meant for one server can reach the other, and a model that reads both descriptions follows the more insistent one.",
	Fix:        "Rename one of the tools, or use only one of the two servers.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "Generic names collide by chance (7 % of the tool names of the published servers examined do), so a mere collision is rated medium; a look-alike name, or a description copied to a tool with another schema, is deliberate and rated critical. Each call to such a name is blocked and reported as medium, unless the two definitions are identical; the severity of the finding about the definitions reflects how likely the collision is to be deliberate.",
	Refs:       []string{"OWASP-MCP:MCP09", "ATLAS:AML.T0074", "CWE-345"},
	On:         mcp.OnCall | mcp.OnList,
	Judge:      JudgeShadows(scanner.Alert),
}

// JudgeShadows returns the check. copies is the verdict on calls to a tool that another server
// lists with an identical definition.
func JudgeShadows(copies scanner.Verdict) func(*scanner.JudgePass) {
	return func(p *scanner.JudgePass) {
		refuseShadowed(p, copies)
		tools.EachNew(p, func(d *mcp.Definition) {
			for _, other := range p.Session.Owners(d.Name) {
				if other.Server == p.Server.ID {
					continue
				}
				severity, why := collision(d, other, fork(p, other.Server))
				tools.ReportBeside(p, d, other, severity,
					fmt.Sprintf("the tool %q of server %q %s %q of server %q", d.Name, p.Server.ID, why, other.Definition.Name, other.Server))
			}
		})
	}
}

// refuseShadowed decides on a call to a tool whose name two servers use. The agentsh design refuses
// the call, whichever server receives it, because it is unclear which tool was meant. A user who
// wants both tools must rename one of them. If the definitions are identical, the default profile
// only raises an alert.
func refuseShadowed(p *scanner.JudgePass, copies scanner.Verdict) {
	other := p.Shadow()
	if other == nil {
		return
	}
	if own := p.Server.Current(p.Message.Target); own != nil && own.Definition.Digest == other.Definition.Digest {
		p.Refuse(scanner.CrossServerCheck, copies, "another server has the same tool")
		return
	}
	p.Refuse(scanner.CrossServerCheck, scanner.Block, "another server has a tool with the same name")
	p.Report(scanner.JudgeIssue{Severity: scanner.Medium, Subject: mcp.CallSubject, Name: p.Message.Target, Pointer: "/name",
		Message:  fmt.Sprintf("the call to %s of server %s is ambiguous: server %s has a tool with the same name", text.QuoteName(p.Message.Target), text.QuoteName(p.Server.ID), text.QuoteName(other.Server)),
		Evidence: p.Message.Target, Offset: p.Message.Offset, Related: []scanner.Related{{Message: "the other tool with this name", Location: other.Location()}}})
}

// schemaPart is the index of the schema in the parts of a definition.
var schemaPart = slices.Index(mcp.DefinitionParts[:], "inputSchema")

// fork reports whether a message lists more than one tool that the other server also has. If so, the two
// servers may be versions of the same one, with different descriptions.
func fork(p *scanner.JudgePass, other string) bool {
	shared := 0
	for i := range p.Message.Definitions {
		d := &p.Message.Definitions[i]
		if d.Kind != mcp.ToolSubject {
			continue
		}
		for _, o := range p.Session.Owners(d.Name) {
			if o.Server == other {
				shared++
				break
			}
		}
		if shared > 1 {
			return true
		}
	}
	return false
}

// collision rates two tools whose names look the same.
func collision(d *mcp.Definition, other *scanner.Known, fork bool) (scanner.Severity, string) {
	o := other.Definition
	switch {
	case d.Digest == o.Digest:
		return scanner.Low, "is identical to"
	case names.FoldSeparators(d.Name) != names.FoldSeparators(o.Name):
		return scanner.Critical, "has a name that looks like the name of"
	case d.Foreign == o.Foreign && otherSchema(d, o) && names.Alike(d.Description, o.Description):
		return scanner.Critical, "has the name and description, but not the schema, of"
	case !fork && names.Reworded(d.Description, o.Description):
		return scanner.High, "has the name, and a reworded description, of"
	case d.Name != o.Name:
		return scanner.Medium, "has a name that differs only in case or separators from"
	}
	return scanner.Medium, "has the same name as"
}

// otherSchema reports whether two definitions have different schemas. Another engine's digest
// covers name, description and schema, so if the first two are equal, a different digest means a
// different schema.
func otherSchema(d, o *mcp.Definition) bool {
	if d.Foreign {
		return d.Name == o.Name && d.Description == o.Description
	}
	return d.Parts[schemaPart] != o.Parts[schemaPart]
}
