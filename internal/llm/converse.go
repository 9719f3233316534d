package llm

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// converseEvents are the events with content in a Bedrock Converse stream.
var converseEvents = []string{"messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop"}

// converseEvent recognises a Bedrock Converse stream event in the form that Amazon's SDKs use: an
// object whose only member is the event.
func converseEvent(v View) bool {
	e := v.First()
	if v.Kind() != wire.Object || e.Kind() != wire.Object || e.Next().Kind() != wire.Invalid {
		return false
	}
	return slices.Contains(converseEvents, e.Key()) || e.Key() == "metadata" && e.has("usage", wire.Object) || strings.HasSuffix(e.Key(), "Exception") && e.has("message", wire.String)
}

// readConverseEvent handles an event in a stream. A call is read once its block is complete.
func readConverseEvent(r *Reader, b *body) {
	v, ok := r.view(b, b.root, "")
	if !ok {
		return
	}
	const stream = "bedrock"
	s, e := &r.streams, v.First()
	kind := e.Key()
	switch {
	case kind == "metadata":
		return
	case strings.HasSuffix(kind, "Exception"):
		r.ignore(v, "an error from the model provider")
		return
	case kind == "messageStart":
		r.brokenOff(stream)
		r.sawText = false
	}
	r.streamed(stream, "messageStop", b.origin(b.root, ""))
	key := streamKey{of: stream, index: string(e.At("contentBlockIndex").Raw())}
	switch kind {
	case "contentBlockStart":
		use := e.At("start").At("toolUse")
		if use.Is() && !s.open(key, &partial{at: use.Origin(), id: []byte(use.Str("toolUseId")), name: []byte(use.Str("name")), server: converseServer(use)}) {
			r.skip(use, "more incomplete calls in streams than the limit of %d", maxStreams)
		}
	case "contentBlockDelta":
		delta := e.At("delta")
		switch use := delta.At("toolUse"); {
		case delta.At("toolResult").Is(): // of a tool that the provider runs
			r.result(Item{At: delta, Server: Provider, Content: delta.At("toolResult")})
		case use.Is():
			r.grow(key, e, use.At("input").Text())
		case slices.Contains(append([]string{"citation"}, converseTexts...), delta.First().Key()):
			r.text(delta)
		default:
			r.unknown(delta, "a delta", delta.First().Key())
		}
	case "contentBlockStop":
		if p := s.take(key); p != nil {
			r.chatPartial(key, p)
		}
	case "messageStop":
		r.brokenBlocks(stream)
		s.stop(stream)
	}
}
