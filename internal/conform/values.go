package conform

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// values gives access to the values of a document. If a member is duplicated, only the last
// one counts, as in most parsers.
type values struct {
	*wire.Doc
	hidden map[int32]bool // members overridden by a later one
	buf    []byte
}

func valuesOf(doc *wire.Doc) values {
	v := values{Doc: doc}
	var latest map[int32]int32
	for _, a := range doc.Anomalies {
		if a.Kind != wire.DuplicateKey {
			continue
		}
		if v.hidden == nil {
			v.hidden, latest = map[int32]bool{}, map[int32]int32{}
		}
		v.hidden[a.Other] = true
		if n, again := latest[a.Other]; again {
			v.hidden[n] = true
		}
		latest[a.Other] = a.Node
	}
	return v
}

// first returns the first child of node i, and next returns the sibling after i; both return -1 at
// the end.
func (v *values) first(i int) int { return v.shown(v.First(i)) }
func (v *values) next(i int) int  { return v.shown(v.Next(i)) }

func (v *values) shown(i int) int {
	for v.hidden != nil && i >= 0 && v.hidden[int32(i)] {
		i = v.Next(i)
	}
	return i
}

// size returns the number of children of node i.
func (v *values) size(i int) int {
	if v.hidden == nil {
		return int(v.Nodes[i].Len)
	}
	n := 0
	for c := v.first(i); c >= 0; c = v.next(c) {
		n++
	}
	return n
}

// key and content return the key and the text of node i, valid until the next call of either.
func (v *values) key(i int) []byte {
	v.buf = v.buf[:0]
	return v.Key(i, &v.buf)
}

func (v *values) content(i int) []byte {
	v.buf = v.buf[:0]
	return v.Text(i, &v.buf)
}

// appendForm appends a form of node i that is the same for equal values, and different for unequal
// ones. ok is false if a number exceeds the limits.
func (v *values) appendForm(dst []byte, i int) (form []byte, ok bool) {
	switch v.Kind(i) {
	case wire.Object:
		return v.appendMembers(dst, i)
	case wire.Array:
		dst = binary.AppendUvarint(append(dst, '['), uint64(v.size(i)))
		for c := v.first(i); c >= 0; c = v.next(c) {
			if dst, ok = v.appendForm(dst, c); !ok {
				return dst, false
			}
		}
		return dst, true
	case wire.String:
		return appendText(append(dst, '"'), v.content(i)), true
	case wire.Number:
		n, ok := parseNumber(v.Raw(i))
		return n.appendForm(append(dst, '0')), ok
	}
	return append(dst, v.Raw(i)[0]), true // null, true, false
}

func (v *values) appendMembers(dst []byte, i int) (form []byte, ok bool) {
	type member struct {
		key string
		at  int
	}
	var members []member
	for c := v.first(i); c >= 0; c = v.next(c) {
		members = append(members, member{string(v.key(c)), c})
	}
	slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.key, b.key) })
	dst = binary.AppendUvarint(append(dst, '{'), uint64(len(members)))
	for _, m := range members {
		dst = appendText(dst, []byte(m.key))
		if dst, ok = v.appendForm(dst, m.at); !ok {
			return dst, false
		}
	}
	return dst, true
}

func appendText(dst, text []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
}
