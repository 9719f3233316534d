package scanner

import (
	"slices"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// Action is what happens to a frame in transit.
type Action uint8

// The actions.
const (
	Forward Action = iota // as it is
	Rewrite               // without what is withheld of it
	Refuse                // not at all, nor before somebody was asked where the verdict is Prompt
)

var actionNames = [...]string{"forward", "rewrite", "refuse"}

func (a Action) String() string { return actionNames[a] }

// Action returns what becomes of the frame.
func (o *Outcome) Action() Action {
	switch {
	case o.Decision.Verdict >= Prompt:
		return Refuse
	case len(o.Withheld) > 0:
		return Rewrite
	}
	return Forward
}

// Rewrite returns the frame that the outcome is about without the definitions that are
// withheld; all other bytes stay as they are. It returns nil for another frame.
func (o *Outcome) Rewrite(frame []byte) []byte {
	if len(o.Withheld) == 0 {
		return frame
	}
	var doc wire.Doc
	if doc.Parse(frame) != nil {
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
	var cuts []span
	for list := range lists {
		cuts = appendCuts(cuts, &doc, list, gone)
	}
	slices.SortFunc(cuts, func(a, b span) int { return a.from - b.from })
	out, at := make([]byte, 0, len(frame)), 0
	for _, c := range cuts {
		out = append(out, frame[at:c.from]...)
		at = c.to
	}
	return append(out, frame[at:]...)
}

// span is a part of a frame.
type span struct{ from, to int }

// appendCuts appends the spans to cut out of an array or object to remove some of its
// children, each with the comma after it, or for the last one the comma before it.
func appendCuts(cuts []span, doc *wire.Doc, list int, gone map[int]bool) []span {
	kept, open := -1, -1 // where the last child that is kept ends; where the cut that is open begins
	for c := doc.First(list); c >= 0; c = doc.Next(c) {
		n := &doc.Nodes[c]
		from, to := int(n.Start), int(n.End)
		if n.KeyEnd > 0 {
			from = int(n.KeyStart)
		}
		switch {
		case gone[c] && open < 0:
			open = from
		case !gone[c] && open >= 0:
			cuts, open = append(cuts, span{open, from}), -1
		}
		if !gone[c] {
			kept = to
		} else if doc.Next(c) < 0 {
			if kept >= 0 {
				open = kept
			}
			cuts = append(cuts, span{open, to})
		}
	}
	return cuts
}

// nodeAt returns the node that begins at an offset from the first value of a text on, -1
// where none does.
func nodeAt(doc *wire.Doc, offset int) int {
	at := int32(offset) + doc.Nodes[0].Start
	i, ok := slices.BinarySearchFunc(doc.Nodes, at, func(n wire.Node, at int32) int { return int(n.Start) - int(at) })
	if !ok {
		return -1
	}
	return i
}

// place fills in where the withheld definitions are in the frame. A frame in which they
// cannot be found is refused.
func (o *Outcome) place(frame []byte) {
	if len(o.Withheld) == 0 {
		return
	}
	var doc wire.Doc
	err := doc.Parse(frame)
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
