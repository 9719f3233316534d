// Package jsonschema walks, checks and measures the JSON Schemas of tools, which may be malicious.
package jsonschema

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// Subschema is a node of a schema that is itself a schema.
type Subschema struct {
	Node   int
	Around int  // node of the schema whose property this is; -1 if it is not a property
	Named  int  // node of this property or the nearest enclosing one, whose key is the name; -1 if there is none
	Depth  int  // 0 for the root
	Direct bool // there are only properties between the root and this schema
}

// Subschemas invokes visit for a schema and each schema in it, in document order, until visit
// returns false. The depth is at most wire.MaxDepth.
func Subschemas(doc *wire.Doc, root int, visit func(Subschema) bool) {
	if doc.Kind(root) == wire.Object {
		descend(doc, Subschema{Node: root, Around: -1, Named: -1, Direct: true}, visit)
	}
}

func descend(doc *wire.Doc, s Subschema, visit func(Subschema) bool) bool {
	if doc.Kind(s.Node) != wire.Object {
		return true // true and false are schemas without members
	}
	if !visit(s) {
		return false
	}
	var buf []byte
	for c := doc.First(s.Node); c >= 0; c = doc.Next(c) {
		buf = buf[:0]
		at, ok := applicators[string(doc.Key(c, &buf))]
		if !ok || doc.Kind(c) < wire.Array {
			continue
		}
		inner := Subschema{Node: c, Around: -1, Named: s.Named, Depth: s.Depth + 1}
		if at == single && doc.Kind(c) == wire.Object {
			if !descend(doc, inner, visit) {
				return false
			}
			continue
		}
		for m := doc.First(c); m >= 0; m = doc.Next(m) {
			inner.Node = m
			if at == byName {
				inner.Around, inner.Named, inner.Direct = s.Node, m, s.Direct
			}
			if !descend(doc, inner, visit) {
				return false
			}
		}
	}
	return true
}

// applicators are the JSON Schema keywords, from draft 4 to 2020-12, whose values contain
// schemas: a single one, several in an array or object, or the schemas of properties, by name.
var applicators = map[string]applicator{
	"properties": byName,
	"$defs":      several, "definitions": several, "patternProperties": several, "dependentSchemas": several, "dependencies": several,
	"allOf": several, "anyOf": several, "oneOf": several, "prefixItems": several,
	"items": single, "additionalItems": single, "additionalProperties": single, "unevaluatedItems": single, "unevaluatedProperties": single,
	"contains": single, "propertyNames": single, "not": single, "if": single, "then": single, "else": single, "contentSchema": single,
}

type applicator uint8

const (
	single applicator = iota
	several
	byName
)

// Parameters invokes visit with each property, at any depth, in the input schema of the tool at
// node, and with the property's name.
func Parameters(doc *wire.Doc, node int, visit func(s Subschema, name string)) {
	Subschemas(doc, doc.Get(node, "inputSchema"), func(s Subschema) bool {
		if s.Around >= 0 {
			visit(s, doc.KeyString(s.Node))
		}
		return true
	})
}

// HoldsText reports whether a parameter can contain text, which is the case unless it is declared
// as a number, boolean or null.
func HoldsText(doc *wire.Doc, schema int) bool {
	t, _ := doc.Str(schema, "type")
	return TextType(t)
}

// TextType reports whether a value of a type can contain text. "" means that no type is declared.
func TextType(t string) bool {
	return t != "boolean" && t != "integer" && t != "number" && t != "null"
}

// Text returns the content of a string, or any other value as written.
func Text(doc *wire.Doc, i int) string {
	if doc.Kind(i) != wire.String {
		return Raw(doc, i)
	}
	return doc.TextString(i)
}

// Description returns a schema's description in lower case.
func Description(doc *wire.Doc, schema int) string {
	d, _ := doc.Str(schema, "description")
	return strings.ToLower(d)
}

// Raw returns node i as written, or "" if i is negative.
func Raw(doc *wire.Doc, i int) string {
	if i < 0 {
		return ""
	}
	return string(doc.Raw(i))
}
