package jsonschema

import (
	"fmt"
	"maps"
	"slices"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// RefExpansion returns the first schema that applies too many schemas to the same value through $ref,
// allOf, anyOf, oneOf, not, if, then and else, with a message, or "" if there is none. A validator never
// finishes a cycle of such schemas, and two references on each level double its work with each level.
func RefExpansion(doc *wire.Doc, root int) (at int, message string) {
	g := refGraph{doc: doc, places: map[string]int{}, sizes: map[int]int{}}
	Subschemas(doc, root, func(s Subschema) bool {
		g.places[string(doc.AppendPointer(nil, root, s.Node))] = s.Node
		return true
	})
	for _, pointer := range slices.Sorted(maps.Keys(g.places)) { // the result does not depend on the order of members
		at := g.places[pointer]
		switch size := g.size(at); {
		case size < 0:
			return at, "a schema refers to itself for the same value, so validation never ends"
		case size > maxExpansion:
			return at, fmt.Sprintf("the schema expands too far: more than %d schemas apply to one value through references and keywords such as allOf", maxExpansion)
		}
	}
	return 0, ""
}

// refGraph is a schema with its references resolved.
type refGraph struct {
	doc    *wire.Doc
	places map[string]int // schemas by pointer
	sizes  map[int]int    // sizes of visited schemas; 0 while being computed
}

// inPlace lists the keywords whose schemas apply to the value itself.
var inPlace = [...]string{"allOf", "anyOf", "oneOf", "not", "if", "then", "else"}

// size returns how many schemas apply to a value that is checked against schema i, including i, or
// -1 for a cycle. It visits each schema once, and does not distinguish sizes beyond the limit.
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

// resolve returns the target of a reference within the document. It does not resolve references to
// anchors, because the schemas of the published servers examined have none.
func (g *refGraph) resolve(ref string) (int, bool) {
	pointer, ok := wire.LocalReference(ref)
	if !ok {
		return 0, false
	}
	to, ok := g.places[pointer]
	return to, ok
}

// maxExpansion is the maximum number of subschemas that apply to one value after following
// references, as a validator does. In the schemas of the published servers examined, there are
// fewer than a hundred.
const maxExpansion = 100_000
