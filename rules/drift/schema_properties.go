package drift

import (
	"slices"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// need is the condition under which an object must have a property.
type need uint8

const (
	optional need = iota
	sometimes
	always
)

// property is a property of an object, at whatever level of the schema it is declared.
type property struct {
	name   string
	nodes  []int // its schemas, or none if it is required but not declared
	needed need
}

// schema returns the node of the property's first schema, or -1 if there is none.
func (p *property) schema() int {
	if len(p.nodes) == 0 {
		return -1
	}
	return p.nodes[0]
}

// objectProperties describes a JSON object by its properties, in the order in which they are found.
type objectProperties struct {
	list  []*property
	named map[string]*property
}

func (o *objectProperties) add(name string, needed need, nodes ...int) {
	p := o.named[name]
	if p == nil {
		p = &property{name: name}
		o.named[name] = p
		o.list = append(o.list, p)
	}
	p.nodes, p.needed = append(p.nodes, nodes...), max(p.needed, needed)
}

// properties returns the properties that a value may have according to any schema that applies
// to it.
func (s *side) properties(v *view, depth int) *objectProperties {
	o := &objectProperties{named: map[string]*property{}}
	for _, schema := range v.all {
		for _, c := range s.items(s.doc.Get(schema, "properties")) {
			o.add(s.doc.KeyString(c), optional, c)
		}
		s.required(o, s.doc.Get(schema, "required"), always)
		for _, c := range s.items(s.doc.Get(schema, "dependentRequired")) {
			s.required(o, c, sometimes)
		}
	}
	for _, variants := range v.any {
		s.variants(o, v, variants, depth)
	}
	return o
}

func (s *side) required(o *objectProperties, list int, needed need) {
	if s.doc.Kind(list) != wire.Array {
		return
	}
	for _, c := range s.items(list) {
		if s.doc.Kind(c) == wire.String {
			o.add(s.doc.TextString(c), needed)
		}
	}
}

// variants adds the properties of a value's variants. A property that every variant requires is
// required.
func (s *side) variants(o *objectProperties, v *view, variants []int, depth int) {
	if depth >= maxVariants {
		v.cut = true
		return
	}
	everywhere := map[string]int{}
	for _, variant := range variants {
		inner := s.view(variant)
		for _, p := range s.properties(inner, depth+1).list {
			o.add(p.name, min(p.needed, sometimes), p.nodes...)
			if p.needed == always {
				everywhere[p.name]++
			}
		}
		v.cut = v.cut || inner.cut
	}
	for name, n := range everywhere {
		if n == len(variants) {
			o.named[name].needed = always
		}
	}
}

// declares reports whether any of the properties is declared, not only required.
func (o *objectProperties) declares() bool {
	return slices.ContainsFunc(o.list, func(p *property) bool { return len(p.nodes) > 0 })
}
