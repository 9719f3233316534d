package scanner

import (
	"crypto/sha256"
	"strings"

	"github.com/mcpscan/mcpscan/internal/conform"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// The bounds on the arguments that a policy or rule sees. A request that exceeds them is marked, so
// that a policy does not allow it without having seen all its values.
const (
	maxArguments   = 1024
	argumentsBytes = 256 << 10 // of all arguments together
)

// arguments returns the values in the parameters at node i, including those in the "arguments"
// member, if any.
func (in *Inspector) arguments(i int) (args []Argument, partial bool) {
	doc, size := in.tree, 0
	end := int(doc.Nodes[i].Next)
	args = in.args[:0]
	defer func() {
		own := append([]Argument(nil), args...)
		clear(args)
		args, in.args = own, args[:0]
	}()
	for c := i + 1; c < end; c++ {
		if doc.Kind(c) >= wire.Array {
			continue
		}
		raw := doc.Raw(c)
		if doc.Kind(c) == wire.String {
			in.buf = in.buf[:0]
			raw = doc.Text(c, &in.buf)
		}
		if len(args) == maxArguments {
			return args, true
		}
		if size+len(raw) > argumentsBytes { // keep going, because shorter arguments may still fit
			partial = true
			continue
		}
		size += len(raw)
		a := Argument{Text: in.shared.String(raw), Offset: int(doc.Nodes[c].Start - doc.Nodes[in.event.root].Start)}
		in.pointed = doc.AppendPointer(in.pointed[:0], i, c)
		a.Pointer = in.shared.String(in.pointed)
		a.Name = argumentName(a.Pointer)
		args = append(args, a)
	}
	return args, partial
}

// misplaced reports whether the parameters or arguments are not objects. A lenient server may
// still read values from them, under unknown names.
func (in *Inspector) misplaced(params int) bool {
	args := in.tree.Kind(in.tree.Get(params, "arguments"))
	return in.tree.Kind(params) != wire.Object || args != wire.Invalid && args != wire.Null && args != wire.Object
}

// argumentName returns the first name in a pointer, skipping the "arguments" member itself.
func argumentName(pointer string) string {
	rest, ok := strings.CutPrefix(pointer+"/", "/arguments/")
	if !ok {
		rest = strings.TrimPrefix(pointer, "/")
	}
	name, _, _ := strings.Cut(rest, "/")
	return wire.UnescapePointer(name)
}

// given returns the position and digest of a call's arguments.
func (in *Inspector) given(params int) mcp.RawArguments {
	args := in.tree.Get(params, "arguments")
	if in.tree.Kind(args) == wire.Invalid || in.tree.Kind(args) == wire.Null {
		return mcp.RawArguments{Digest: noArgumentsDigest}
	}
	n, frame := &in.tree.Nodes[args], int(in.tree.Nodes[in.event.root].Start)
	return mcp.RawArguments{Start: int(n.Start) - frame, End: int(n.End) - frame, Digest: sha256.Sum256(in.tree.Raw(args))}
}

// noArguments stands for the arguments of a call that has none.
const noArguments = "{}"

var noArgumentsDigest = mcp.Digest(sha256.Sum256([]byte(noArguments)))

// Violation returns the first argument of the current call that violates the tool's schema,
// with its position in the frame.
func (p *JudgePass) Violation(tool *mcp.Definition) conform.Violation {
	g := &p.Message.RawArguments
	frame := p.event.Frame
	if tool.Input == nil || g.Digest == (mcp.Digest{}) || g.End > len(frame) {
		return conform.Violation{}
	}
	value := []byte(noArguments)
	if g.End > 0 {
		value = frame[g.Start:g.End]
	}
	b := p.judge.conform.Check(tool.Parts[inputPart], g.Digest, tool.Input, value)
	b.Offset += g.Start
	if g.End == 0 {
		b.Offset = p.Message.Offset
	}
	return b
}

// inputPart is the index of the input schema among the parts of a definition.
const inputPart = 1
