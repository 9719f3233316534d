package wire

import (
	"slices"
	"strings"
)

// Edit is a span of bytes and the bytes that replace it.
type Edit struct {
	From, To int // offsets of the span
	With     []byte
}

// Apply returns data with the edits applied. Edits must not overlap; those at the same offset
// are applied in order.
func Apply(data []byte, edits []Edit) []byte {
	slices.SortStableFunc(edits, func(a, b Edit) int { return a.From - b.From })
	size := len(data)
	for _, e := range edits {
		size += len(e.With)
	}
	out, at := make([]byte, 0, size), 0
	for _, e := range edits {
		out = append(append(out, data[at:e.From]...), e.With...)
		at = e.To
	}
	return append(out, data[at:]...)
}

// AppendCuts appends edits that remove each child of a container for which gone returns true,
// together with the comma after it or, for the last child, the comma before it.
func (d *Doc) AppendCuts(edits []Edit, list int, gone func(i int) bool) []Edit {
	kept, open := -1, -1 // end of the last kept child, and start of the current cut
	for c := d.First(list); c >= 0; c = d.Next(c) {
		n := &d.Nodes[c]
		from, to := int(n.Start), int(n.End)
		if n.KeyEnd > 0 {
			from = int(n.KeyStart)
		}
		out := gone(c)
		switch {
		case out && open < 0:
			open = from
		case !out && open >= 0:
			edits, open = append(edits, Edit{From: open, To: from}), -1
		}
		if !out {
			kept = to
		} else if d.Next(c) < 0 {
			if kept >= 0 {
				open = kept
			}
			edits = append(edits, Edit{From: open, To: to})
		}
	}
	return edits
}

// Find returns the node at a JSON Pointer relative to node i, or -1 if there is none.
func (d *Doc) Find(i int, pointer string) int {
	if pointer == "" {
		return i
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		if i = d.Child(i, token); i < 0 {
			return -1
		}
	}
	return i
}
