package scanner

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// The bounds of what a policy, or a rule, sees of a request. What is beyond them is told, so that
// nothing is allowed by what nobody looked at.
const (
	maxArguments   = 1024
	argumentsBytes = 256 << 10 // of all of them together
)

// arguments returns the values in the parameters at node i: those of the arguments
// where there are some, and those beside them.
func (in *Inspector) arguments(i int) (args []Argument, partial bool) {
	doc, size := in.tree, 0
	end := int(doc.Nodes[i].Next)
	for c := i + 1; c < end; c++ {
		if doc.Kind(c) >= wire.Array {
			continue
		}
		text := string(doc.Raw(c))
		if doc.Kind(c) == wire.String {
			in.buf = in.buf[:0]
			text = string(doc.Text(c, &in.buf))
		}
		if size += len(text); len(args) == maxArguments || size > argumentsBytes {
			return args, true
		}
		a := Argument{Pointer: string(doc.AppendPointer(nil, i, c)), Text: text, Offset: int(doc.Nodes[c].Start - doc.Nodes[in.event.root].Start)}
		a.Name = argumentName(a.Pointer)
		args = append(args, a)
	}
	return args, false
}

// argumentName returns the first name in a pointer that is not the member
// "arguments" itself.
func argumentName(pointer string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(pointer, "/arguments"), "/"), "/")
	return strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
}
