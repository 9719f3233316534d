package scanner

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// nearbyNames holds the names that texts of a definition are likely to mention. They are collected
// when they are first needed.
type nearbyNames struct {
	siblings     map[string]bool // folded names in the list at node siblingsIn; nil until needed
	siblingsIn   int
	parameters   map[string]bool // folded names of the parameters from node parametersAt on; nil until needed
	parametersAt int
	propertiesOf int // node of the definition whose "properties" node is known, plus 1
	properties   int
	requiredOf   int // node of the schema whose "required" node is known, plus 1
	required     int
}

// Sibling reports whether the list that contains the text's definition has a definition with this
// name. The definition itself counts, because a server may mention its own tools.
func (p *TextPass) Sibling(name string) bool {
	doc, in := p.in.tree, p.in
	list := int(doc.Nodes[p.root].Parent)
	locked := in.event.Kind == LockEvent
	for locked && list >= 0 && int(doc.Nodes[list].Parent) != in.event.root { // in a lockfile, the list contains the definition's entry
		list = int(doc.Nodes[list].Parent)
	}
	if !p.Subject.Definition() || list < 0 || !locked && doc.Kind(list) != wire.Array {
		return false
	}
	if in.names.siblings == nil || in.names.siblingsIn != list {
		in.names.siblings, in.names.siblingsIn = map[string]bool{}, list
		var buf []byte
		for c := doc.First(list); c >= 0; c = doc.Next(c) {
			if own, ok := doc.Str(c, "name"); ok {
				in.names.siblings[foldCase(own)] = true
			} else if locked {
				in.names.siblings[foldCase(string(doc.Key(c, &buf)))] = true
			}
		}
	}
	return in.names.siblings[foldCase(name)]
}

// foldCase returns a common form for all names that differ only in case.
func foldCase(name string) string {
	folded, _ := wire.FoldKey(nil, []byte(name))
	return string(folded)
}

// Parameter reports whether the text's definition has a parameter with this name.
func (p *TextPass) Parameter(name string) bool {
	doc := p.in.tree
	if doc.Kind(p.root) != wire.Object {
		return false
	}
	if in := p.in; in.names.propertiesOf != p.root+1 {
		in.names.propertiesOf, in.names.properties = p.root+1, doc.Get(doc.Get(p.root, "inputSchema"), "properties")
	}
	c := doc.First(p.in.names.properties)
	for n := 0; c >= 0; n, c = n+1, doc.Next(c) {
		var buf []byte
		if n == fewParameters {
			return p.in.names.parametersFrom(doc, c)[foldCase(name)]
		}
		if strings.EqualFold(string(doc.Key(c, &buf)), name) {
			return true
		}
	}
	return false
}

// fewParameters is the number of a tool's first parameters that are compared one by one. For
// typical tools, this is faster than building a map.
const fewParameters = 16

// parametersFrom returns the folded names of the parameters from node c on.
func (n *nearbyNames) parametersFrom(doc *wire.Doc, c int) map[string]bool {
	if n.parameters == nil || n.parametersAt != c {
		n.parameters, n.parametersAt = map[string]bool{}, c
		var buf []byte
		for ; c >= 0; c = doc.Next(c) {
			n.parameters[foldCase(string(doc.Key(c, &buf)))] = true
		}
	}
	return n.parameters
}
