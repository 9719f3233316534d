package wire

import "math"

// Value is a value of a text, read where it stands. A Doc takes a node for each value of its
// text, which is more memory than the text of a large document; Values take none.
type Value struct {
	data []byte
	node Node
}

// Skim checks a text as Parse does, up to max values, and returns its value. Beside an error
// stands what comes ahead of it: the containers that were open there end with it.
func Skim(data []byte, max int) (Value, error) {
	p := parser{d: &Doc{}, data: data, max: max, fold: true}
	err := p.run()
	if open := p.d.Nodes; len(open) > 0 {
		return Value{data, open[0]}.cut(p.pos), err
	}
	return Value{data, p.last}, err
}

// cut ends a value at a place of the text.
func (v Value) cut(at int) Value {
	v.node.End = int32(at)
	return v
}

// Kind returns the kind of the value, Invalid for one that is absent.
func (v Value) Kind() Kind { return v.node.Kind }

// Start returns the offset of the value in the text.
func (v Value) Start() int { return int(v.node.Start) }

// Raw returns the bytes of the value as they stand in the text.
func (v Value) Raw() []byte { return v.data[v.node.Start:v.node.End:v.node.End] }

// Text returns the text of a string, which is a slice of the data where it has no escapes.
func (v Value) Text() []byte { return textOf(v.Raw(), v.node.flags) }

// textOf returns the text of a literal.
func textOf(literal []byte, f Flags) []byte {
	if f&Escaped == 0 {
		return literal[1 : len(literal)-1 : len(literal)-1]
	}
	return AppendUnquoted(make([]byte, 0, len(literal)), literal)
}

// Get returns the member of an object whose key is exactly key, the last one as Doc.Get does.
func (v Value) Get(key string) (found Value) {
	if v.Kind() != Object {
		return Value{}
	}
	for c := v.Children(); c.Next(); {
		n := &c.Value.node
		if string(textOf(v.data[n.KeyStart:n.KeyEnd], n.flags>>keyShift)) == key {
			found = c.Value
		}
	}
	return found
}

// Str returns the text of the string member key, and whether there is one.
func (v Value) Str(key string) (string, bool) {
	member := v.Get(key)
	if member.Kind() != String {
		return "", false
	}
	return string(member.Text()), true
}

// Children reads the children of a container one after another, and keeps none.
type Children struct {
	Value Value // the one that Next came to
	p     parser
	doc   Doc
	open  [2]Node // the container, and one in it
}

// Children returns a reader of the children of a value, which has none where the value is no
// container.
func (v Value) Children() *Children {
	c := &Children{p: parser{open: -1}}
	if v.Kind() >= Array {
		c.doc.Nodes = append(c.open[:0], Node{Kind: v.Kind(), Parent: -1})
		c.p = parser{d: &c.doc, data: v.data[:v.node.End], pos: v.Start() + 1, depth: 1, max: math.MaxInt, fold: true}
	}
	return c
}

// Next goes on to the next child and reports whether there is one. Where the text broke off,
// the last one can be a container without its end.
func (c *Children) Next() bool {
	p := &c.p
	if p.open < 0 {
		return false
	}
	err := p.step()
	for err == nil && p.open > 0 {
		err = p.step()
	}
	switch {
	case err == nil:
		c.Value = Value{p.data, p.last} // v itself where it ended
		return p.open == 0
	case p.open > 0:
		c.Value = Value{p.data, c.doc.Nodes[1]}.cut(len(p.data))
		p.open = -1
		return true
	}
	p.open = -1
	return false
}

// Key returns the name of a member, "" for a value that is none.
func (v Value) Key() string {
	n := &v.node
	if n.KeyEnd == 0 {
		return ""
	}
	return string(textOf(v.data[n.KeyStart:n.KeyEnd], n.flags>>keyShift))
}
