package jsonschema

import (
	"bytes"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// maxWork is the maximum work of checking one value against one schema: mainly the number of keywords
// visited. A 64 KiB value has about ten thousand parts; checking it takes about a quarter of this limit.
const maxWork = 200_000

// Violation returns the first location at which a value violates a schema, as a JSON Pointer, with
// the text there and a message. All are "" if it finds none.
//
// It supports only type, nullable, enum, const, required, properties, additionalProperties: false and
// items, and ignores schemas with $ref, because a malicious schema could keep a full validator running
// for ever. Unsupported keywords cause false negatives, not false positives.
func Violation(schema, value []byte) (pointer, evidence, message string) {
	c := conformance{members: map[int]map[string]int{}}
	if c.schema.Parse(schema) != nil || c.value.Parse(value) != nil {
		return "", "", ""
	}
	at, message := c.check(0, 0)
	if message == "" {
		return "", "", ""
	}
	return string(c.value.AppendPointer(nil, 0, at)), string(c.value.Raw(at)), message
}

type conformance struct {
	schema, value wire.Doc
	members       map[int]map[string]int // members of schema objects, by node
	work          int
}

// check returns the first node at or below v that violates schema s, and how.
func (c *conformance) check(s, v int) (at int, message string) {
	if c.schema.Kind(s) != wire.Object {
		return 0, ""
	}
	if c.work += int(c.schema.Nodes[s].Len) + 1; c.work > maxWork || c.schema.Get(s, "$ref") >= 0 {
		return 0, ""
	}
	if message := c.itself(s, v); message != "" {
		return v, message
	}
	switch c.value.Kind(v) {
	case wire.Object:
		return c.object(s, v)
	case wire.Array:
		items := c.schema.Get(s, "items")
		if c.schema.Get(s, "prefixItems") >= 0 {
			return 0, ""
		}
		for e := c.value.First(v); e >= 0; e = c.value.Next(e) {
			if at, message := c.check(items, e); message != "" {
				return at, message
			}
		}
	}
	return 0, ""
}

// itself returns a message if a value itself, ignoring its children, violates a schema, and ""
// otherwise.
func (c *conformance) itself(s, v int) string {
	if t := c.schema.Get(s, "type"); t >= 0 && !c.typed(s, t, v) {
		return "the structured result has a different type here than the tool's schema requires"
	}
	values := c.schema.Get(s, "enum")
	if c.schema.Kind(values) != wire.Array {
		if values = c.schema.Get(s, "const"); values < 0 || c.equal(values, v) {
			return ""
		}
		return "the structured result has a value here that the tool's schema does not allow"
	}
	for e := c.schema.First(values); e >= 0; e = c.schema.Next(e) {
		if c.equal(e, v) {
			return ""
		}
	}
	return "the structured result has a value here that the tool's schema does not allow"
}

func (c *conformance) equal(s, v int) bool {
	if c.work += 1 + (len(c.schema.Raw(s))+len(c.value.Raw(v)))/64; c.work > maxWork {
		return true
	}
	return c.schema.Kind(s) == c.value.Kind(v) && bytes.Equal(c.schema.AppendCanonical(nil, s), c.value.AppendCanonical(nil, v))
}

// typed reports whether a value has the type, or one of the types, at node t. It supports OpenAPI's
// nullable.
func (c *conformance) typed(s, t, v int) bool {
	if c.schema.Kind(t) == wire.Array {
		for e := c.schema.First(t); e >= 0; e = c.schema.Next(e) {
			if c.typed(s, e, v) {
				return true
			}
		}
		return false
	}
	kind := c.value.Kind(v)
	if nullable := c.schema.Get(s, "nullable"); kind == wire.Null && nullable >= 0 && string(c.schema.Raw(nullable)) == "true" {
		return true
	}
	switch string(c.schema.Raw(t)) {
	case `"object"`:
		return kind == wire.Object
	case `"array"`:
		return kind == wire.Array
	case `"string"`:
		return kind == wire.String
	case `"number"`:
		return kind == wire.Number
	case `"integer"`:
		return kind == wire.Number && whole(c.value.AppendCanonical(nil, v))
	case `"boolean"`:
		return kind == wire.Bool
	case `"null"`:
		return kind == wire.Null
	}
	return true // an unknown type
}

// whole reports whether a number in canonical form is an integer. The form has a positive exponent
// only from 1e+21 up, where a float64 has no fraction, and a negative one only below 1e-6.
func whole(number []byte) bool {
	return bytes.Contains(number, []byte("e+")) || !bytes.Contains(number, []byte("e-")) && bytes.IndexByte(number, '.') < 0
}

func (c *conformance) object(s, v int) (at int, message string) {
	own := Members(&c.value, v)
	required := c.schema.Get(s, "required")
	if c.schema.Kind(required) == wire.Array {
		for e := c.schema.First(required); e >= 0; e = c.schema.Next(e) {
			c.work++
			var buf []byte
			if _, ok := own[string(c.schema.Text(e, &buf))]; c.schema.Kind(e) == wire.String && !ok {
				return v, "the structured result lacks a required member"
			}
		}
	}
	properties := c.properties(c.schema.Get(s, "properties"))
	additional := c.schema.Get(s, "additionalProperties")
	closed := additional >= 0 && string(c.schema.Raw(additional)) == "false" && c.schema.Get(s, "patternProperties") < 0
	for m := c.value.First(v); m >= 0; m = c.value.Next(m) {
		sub, ok := properties[c.value.KeyString(m)]
		if !ok && closed {
			return m, "the structured result has a member that the tool's schema does not allow"
		}
		if ok {
			if at, message := c.check(sub, m); message != "" {
				return at, message
			}
		}
	}
	return 0, ""
}

// properties returns the cached members of a schema object, against which many values are checked.
func (c *conformance) properties(object int) map[string]int {
	if c.schema.Kind(object) != wire.Object {
		return nil
	}
	if c.members[object] == nil {
		c.members[object] = Members(&c.schema, object)
	}
	return c.members[object]
}

// Members returns the members of an object by name.
func Members(doc *wire.Doc, object int) map[string]int {
	members := make(map[string]int, doc.Nodes[object].Len)
	for c := doc.First(object); c >= 0; c = doc.Next(c) {
		members[doc.KeyString(c)] = c
	}
	return members
}
