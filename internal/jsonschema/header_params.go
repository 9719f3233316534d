package jsonschema

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// Header is a property of a tool's input whose value HTTP clients mirror into a header.
type Header struct {
	Name    string // name of the header after Mcp-Param-
	Pointer string // JSON Pointer of the value in the arguments
}

// Headers returns the properties of an input schema that have a valid x-mcp-header.
func Headers(schema []byte) (headers []Header) {
	var doc wire.Doc
	if doc.Parse(schema) != nil {
		return nil
	}
	Subschemas(&doc, 0, func(s Subschema) bool {
		name, ok := doc.Str(s.Node, "x-mcp-header")
		if ok && s.Direct && s.Around >= 0 && Token(name) {
			headers = append(headers, Header{name, valuePointer(&doc, s.Node)})
		}
		return true
	})
	return headers
}

// valuePointer returns the pointer of the value described by the schema at a node. The path from
// the root to the node may consist only of properties.
func valuePointer(doc *wire.Doc, node int) string {
	keys := strings.Split(string(doc.AppendPointer(nil, 0, node)), "/") // "", "properties", "a", "properties", "b"
	pointer := ""
	for i := 2; i < len(keys); i += 2 {
		pointer += "/" + keys[i]
	}
	return pointer
}

// Token reports whether a header can have this name (RFC 9110, section 5.6.2).
func Token(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r < 0x80 && strings.ContainsRune("!#$%&'*+-.^_`|~", r))
	})
}
