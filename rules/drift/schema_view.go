package drift

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// side is one of two compared schemas. A constraint may be in the schema itself, in a referenced
// schema, or in subschemas (such as allOf and anyOf), so side looks in all of them.
type side struct {
	doc   *wire.Doc
	root  int
	refs  map[string]int
	names map[int]map[string]int // cached members of objects on the path of a reference
	views map[int]*view
	looks int // remaining number of schemas and variants to read
}

// view is the set of schemas that apply to one value.
type view struct {
	all []int   // schemas that all apply: the schema itself, referenced ones, allOf
	any [][]int // groups of schemas of which at least one applies: anyOf, oneOf, then/else
	cut bool    // incomplete because a limit was reached
}

// The limits on a view. They are necessary because a hostile schema may apply any number of
// subschemas to one value. The schemas of the published servers examined need at most 20,000
// lookups.
const (
	maxParts    = 512
	maxVariants = 8 // nesting depth
	maxLooks    = 500_000
)

// view returns the schemas that apply to a value of the given schema. A schema that is missing or
// true accepts everything.
func (s *side) view(schema int) *view {
	if s.looks--; s.looks < 0 {
		return &view{cut: true}
	}
	v := s.views[schema]
	if v == nil {
		v = &view{}
		s.gather(v, schema, map[int]bool{})
		s.looks -= len(v.all)
		s.views[schema] = v
	}
	return v
}

func (s *side) gather(v *view, schema int, seen map[int]bool) {
	if s.doc.Kind(schema) != wire.Object || seen[schema] {
		return
	}
	if len(v.all) >= maxParts {
		v.cut = true
		return
	}
	seen[schema] = true
	v.all = append(v.all, schema)
	var otherwise []int
	for c := s.doc.First(schema); c >= 0; c = s.doc.Next(c) {
		switch key := s.doc.KeyString(c); key {
		case "$ref", "$dynamicRef":
			s.gather(v, s.resolve(c), seen)
		case "allOf":
			for _, part := range s.items(c) {
				s.gather(v, part, seen)
			}
		case "anyOf", "oneOf":
			v.any = append(v.any, s.items(c))
		case "then", "else":
			otherwise = append(otherwise, c)
		case "dependentSchemas", "dependencies":
			for _, part := range s.items(c) {
				v.any = append(v.any, []int{part, -1})
			}
		}
	}
	if len(otherwise) > 0 {
		v.any = append(v.any, append(otherwise, -1)[:2])
	}
}

// items returns the elements or members of a node.
func (s *side) items(i int) (all []int) {
	if s.doc.Kind(i) < wire.Array {
		return nil
	}
	for c := s.doc.First(i); c >= 0; c = s.doc.Next(c) {
		all = append(all, c)
	}
	return all
}

// resolve returns the node of the schema that an internal reference points to, or -1 if there is none.
func (s *side) resolve(ref int) int {
	if s.doc.Kind(ref) != wire.String {
		return -1
	}
	written := s.doc.TextString(ref)
	if at, known := s.refs[written]; known {
		return at
	}
	at := -1
	if pointer, ok := wire.LocalReference(written); ok {
		at = s.root
		for _, key := range strings.Split(pointer, "/")[1:] {
			at = s.member(at, key)
		}
	}
	s.refs[written] = at
	return at
}

// member is like Child, but uses an index, which makes repeated lookups in one object fast.
func (s *side) member(i int, token string) int {
	if s.doc.Kind(i) != wire.Object {
		return s.doc.Child(i, token)
	}
	if s.names[i] == nil {
		s.names[i] = map[string]int{}
		for _, c := range s.items(i) {
			s.names[i][s.doc.KeyString(c)] = c
		}
	}
	if c, ok := s.names[i][wire.UnescapePointer(token)]; ok {
		return c
	}
	return -1
}

// newSide returns one side of a comparison.
func newSide(doc *wire.Doc, root int) side {
	return side{doc: doc, root: root, refs: map[string]int{}, names: map[int]map[string]int{}, views: map[int]*view{}, looks: maxLooks}
}

// get returns a node with the keyword's value if the keyword applies in every variant, otherwise -1.
func (s *side) get(v *view, keyword string) int { return s.find(v, keyword, 0) }

func (s *side) find(v *view, keyword string, depth int) int {
	for _, schema := range v.all {
		if c := s.doc.Get(schema, keyword); c >= 0 {
			return c
		}
	}
	for _, variants := range v.any {
		first := -1
		for _, variant := range variants {
			if depth >= maxVariants || s.isNull(variant) || ofLists[keyword] && s.excludesArrays(variant) {
				continue
			}
			c := s.find(s.view(variant), keyword, depth+1)
			if c < 0 {
				first = -1
				break
			}
			first = max(first, c)
		}
		if first >= 0 {
			return first
		}
	}
	return -1
}

// isNull reports whether a variant accepts only null.
func (s *side) isNull(schema int) bool {
	t, ok := s.doc.Str(schema, "type")
	return ok && t == "null"
}

// ofLists contains the keywords that apply only to arrays.
var ofLists = names.Set(`items contains prefixItems additionalItems minItems maxItems`)

// excludesArrays reports whether a variant does not accept arrays.
func (s *side) excludesArrays(schema int) bool {
	t, ok := s.doc.Str(schema, "type")
	return ok && t != "array"
}

// types returns the JSON types that a value may have, or an empty list if it may have any type.
func (s *side) types(v *view) []string { return s.typesIn(v, 0) }

func (s *side) typesIn(v *view, depth int) (all []string) {
	for _, schema := range v.all {
		if c := s.doc.Get(schema, "type"); c >= 0 {
			return types(s.doc, c)
		}
	}
	for _, variants := range v.any {
		all = nil
		for _, variant := range variants {
			var some []string
			if depth < maxVariants {
				some = s.typesIn(s.view(variant), depth+1)
			}
			if len(some) == 0 {
				all = nil
				break
			}
			for _, t := range some {
				if !slices.Contains(all, t) {
					all = append(all, t)
				}
			}
		}
		if len(all) > 0 {
			return all
		}
	}
	return typesOf(s.doc, s.listed(v, depth))
}
