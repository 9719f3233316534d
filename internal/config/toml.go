package config

import (
	"bytes"
	"errors"

	"github.com/pelletier/go-toml/v2/unstable"
)

// parseTOML reads TOML with the parser of go-toml that provides positions. It accepts more than the
// language allows: duplicate tables and keys are kept, so that the reader can report them instead of
// rejecting the whole file.
func parseTOML(data []byte) ([]*node, *SyntaxError) {
	var p unstable.Parser
	p.Reset(data)
	root := &node{kind: kindObject, pos: start}
	b := &tomlBuilder{parser: &p, loc: newLocator(data), index: map[*node]map[string]int{}, declared: map[*node]bool{}}
	b.table = root
	for p.NextExpression() {
		e := p.Expression()
		var err *SyntaxError
		switch e.Kind {
		case unstable.KeyValue:
			err = b.keyValue(b.table, e, 0)
		case unstable.Table, unstable.ArrayTable:
			err = b.header(root, e)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := p.Error(); err != nil {
		return nil, tomlError(data, b.loc, err)
	}
	return []*node{root}, nil
}

// tomlBuilder builds the tree expression by expression.
type tomlBuilder struct {
	parser *unstable.Parser
	loc    *locator
	table  *node // the table of the last header
	// index contains, for each name in a table, the index of its last member, because searching a large
	// table for every header would be slow.
	index map[*node]map[string]int
	// declared holds the tables that have their own header.
	declared map[*node]bool
}

// key is one part of a dotted key.
type key struct {
	name string
	pos  Position
	end  int
}

func (b *tomlBuilder) keys(it unstable.Iterator) []key {
	var out []key
	for it.Next() {
		raw := it.Node().Raw
		out = append(out, key{string(it.Node().Data), b.loc.at(int(raw.Offset)), int(raw.Offset + raw.Length)})
	}
	return out
}

// header opens the table that an [a.b] or [[a.b]] line names.
func (b *tomlBuilder) header(root *node, e *unstable.Node) *SyntaxError {
	keys := b.keys(e.Key())
	parent, err := b.descend(root, keys[:len(keys)-1])
	if err != nil {
		return err
	}
	last := keys[len(keys)-1]
	old := b.child(parent, last.name)
	switch {
	case e.Kind == unstable.ArrayTable:
		if old == nil {
			old = b.add(parent, last, &node{kind: kindArray, pos: last.pos})
		}
		if old.kind != kindArray {
			return syntaxError(last.pos, "not TOML: this list has the same name as a value above; rename one of them")
		}
		b.table = &node{kind: kindObject, pos: last.pos}
		old.items = append(old.items, b.table)
	case old.is(kindObject) && !b.declared[old]:
		b.table = old
	default:
		b.table = b.add(parent, last, &node{kind: kindObject, pos: last.pos})
	}
	b.declared[b.table] = true
	return nil
}

// keyValue adds a = v; the key may be dotted.
func (b *tomlBuilder) keyValue(table *node, e *unstable.Node, depth int) *SyntaxError {
	keys := b.keys(e.Key())
	parent, err := b.descend(table, keys[:len(keys)-1])
	if err != nil {
		return err
	}
	last := keys[len(keys)-1]
	value, err := b.value(e.Value(), b.valueStart(last.end), depth)
	if err != nil {
		return err
	}
	b.add(parent, last, value)
	return nil
}

// valueStart returns the offset of the value after a key that ends at the given offset. It is
// needed because array nodes have no range.
func (b *tomlBuilder) valueStart(off int) int {
	rest := b.parser.Data()[off:]
	return off + len(rest) - len(bytes.TrimLeft(rest, " \t="))
}

func (b *tomlBuilder) value(v *unstable.Node, off, depth int) (*node, *SyntaxError) {
	if depth > maxDepth {
		return nil, syntaxError(b.loc.at(off), "nested more than %d levels deep, which no client configuration needs: remove the nesting here", maxDepth)
	}
	if v.Raw.Length > 0 {
		off = int(v.Raw.Offset)
	}
	n := &node{pos: b.loc.at(off)}
	switch v.Kind {
	case unstable.Array:
		n.kind = kindArray
		for it := v.Children(); it.Next(); {
			item, err := b.value(it.Node(), off, depth+1)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, item)
		}
	case unstable.InlineTable:
		n.kind = kindObject
		for it := v.Children(); it.Next(); {
			if err := b.keyValue(n, it.Node(), depth+1); err != nil {
				return nil, err
			}
		}
	case unstable.String:
		n.kind, n.text = kindString, string(v.Data)
	case unstable.Bool:
		n.kind, n.text = kindBool, string(v.Data)
	default: // numbers, dates and times: only their literal text matters here
		n.kind, n.text = kindNumber, string(v.Data)
	}
	return n, nil
}

// descend follows a dotted key and creates missing tables. In a list of tables it uses the last
// one.
func (b *tomlBuilder) descend(n *node, keys []key) (*node, *SyntaxError) {
	if len(keys) > maxDepth {
		return nil, syntaxError(keys[maxDepth].pos, "a key with more than %d parts, which no client configuration needs: remove it", maxDepth)
	}
	for _, k := range keys {
		next := b.child(n, k.name)
		if next == nil {
			next = b.add(n, k, &node{kind: kindObject, pos: k.pos})
		}
		if next.kind == kindArray && len(next.items) > 0 {
			next = next.items[len(next.items)-1]
		}
		if next.kind != kindObject {
			return nil, syntaxError(k.pos, "not TOML: expected a table, but the name already belongs to %s above; rename one of them", next.kind)
		}
		n = next
	}
	return n, nil
}

func (b *tomlBuilder) child(n *node, name string) *node {
	if i, ok := b.index[n][name]; ok {
		return n.members[i].value
	}
	return nil
}

func (b *tomlBuilder) add(n *node, k key, value *node) *node {
	if b.index[n] == nil {
		b.index[n] = map[string]int{}
	}
	b.index[n][k.name] = len(n.members)
	n.members = append(n.members, member{k.name, k.pos, value})
	return value
}

// tomlError adds a position to the parser's message. The Highlight of a ParserError is a slice of
// the input, so its capacity shows where it starts.
func tomlError(data []byte, loc *locator, err error) *SyntaxError {
	off := len(data)
	if perr, ok := errors.AsType[*unstable.ParserError](err); ok && perr.Highlight != nil {
		off = cap(data) - cap(perr.Highlight)
	}
	return syntaxError(loc.at(off), "not TOML: %s", err)
}
