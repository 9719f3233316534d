// Package tools gives rules access to the tools that a message declares, and derives what a tool
// does from the verbs in its name and description.
package tools

import (
	"fmt"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// Each invokes visit with each tool that a message declares, and its node. Tools reported by
// another engine are skipped, as they have no schema.
func Each(p *scanner.MessagePass, visit func(d *mcp.Definition, node int)) {
	for i := range p.Message.Definitions {
		if d := &p.Message.Definitions[i]; d.Kind == mcp.ToolSubject && !d.Foreign {
			visit(d, d.Node)
		}
	}
}

// Annotation returns a boolean annotation of the tool at node: the annotation's own node, or -1 if
// it is missing or not a boolean, and its value.
func Annotation(doc *wire.Doc, node int, name string) (at int, value bool) {
	at = doc.Get(doc.Get(node, "annotations"), name)
	if doc.Kind(at) != wire.Bool {
		return -1, false
	}
	return at, string(doc.Raw(at)) == "true"
}

// EachNew invokes visit for each tool in a message that its server has not listed before in this
// session.
func EachNew(p *scanner.JudgePass, visit func(*mcp.Definition)) {
	for i := range p.Message.Definitions {
		if p.Full() {
			return
		}
		if d := &p.Message.Definitions[i]; d.Kind == mcp.ToolSubject && p.Server.Tools[d.Name] == nil {
			visit(d)
		}
	}
}

// ReportBeside reports a tool whose name resembles the name of another server's tool.
func ReportBeside(p *scanner.JudgePass, d *mcp.Definition, other *scanner.Known, severity scanner.Severity, message string) {
	p.Report(scanner.JudgeIssue{
		Severity: severity, Subject: mcp.ToolSubject, Name: d.Name, Pointer: "/name", Offset: d.Offset,
		Message: message, Evidence: d.Name, Key: other.Server + "\x00" + other.Definition.Name,
		Related: []scanner.Related{{Message: fmt.Sprintf("first listed by server %q", other.Server), Location: other.Location()}},
	})
}
