package scanner

import (
	"slices"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// Action is what the proxy does with a frame.
type Action uint8

// The actions.
const (
	Forward Action = iota // forward it unchanged
	Rewrite               // forward it without the withheld definitions
	Refuse                // do not forward it; if the verdict is Prompt, ask the user first
)

var actionNames = [...]string{"forward", "rewrite", "refuse"}

func (a Action) String() string { return actionNames[a] }

// Action returns what to do with the frame.
func (o *Outcome) Action() Action {
	switch {
	case o.Decision.Verdict >= Prompt:
		return Refuse
	case len(o.Withheld) > 0:
		return Rewrite
	}
	return Forward
}

// Rewrite returns the frame without the withheld definitions; all other bytes are unchanged. masked
// is the frame as it was judged, with secrets masked. Rewrite returns nil if it does not find the
// definitions.
func (o *Outcome) Rewrite(masked, frame []byte) []byte {
	if len(o.Withheld) == 0 {
		return frame
	}
	var doc, sent wire.Doc // with the same nodes: a masked string is still a string
	if doc.Parse(wire.Lenient(masked)) != nil || sent.Parse(wire.Lenient(frame)) != nil || len(sent.Nodes) != len(doc.Nodes) {
		return nil
	}
	gone, lists := map[int]bool{}, map[int]bool{}
	for k := range o.Withheld {
		w := &o.Withheld[k]
		i := nodeAt(&doc, w.offset)
		if i <= 0 || string(doc.AppendPointer(nil, 0, i)) != w.Pointer {
			return nil
		}
		gone[i], lists[int(doc.Nodes[i].Parent)] = true, true
	}
	var cuts []wire.Edit
	for list := range lists {
		cuts = sent.AppendCuts(cuts, list, func(i int) bool { return gone[i] })
	}
	return wire.Apply(frame, cuts)
}

// nodeAt returns the node that starts offset bytes after the start of the document's first value,
// or -1 if there is none.
func nodeAt(doc *wire.Doc, offset int) int {
	at := int32(offset) + doc.Nodes[0].Start
	i, ok := slices.BinarySearchFunc(doc.Nodes, at, func(n wire.Node, at int32) int { return int(n.Start) - int(at) })
	if !ok {
		return -1
	}
	return i
}

// place sets the positions of the withheld definitions in the frame. If a definition cannot be
// found, the frame is refused.
func (o *Outcome) place(frame []byte) {
	if len(o.Withheld) == 0 {
		return
	}
	var doc wire.Doc
	err := doc.Parse(wire.Lenient(frame))
	for k := range o.Withheld {
		w, i := &o.Withheld[k], -1
		if err == nil {
			i = nodeAt(&doc, w.offset)
		}
		if i <= 0 {
			o.Decision = w.Decision
			return
		}
		w.Pointer, w.Index = string(doc.AppendPointer(nil, 0, i)), -1
		if parent := int(doc.Nodes[i].Parent); doc.Kind(parent) == wire.Array {
			w.Index = int(doc.Nodes[i].Index)
		}
	}
}
