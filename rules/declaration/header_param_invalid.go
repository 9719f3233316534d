package declaration

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/jsonschema"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/tools"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

var HeaderParamInvalid = scanner.Rule{
	ID:         "sch-header-param-invalid",
	Category:   "protocol",
	Title:      "A parameter has an invalid x-mcp-header",
	Why:        "A Streamable HTTP client must drop a tool with such an annotation, while other clients show it to the model, so a reviewer may not see a tool that those other clients run. A line break in the name would inject a header.",
	Fix:        "Fix the server: give each x-mcp-header a valid header name (an RFC 9110 token) that no other parameter of the tool uses, and set it only on a string, integer or boolean that is reachable through properties alone.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The requirements come from protocol version 2026-07-28 (Streamable HTTP, custom headers from tool parameters). The violation is certain; the intent is not.",
	Refs:       []string{"OWASP-MCP:MCP03", "CWE-436"},
	Message: func(p *scanner.MessagePass) {
		tools.Each(p, func(_ *mcp.Definition, node int) {
			seen := map[string]bool{}
			headerParameters(p.Doc, node, func(s jsonschema.Subschema, header int) {
				if p.Full() {
					return
				}
				if fault := headerFault(p.Doc, s, header, seen); fault != "" {
					p.Report(header, false, scanner.Medium, fault+": HTTP clients drop the tool; other clients show it")
				}
			})
		})
	},
}

// headerParameters invokes visit for each input parameter that has an x-mcp-header annotation, with its
// schema and the node of the annotation. The parameters are sorted: a lockfile stores members in sorted
// order, and the findings must not depend on their order.
func headerParameters(doc *wire.Doc, node int, visit func(s jsonschema.Subschema, header int)) {
	type parameter struct {
		jsonschema.Subschema
		header  int
		pointer string
	}
	var all []parameter
	jsonschema.Subschemas(doc, doc.Get(node, "inputSchema"), func(s jsonschema.Subschema) bool {
		if h := doc.Get(s.Node, "x-mcp-header"); h >= 0 {
			all = append(all, parameter{s, h, string(doc.AppendPointer(nil, node, h))})
		}
		return true
	})
	slices.SortStableFunc(all, func(a, b parameter) int { return strings.Compare(a.pointer, b.pointer) })
	for _, one := range all {
		visit(one.Subschema, one.header)
	}
}

// headerFault describes what is wrong with an annotation, or returns "" if it is valid.
func headerFault(doc *wire.Doc, s jsonschema.Subschema, header int, seen map[string]bool) string {
	name := ""
	if doc.Kind(header) == wire.String {
		name = doc.TextString(header)
	}
	folded := strings.ToLower(name)
	switch {
	case name == "":
		return "the header name is empty or not a string"
	case !jsonschema.Token(name):
		return "the header name contains characters that are not allowed in headers"
	case seen[folded]:
		return "two parameters map to one header"
	case s.Around < 0 || !s.Direct:
		return "the header's parameter is not reachable through properties alone"
	case !primitive(doc, doc.Get(s.Node, "type")):
		return "the header's parameter is not a string, integer or boolean"
	}
	seen[folded] = true
	return ""
}

// primitive reports whether clients may mirror values of this type into a header. A nullable type
// is accepted: clients send no header for null, and the specification does not say whether the type
// is allowed.
func primitive(doc *wire.Doc, typ int) bool {
	switch doc.Kind(typ) {
	case wire.String:
		switch string(doc.Raw(typ)) {
		case `"string"`, `"integer"`, `"boolean"`:
			return true
		}
	case wire.Array:
		for c := doc.First(typ); c >= 0; c = doc.Next(c) {
			if string(doc.Raw(c)) != `"null"` && !primitive(doc, c) {
				return false
			}
		}
		return true
	}
	return false
}
