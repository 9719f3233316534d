package wire

import "math"

// Value is a JSON value read in place. A Doc needs a node for each value, and the nodes of a large
// document take more memory than its text; a Value needs none.
type Value struct {
	data []byte
	node Node
}

// Skim validates a text as Parse does, with at most max values, and returns its value. On an
// error, it also returns the value read so far, in which open containers end at the position
// of the error.
func Skim(data []byte, max int) (Value, error) {
	p := parser{d: &Doc{}, data: data, max: max, fold: true}
	err := p.run()
	if open := p.d.Nodes; len(open) > 0 {
		return Value{data, open[0]}.cut(p.pos), err
	}
	return Value{data, p.last}, err
}

// cut ends a value at an offset in the text.
func (v Value) cut(at int) Value {
	v.node.End = int32(at)
	return v
}

// Kind returns the kind of the value, or Invalid if it is absent.
func (v Value) Kind() Kind { return v.node.Kind }

// Start returns the offset of the value in the text.
func (v Value) Start() int { return int(v.node.Start) }

// Raw returns the source bytes of the value.
func (v Value) Raw() []byte { return v.data[v.node.Start:v.node.End:v.node.End] }

// Text returns the text of a string, which is a slice of the data if it has no escapes.
func (v Value) Text() []byte { return textOf(v.Raw(), v.node.flags) }

func textOf(literal []byte, f Flags) []byte {
	if f&Escaped == 0 {
		return literal[1 : len(literal)-1 : len(literal)-1]
	}
	return AppendUnquoted(make([]byte, 0, len(literal)), literal)
}

// Get returns the member of an object whose key is exactly key, or the last one if several members
// have that key.
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

// Str returns the value of the string member key, and whether there is one.
func (v Value) Str(key string) (string, bool) {
	member := v.Get(key)
	if member.Kind() != String {
		return "", false
	}
	return string(member.Text()), true
}

// Children iterates over the children of a container without keeping them.
type Children struct {
	Value Value // the current child
	p     parser
	doc   Doc
	open  [2]Node // the container, and an open container in it
}

// Children returns an iterator over the children of a value, which is empty if the value is not
// a container.
func (v Value) Children() *Children {
	c := &Children{p: parser{open: -1}}
	if v.Kind() >= Array {
		c.doc.Nodes = append(c.open[:0], Node{Kind: v.Kind(), Parent: -1})
		c.p = parser{d: &c.doc, data: v.data[:v.node.End], pos: v.Start() + 1, depth: 1, max: math.MaxInt, fold: true}
	}
	return c
}

// Next advances to the next child and reports whether there is one. If the text is truncated, the
// last child can be an unterminated container.
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
		c.Value = Value{p.data, p.last} // p.last is the container itself if it has ended
		return p.open == 0
	case p.open > 0:
		c.Value = Value{p.data, c.doc.Nodes[1]}.cut(len(p.data))
		p.open = -1
		return true
	}
	p.open = -1
	return false
}

// Key returns the name of a member, or "" for any other value.
func (v Value) Key() string {
	n := &v.node
	if n.KeyEnd == 0 {
		return ""
	}
	return string(textOf(v.data[n.KeyStart:n.KeyEnd], n.flags>>keyShift))
}
