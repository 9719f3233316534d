package config

import (
	"bytes"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// kind is the kind of value in a node in the common tree.
type kind uint8

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindString
	kindArray
	kindObject
)

// String returns the name of the kind for messages.
func (k kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "a list", "an object"}[k]
}

// node is a value in the common tree for JSON, TOML and YAML. It keeps duplicate keys, which a Go
// map would lose.
type node struct {
	kind    kind
	pos     Position
	text    string // text of a scalar: the decoded string, or the literal as written
	members []member
	items   []*node
}

// member is one key of an object with its value.
type member struct {
	key   string
	pos   Position
	value *node
}

// get returns the value of the last member with that key, as clients' JSON parsers do, or nil. It
// may be called on a nil node, so lookups can be chained.
func (n *node) get(key string) *node {
	if n == nil {
		return nil
	}
	for i := len(n.members) - 1; i >= 0; i-- {
		if n.members[i].key == key {
			return n.members[i].value
		}
	}
	return nil
}

// anyCase returns the value of the last member with the key, regardless of its case, or nil.
func (n *node) anyCase(key string) *node {
	if n == nil {
		return nil
	}
	for i := len(n.members) - 1; i >= 0; i-- {
		if strings.EqualFold(n.members[i].key, key) {
			return n.members[i].value
		}
	}
	return nil
}

// all returns every member at the key path.
func (n *node) all(path ...string) []member {
	if n == nil {
		return nil
	}
	var found []member
	for _, m := range n.members {
		if m.key != path[0] {
			continue
		}
		if len(path) == 1 {
			found = append(found, m)
		} else {
			found = append(found, m.value.all(path[1:]...)...)
		}
	}
	return found
}

// below returns the children of the node with their JSON Pointers; pointer is that of the node.
func (n *node) below(pointer string) iter.Seq2[string, *node] {
	return func(yield func(string, *node) bool) {
		for _, m := range n.members {
			if !yield(pointer+"/"+wire.EscapePointer(m.key), m.value) {
				return
			}
		}
		for i, item := range n.items {
			if !yield(pointer+"/"+strconv.Itoa(i), item) {
				return
			}
		}
	}
}

// is reports whether the node is non-nil and of that kind.
func (n *node) is(k kind) bool { return n != nil && n.kind == k }

// scalar reports whether the node is a scalar other than null.
func (n *node) scalar() bool {
	return n != nil && (n.kind == kindString || n.kind == kindNumber || n.kind == kindBool)
}

// objects returns the nodes that are objects.
func objects(nodes []*node) []*node {
	return slices.DeleteFunc(slices.Clone(nodes), func(n *node) bool { return !n.is(kindObject) })
}

// locator converts byte offsets to positions. Offsets are usually requested in ascending order, so
// it counts from the previous offset: a minified file is a single line, and counting from its start
// each time would be quadratic.
type locator struct {
	data []byte
	off  int
	pos  Position
}

func newLocator(data []byte) *locator {
	return &locator{data: data, pos: start}
}

func (l *locator) at(off int) Position {
	off = max(0, min(off, len(l.data)))
	if off < l.off {
		l.off, l.pos = 0, start
	}
	part := l.data[l.off:off]
	if n := bytes.Count(part, []byte("\n")); n > 0 {
		l.pos.Line += n
		l.pos.Column = 1
		part = part[bytes.LastIndexByte(part, '\n')+1:]
	}
	l.pos.Column += utf8.RuneCount(part)
	l.off = off
	return l.pos
}
