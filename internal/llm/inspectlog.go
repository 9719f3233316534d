package llm

import (
	"cmp"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// readInspect reads an Inspect log: each sample is a session.
func readInspect(r *Reader, b *body) {
	i := 0
	for c := b.members["samples"].Children(); c.Next(); i++ {
		readInspectSample(r, r.sub(b, c.Value, "/samples"+index(i)))
	}
}

func readInspectSample(r *Reader, b *body) {
	id := cmp.Or(b.str("id"), string(b.members["id"].Raw()))
	r.session = "sample " + id + " epoch " + cmp.Or(string(b.members["epoch"].Raw()), "1")
	r.conversation(b, r.session, wire.Value{})
	r.messages(b, "messages", r.dojoMessage)
	r.each(b, "events", func(_ int, v View) { r.inspectEvent(v) })
}

// inspectEvent reads the tools that were offered to a model, or a call and its result. If an agent
// inside the sample made the call, the sample's messages lack it.
func (r *Reader) inspectEvent(v View) {
	switch v.Str("event") {
	case "model":
		for t := v.At("tools").First(); t.Is(); t = t.Next() {
			if strings.HasPrefix(t.Str("description"), attached) {
				r.skip(t, "%s: a description stored as an attachment", r.format)
			}
			r.chatTool(t)
		}
	case "tool":
		r.emit(Item{Kind: Call, At: v, ID: v.Str("id"), Name: v.Str("function"), Args: v.At("arguments"), Echo: true})
		if result := v.At("result"); result.Is() {
			if strings.HasPrefix(string(result.Text()), attached) {
				r.skip(result, "%s: a result stored as an attachment", r.format)
			}
			r.emit(Item{Kind: Result, At: v, ID: v.Str("id"), Content: result, Failed: v.At("error").Is(), Meta: v.At("error"), Echo: true})
		}
	}
}

// attached is the prefix of a reference to a text that an Inspect log stores as an attachment.
const attached = "attachment://"
