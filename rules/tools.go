package rules

import (
	"fmt"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// ownTools calls visit for each tool that a message declares, with its node.
// What another engine reported of a tool is left out: it has no schema.
func ownTools(p *scanner.MessagePass, visit func(d *scanner.Definition, node int)) {
	for i := range p.Message.Definitions {
		if d := &p.Message.Definitions[i]; d.Kind == scanner.ToolSubject && !d.Foreign {
			visit(d, p.DefinitionNode(d))
		}
	}
}

// annotation returns the node of a boolean annotation of the tool at node, and its value; -1
// if there is none.
func annotation(doc *wire.Doc, node int, name string) (at int, value bool) {
	at = doc.Get(doc.Get(node, "annotations"), name)
	if doc.Kind(at) != wire.Bool {
		return -1, false
	}
	return at, string(doc.Raw(at)) == "true"
}

// newTools calls visit for each tool of a message that its server has not shown
// in this session.
func newTools(p *scanner.JudgePass, visit func(*scanner.Definition)) {
	for i := range p.Message.Definitions {
		if p.Full() {
			return
		}
		if d := &p.Message.Definitions[i]; d.Kind == scanner.ToolSubject && p.Server.Tools[d.Name] == nil {
			visit(d)
		}
	}
}

// reportBeside reports what is wrong with a tool's name compared with that of another server's
// tool.
func reportBeside(p *scanner.JudgePass, d *scanner.Definition, other *scanner.Known, severity scanner.Severity, message string) {
	p.Report(scanner.JudgeIssue{
		Severity: severity, Subject: scanner.ToolSubject, Name: d.Name, Pointer: "/name", Offset: d.Offset,
		Message: message, Evidence: d.Name, Key: other.Server + "\x00" + other.Definition.Name,
		Related: []scanner.Related{{Message: fmt.Sprintf("first listed by server %q", other.Server), Location: other.Location}},
	})
}
