package scanner

import (
	"bytes"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// project completes the definition at node i: if a client passed only some of its members to a
// model, project fills in the others from the approved version, so that omitted members do not
// count as changes. Members from the message keep their offsets in Sent. If the server has no approved
// definitions, the definition is compared only with others that a client passed to a model.
func (in *Inspector) project(i int, def *mcp.Definition) {
	in.digest.Definition(in.tree, i, def)
	snapshot := in.engine.approved
	var offer *Offer
	if snapshot != nil && !in.engine.pair {
		offer = snapshot.Servers[in.event.Server]
	}
	if offer == nil || in.event.Rewritten {
		def.Foreign = true
		return
	}
	whole := in.tree.Raw(i)
	var doc wire.Doc
	if was := offer.Definitions[def.Key()]; was != nil && !was.pending() && was.Sent != nil && doc.Parse(was.Sent) == nil {
		whole = in.completed(i, &doc)
	}
	if doc.Parse(whole) != nil { // more values than a definition may have
		return
	}
	in.digest.Definition(&doc, 0, def)
	if in.engine.keeps(def.Digest) {
		def.Sent = bytes.Clone(whole)
	}
}

// completed returns the object at node i, plus the members of the approved definition (was) that the
// object lacks.
func (in *Inspector) completed(i int, was *wire.Doc) []byte {
	raw := in.tree.Raw(i)
	whole := bytes.Clone(raw[:len(raw)-1])
	empty := in.tree.First(i) < 0
	var buf []byte
	for c := was.First(0); c >= 0; c = was.Next(c) {
		buf = buf[:0]
		key := was.Key(c, &buf)
		if in.tree.Get(i, string(key)) >= 0 {
			continue
		}
		if !empty {
			whole = append(whole, ',')
		}
		empty = false
		whole = append(wire.AppendString(whole, key), ':')
		whole = append(whole, was.Raw(c)...)
	}
	return append(whole, '}')
}
