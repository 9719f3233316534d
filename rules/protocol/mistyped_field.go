package protocol

import (
	"fmt"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// memberTypes maps the members of a definition to the types that the specification gives them.
// Source: schema.ts of protocol versions 2024-11-05 to 2026-07-28.
var memberTypes = map[string]wire.Kind{
	"name": wire.String, "title": wire.String, "description": wire.String, "uri": wire.String, "uriTemplate": wire.String,
	"inputSchema": wire.Object, "outputSchema": wire.Object, "annotations": wire.Object, "_meta": wire.Object,
	"icons": wire.Array, "arguments": wire.Array, "execution": wire.Object, "mimeType": wire.String,
}

// resultTypes maps the members of a result to the types that the specification gives them.
var resultTypes = map[string]wire.Kind{
	"tools": wire.Array, "prompts": wire.Array, "resources": wire.Array, "resourceTemplates": wire.Array,
	"contents": wire.Array, "messages": wire.Array, "instructions": wire.String, "serverInfo": wire.Object,
	"capabilities": wire.Object, "isError": wire.Bool, "nextCursor": wire.String, "_meta": wire.Object,
}

// objectLists are the members of a result that are arrays of objects.
var objectLists = [...]string{"tools", "prompts", "resources", "resourceTemplates", "messages"}

var MistypedField = scanner.Rule{
	ID:         "prt-mistyped-field",
	Category:   "protocol",
	Title:      "A member has the wrong type",
	Why:        "A typed parser may drop the whole list because of one such member, so a scanner may see nothing while the client sees the tools.",
	Fix:        "Fix the server, or report the bug to its author. mcpscan inspected the other definitions in the list.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The wrong type is certain; the intent is not. null instead of a missing member is common and is rated low.",
	Refs:       []string{"OWASP-MCP:MCP03", "CWE-436"},
	Message: func(p *scanner.MessagePass) {
		for i := range p.Message.Definitions {
			d := &p.Message.Definitions[i]
			if d.Foreign || d.Kind == mcp.ServerSubject {
				continue
			}
			node := d.Node
			checkTypes(p, node, memberTypes)
			if d.Kind == mcp.ToolSubject && p.Doc.Get(node, "name") < 0 {
				p.Report(node, false, scanner.Medium, "a tool has no name")
			}
		}
		result := p.Doc.Get(p.Root, "result")
		checkTypes(p, result, resultTypes)
		checkContent(p, p.Doc.Get(result, "content"))
		for _, key := range objectLists {
			checkElements(p, p.Doc.Get(result, key))
		}
	},
}

func checkTypes(p *scanner.MessagePass, object int, types map[string]wire.Kind) {
	for c := p.Doc.First(object); c >= 0; c = p.Doc.Next(c) {
		var buf []byte
		want, ok := types[string(p.Doc.Key(c, &buf))]
		got := p.Doc.Kind(c)
		if !ok || got == want {
			continue
		}
		severity := scanner.Medium
		if got == wire.Null {
			severity = scanner.Low
		}
		p.Report(c, false, severity, fmt.Sprintf("expected %s, found %s", want, got))
	}
}

// checkContent reports content that is neither an array nor, as in sampling results, a single
// object.
func checkContent(p *scanner.MessagePass, content int) {
	switch p.Doc.Kind(content) {
	case wire.Invalid, wire.Array, wire.Object:
	case wire.Null:
		p.Report(content, false, scanner.Low, "expected an array, found null")
	default:
		p.Report(content, false, scanner.Medium, fmt.Sprintf("expected an array, found %s", p.Doc.Kind(content)))
	}
}

// checkElements reports elements that are not objects in an array of definitions.
func checkElements(p *scanner.MessagePass, list int) {
	if p.Doc.Kind(list) != wire.Array {
		return
	}
	for c := p.Doc.First(list); c >= 0; c = p.Doc.Next(c) {
		if p.Doc.Kind(c) != wire.Object {
			p.Report(c, false, scanner.Medium, fmt.Sprintf("expected an object in the list, found %s", p.Doc.Kind(c)))
		}
	}
}
