package rules

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// expansion follows the references of a schema where they apply to the same
// value: through $ref, allOf, anyOf, oneOf, not, if, then and else. A circle there
// never ends, and a reference that occurs twice on each level doubles the work
// with each.
func expansion(doc *wire.Doc, root int) (at int, message string) {
	g := refGraph{doc: doc, root: root, places: map[string]int{}, sizes: map[int]int{}}
	subschemas(doc, root, func(s subschema) bool {
		g.places[string(doc.AppendPointer(nil, root, s.node))] = s.node
		return true
	})
	subschemas(doc, root, func(s subschema) bool {
		size := g.size(s.node)
		switch {
		case size < 0:
			at, message = s.node, "a schema refers to itself for the same value, without end"
		case size > maxExpansion:
			at, message = s.node, fmt.Sprintf("references multiply: more than %d schemas apply to one value", maxExpansion)
		}
		return message == ""
	})
	return at, message
}

// refGraph is a schema with its references resolved.
type refGraph struct {
	doc    *wire.Doc
	root   int
	places map[string]int // schemas by pointer
	sizes  map[int]int    // of schemas seen; 0 while one is being measured
}

// inPlace are the keywords whose schemas apply to the value itself.
var inPlace = [...]string{"allOf", "anyOf", "oneOf", "not", "if", "then", "else"}

// size returns how many schemas apply to a value of schema i, including i, and -1 for a cycle.
// Each schema is measured once, and sizes beyond the bound are equal.
func (g *refGraph) size(i int) int {
	if n, seen := g.sizes[i]; seen {
		if n == 0 {
			return -1
		}
		return n
	}
	g.sizes[i] = 0
	n := 1
	for _, next := range g.applied(i) {
		s := g.size(next)
		if s < 0 {
			n = -1
			break
		}
		n = min(n+s, maxExpansion+1)
	}
	g.sizes[i] = n
	return n
}

// applied returns the schemas that schema i applies to its own value.
func (g *refGraph) applied(i int) []int {
	doc := g.doc
	if doc.Kind(i) != wire.Object {
		return nil
	}
	var next []int
	if ref, ok := doc.Str(i, "$ref"); ok {
		if to, ok := g.resolve(ref); ok {
			next = append(next, to)
		}
	}
	for _, key := range inPlace {
		switch c := doc.Get(i, key); doc.Kind(c) {
		case wire.Object:
			next = append(next, c)
		case wire.Array:
			for m := doc.First(c); m >= 0; m = doc.Next(m) {
				next = append(next, m)
			}
		}
	}
	return next
}

// resolve returns the schema that a reference within the document leads to.
// References by name are left alone: schemas of published servers have none.
func (g *refGraph) resolve(ref string) (int, bool) {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return 0, false
	}
	if plain, err := url.PathUnescape(pointer); err == nil {
		pointer = plain
	}
	to, ok := g.places[pointer]
	return to, ok
}
