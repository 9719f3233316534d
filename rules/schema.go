package rules

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// subschema is one place of a schema that is a schema itself.
type subschema struct {
	node   int
	around int  // node of the schema that this one is a property of; -1 where it is no property
	named  int  // node of the nearest property around it or itself, whose key is its name; -1 where there is none
	depth  int  // 0 is the root
	direct bool // only properties lie between the root and this one
}

// subschemas calls visit for a schema and each schema in it, in document order,
// until visit returns false. A parse is at most wire.MaxDepth deep.
func subschemas(doc *wire.Doc, root int, visit func(subschema) bool) {
	if doc.Kind(root) == wire.Object {
		descend(doc, subschema{node: root, around: -1, named: -1, direct: true}, visit)
	}
}

func descend(doc *wire.Doc, s subschema, visit func(subschema) bool) bool {
	if doc.Kind(s.node) != wire.Object {
		return true // true and false are schemas and hold nothing
	}
	if !visit(s) {
		return false
	}
	var buf []byte
	for c := doc.First(s.node); c >= 0; c = doc.Next(c) {
		buf = buf[:0]
		at, ok := applicators[string(doc.Key(c, &buf))]
		if !ok || doc.Kind(c) < wire.Array {
			continue
		}
		inner := subschema{node: c, around: -1, named: s.named, depth: s.depth + 1}
		if at == single && doc.Kind(c) == wire.Object {
			if !descend(doc, inner, visit) {
				return false
			}
			continue
		}
		for m := doc.First(c); m >= 0; m = doc.Next(m) {
			inner.node = m
			if at == byName {
				inner.around, inner.named, inner.direct = s.node, m, s.direct
			}
			if !descend(doc, inner, visit) {
				return false
			}
		}
	}
	return true
}

// applicators are the keywords of JSON Schema, draft 4 to 2020-12, with schemas as values: a
// single one, several (an array or an object), or those of properties by name.
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

// parameters calls visit for each property in the input schema of the tool at
// node, at any depth, with its name.
func parameters(doc *wire.Doc, node int, visit func(s subschema, name string)) {
	subschemas(doc, doc.Get(node, "inputSchema"), func(s subschema) bool {
		if s.around >= 0 {
			visit(s, keyOf(doc, s.node))
		}
		return true
	})
}

func keyOf(doc *wire.Doc, i int) string {
	var buf []byte
	return string(doc.Key(i, &buf))
}

// holdsText reports whether a parameter can carry text: it is not declared to be a
// number or a switch.
func holdsText(doc *wire.Doc, schema int) bool {
	t, ok := doc.Str(schema, "type")
	return !ok || t != "boolean" && t != "integer" && t != "number" && t != "null"
}

// identifierBytes bounds the part of an identifier that is read as words.
const identifierBytes = 400

// spell writes an identifier as lower case words: chatHistory, chat_history and
// CHAT-history are all "chat history", and APIKey is "api key".
func spell(identifier string) string {
	return strings.Join(scanner.Words(identifier[:min(len(identifier), identifierBytes)]), " ")
}

// lastWord returns the last word of an identifier in lower case without trailing digits: the
// subject of most names, and cheaper than splitting them.
func lastWord(identifier string) string {
	letter := func(i int) bool { return identifier[i] >= 0x80 || lowerLetter(identifier[i]|0x20) }
	to := len(identifier)
	for to > 0 && !letter(to-1) {
		to--
	}
	from := to
	for from > 0 && letter(from-1) {
		from--
		if upper := identifier[from] >= 'A' && identifier[from] <= 'Z'; upper &&
			(from > 0 && lowerLetter(identifier[from-1]) || from+1 < to && lowerLetter(identifier[from+1])) {
			break
		}
	}
	return strings.ToLower(identifier[from:to])
}

func lowerLetter(c byte) bool { return c >= 'a' && c <= 'z' }

// wordSet makes a set of words.
func wordSet(words string) map[string]bool {
	s := map[string]bool{}
	for _, w := range strings.Fields(words) {
		s[w] = true
	}
	return s
}
