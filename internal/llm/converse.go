package llm

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// converseEvents are the events of a Bedrock Converse stream, apart from metadata and exceptions.
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

// converseEvent handles an event in a stream. A call is read once its block is complete.
func (r *Reader) converseEvent(v View) {
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
	r.streamed(stream, "messageStop", v.Origin())
	key := streamKey{of: stream, index: string(e.At("contentBlockIndex").Raw())}
	switch kind {
	case "contentBlockStart":
		use := e.At("start").At("toolUse")
		if use.Is() {
			r.open(key, use, &partial{id: []byte(use.Str("toolUseId")), name: []byte(use.Str("name")), server: converseServer(use)})
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

func readConverseRequest(r *Reader, b *body) {
	r.conversation(b, firstSaid(b.members["messages"]), b.members["messages"])
	if v, ok := r.member(b, "toolConfig"); ok {
		for t := v.At("tools").First(); t.Is(); t = t.Next() {
			switch spec := t.At("toolSpec"); {
			case spec.Is():
				r.declare(spec, "")
			case t.At("cachePoint").Is(), t.At("systemTool").Is():
				r.ignore(t, "tools defined by the model provider")
			default:
				r.unknown(t, "a tool", t.First().Key())
			}
		}
	}
	r.messages(b, "messages", r.converseMessage)
}

// converseTexts are the keys of content blocks that contain neither a tool call nor a tool result.
var converseTexts = []string{"text", "image", "document", "video", "audio", "reasoningContent", "guardContent", "cachePoint", "citationsContent", "toolAddition", "toolRemoval"}

func (r *Reader) converseMessage(v View) {
	for c := v.At("content").First(); c.Kind() != wire.Invalid; c = c.Next() {
		use, result := c.At("toolUse"), c.At("toolResult")
		switch key := c.First().Key(); {
		case use.Is():
			r.call(use, "toolUseId", "input", converseServer(use))
		case result.Is():
			r.emit(Item{Kind: Result, At: result, ID: result.Str("toolUseId"), Content: result.At("content"), Failed: result.says("status", "error")})
		case key == "searchResult": // found by the client, for the model to cite
			r.emit(Item{Kind: Result, At: c.At(key), Content: c.At(key)})
		case slices.Contains(converseTexts, key):
			r.text(c)
		default:
			r.unknown(c, "a block", key)
		}
	}
}

// converseServer returns the server of a call: Provider for a tool that the provider runs itself.
func converseServer(use View) string {
	if use.says("type", "server_tool_use") {
		return Provider
	}
	return ""
}

func readConverseResponse(r *Reader, b *body) {
	r.response()
	if v, ok := r.member(b, "output"); ok {
		r.converseMessage(v.At("message"))
	}
}
