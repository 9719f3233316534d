// Package conform checks JSON values against JSON Schemas that nobody vouches for.
//
// The validator is a library's. What it is given is bounded here: a schema can be
// written so that a validator never ends. What cannot be checked within the bounds
// conforms: a breach is missed, and none invented.
package conform

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// The bounds of what is checked, and of what is remembered of it.
const (
	maxValue    = 64 << 10 // bytes of a value
	maxLooks    = 250_000  // parts of the schema, with what it refers to, for each part of a value
	maxSchemas  = 256      // schemas that are kept compiled
	maxVerdicts = 4096     // values of which it is known whether they conform
)

// Digest stands for a text that is compared with others.
type Digest = [32]byte

// Checker checks values, and remembers schemas and verdicts: calls repeat. It is for
// one goroutine.
type Checker struct {
	schemas  map[Digest]*schema
	verdicts map[[2]Digest]Breach
	doc      wire.Doc
	buf      []byte
}

// Breach is the first place of a value that breaks a schema.
type Breach struct {
	Pointer string // JSON Pointer into the value
	Offset  int    // of what stands there
	Value   string // what stands there
	Message string // what is wrong, "" where nothing is
}

// Check returns the first place of a value that breaks a schema. Both are told by their
// digests, and read only where they were not seen before.
func (c *Checker) Check(schemaDigest, valueDigest Digest, schema, value []byte) Breach {
	if len(value) > maxValue {
		return Breach{}
	}
	s := c.schema(schemaDigest, schema)
	if s.shape == nil {
		return Breach{}
	}
	key := [2]Digest{schemaDigest, valueDigest}
	b, known := c.verdicts[key]
	if known || c.doc.Parse(value) != nil || len(c.doc.Nodes)*s.parts > maxLooks || s.shape.surely(&c.doc, 0, &c.buf) {
		return b
	}
	b = s.check(schema, &c.doc)
	if c.verdicts == nil || len(c.verdicts) >= maxVerdicts {
		c.verdicts = map[[2]Digest]Breach{}
	}
	c.verdicts[key] = b
	return b
}

func (c *Checker) schema(d Digest, text []byte) *schema {
	s := c.schemas[d]
	if s == nil {
		s = read(text)
		if c.schemas == nil || len(c.schemas) >= maxSchemas {
			c.schemas = map[Digest]*schema{}
		}
		c.schemas[d] = s
	}
	return s
}

// schema is a schema as far as it was needed yet.
type schema struct {
	shape    *shape // nil for one that is not used
	parts    int    // with what it refers to, as often as it does
	compiled *jsonschema.Schema
	tried    bool // to compile it
	matching budget
}

var errRemote = errors.New("schemas are read from where they stand, and from nowhere else")

// nowhere loads no schema.
type nowhere struct{}

func (nowhere) Load(string) (any, error) { return nil, errRemote }

// read reads a schema, and says what it is like if it is small enough to be used.
func read(text []byte) *schema {
	s := &schema{}
	root, ok := parse(text)
	m := measure{root: root, of: map[string]int{}}
	if !ok {
		return s
	}
	if s.parts = m.parts(root); !m.failed {
		s.shape = shapeOf(root)
	}
	return s
}

// parse returns a schema as the validator takes it.
func parse(text []byte) (root any, ok bool) {
	var doc wire.Doc
	if doc.Parse(text) != nil || !tame(&doc) {
		return nil, false
	}
	root = decoded(&doc, 0)
	return root, settle(root)
}

// compile compiles a schema, where some value needs it: that takes as long as a
// thousand checks. One that the validator refuses is not used.
func (s *schema) compile(text []byte) {
	s.tried = true
	root, _ := parse(text)
	const here = "schema:tool"
	c := jsonschema.NewCompiler()
	c.UseLoader(nowhere{})
	c.UseRegexpEngine(s.matching.compile)
	if c.AddResource(here, root) == nil {
		s.compiled, _ = c.Compile(here)
	}
}

// check returns the first place of a value that breaks the schema.
func (s *schema) check(text []byte, doc *wire.Doc) (b Breach) {
	if !s.tried {
		s.compile(text)
	}
	if s.compiled == nil || !tame(doc) {
		return b
	}
	s.matching.spent = 0
	defer s.matching.catch(&b)
	var failed *jsonschema.ValidationError
	if !errors.As(s.compiled.Validate(decoded(doc, 0)), &failed) {
		return b
	}
	worst := first(failed, nil)
	at := find(doc, worst.InstanceLocation)
	return Breach{Pointer: string(doc.AppendPointer(nil, 0, at)), Offset: int(doc.Nodes[at].Start),
		Value: string(doc.Raw(at)), Message: message(worst.ErrorKind)}
}

// first returns the breach that stands first by its pointer, and then by its keyword:
// the validator has no order of its own.
func first(e, best *jsonschema.ValidationError) *jsonschema.ValidationError {
	switch e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		for _, cause := range e.Causes {
			best = first(cause, best)
		}
		return best
	}
	if best == nil || order(e) < order(best) {
		return e
	}
	return best
}

func order(e *jsonschema.ValidationError) string {
	return strings.Join(e.InstanceLocation, "\x00") + "\x00\x00" + strings.Join(e.ErrorKind.KeywordPath(), "\x00")
}

// message says what a breach is, in our words.
func message(k jsonschema.ErrorKind) string {
	switch k.(type) {
	case *kind.Required, *kind.DependentRequired, *kind.Dependency, *kind.MinProperties:
		return "lacks a member that the schema requires"
	case *kind.AdditionalProperties, *kind.PropertyNames, *kind.MaxProperties:
		return "has a member that the schema does not know"
	case *kind.Type:
		return "has another type than the schema says"
	case *kind.Enum, *kind.Const:
		return "is none of the values that the schema allows"
	case *kind.AnyOf, *kind.OneOf:
		return "fits none of the forms that the schema allows, or more than one"
	}
	return "is not what the schema allows"
}

// find returns the node at a place; that around it where the place is a key.
func find(doc *wire.Doc, place []string) int {
	at := 0
	for _, token := range place {
		var buf []byte
		next, i := -1, 0
		for c := doc.First(at); c >= 0; c = doc.Next(c) {
			if key := doc.Key(c, &buf); key != nil && string(key) == token || key == nil && index(token) == i {
				next = c
			}
			i++
		}
		if next < 0 {
			break
		}
		at = next
	}
	return at
}

// decoded returns the value at node i as the validator takes it. Of members that stand
// twice the last one counts, as for most readers.
func decoded(doc *wire.Doc, i int) any {
	var buf []byte
	switch doc.Kind(i) {
	case wire.Object:
		m := make(map[string]any, doc.Nodes[i].Len)
		for c := doc.First(i); c >= 0; c = doc.Next(c) {
			key := string(doc.Key(c, &buf))
			m[key] = decoded(doc, c)
		}
		return m
	case wire.Array:
		a := make([]any, 0, doc.Nodes[i].Len)
		for c := doc.First(i); c >= 0; c = doc.Next(c) {
			a = append(a, decoded(doc, c))
		}
		return a
	case wire.String:
		return string(doc.Text(i, &buf))
	case wire.Number:
		return json.Number(doc.Raw(i))
	case wire.Bool:
		return string(doc.Raw(i)) == "true"
	}
	return nil
}
