package llm

import (
	"slices"

	"github.com/mcpscan/mcpscan/internal/wire"
)

func readChatRequest(r *Reader, b *body) {
	r.conversation(b, firstSaid(b.members["messages"]), b.members["messages"])
	if b.members["tools"].Kind() == wire.Object { // by name, as clients of the AI SDK send them
		v, _ := r.member(b, "tools")
		v.each(func(t View) { r.emit(Item{Kind: Declared, At: t, Tool: t, Name: t.Key()}) })
	} else {
		r.each(b, "tools", func(_ int, v View) { r.chatTool(v) })
	}
	r.each(b, "functions", func(_ int, v View) { r.declare(v, "") })
	r.messages(b, "messages", r.chatMessage)
}

func (r *Reader) chatTool(v View) {
	switch kind := v.Str("type"); {
	case v.has("function", wire.Object):
		r.declare(v.At("function"), "")
	case v.has("custom", wire.Object):
		r.declare(v.At("custom"), "")
	case v.Str("name") != "" && (kind == "" || kind == "function" || kind == "custom"):
		r.declare(v, "")
	case begins(kind, []string{"web_search", "file_search"}):
		r.ignore(v, "tools defined by the model provider")
	default:
		r.unknown(v, "a tool", kind)
	}
}

// chatParts are the types of message parts that are not tool output.
var chatParts = []string{"text", "image_url", "input_audio", "file", "refusal", "image", "audio", "reasoning", "thinking", "redacted_thinking", "document",
	"input_text", "input_image", "input_file", "output_text"}

func (r *Reader) chatMessage(v View) {
	if v.Kind() != wire.Object {
		r.skip(v, "%s: a message that is %s", r.format, v.Kind())
		return
	}
	role := v.Str("role")
	if role == "" && !r.history {
		role = "assistant"
	}
	switch role {
	case "system", "developer", "user", "assistant":
		content := v.At("content")
		if content.Is() {
			r.text(content)
		}
		content.each(r.chatPart)
		v.At("tool_calls").each(r.chatCall)
		if f := v.At("function_call"); f.Is() {
			r.call(f, "id", "arguments", "")
		}
		r.uiMessageParts(v)
	case "tool", "function":
		if !v.At("tool_call_id").Is() && v.At("content").First().says("type", "tool-result", "tool-approval-response") { // of the AI SDK
			v.At("content").each(r.chatPart)
			return
		}
		r.emit(Item{Kind: Result, At: v, ID: v.Str("tool_call_id"), Name: v.Str("name"), Content: v.At("content"), Failed: v.At("error").Is()})
	default:
		r.unknown(v, "a message", role)
	}
}

// chatPart reads a part of a message; some gateways forward Anthropic blocks as parts.
func (r *Reader) chatPart(v View) {
	switch kind := v.Str("type"); {
	case slices.Contains(chatParts, kind), v.Kind() == wire.String, r.modelPart(v):
	case slices.Contains([]string{"tool_use", "server_tool_use", "mcp_tool_use", "tool_result", "mcp_tool_result"}, kind):
		r.anthropicBlock(v)
	default:
		r.unknown(v, "a part of a message", kind)
	}
}

func (r *Reader) chatCall(v View) {
	f := v.At("function")
	if f.Kind() != wire.Object {
		f = v.At("custom")
	}
	switch {
	case f.Kind() != wire.Object:
		r.unknown(v, "a call", v.Str("type"))
	case f.At("input").Is():
		r.emit(Item{Kind: Call, At: v, ID: v.Str("id"), Name: f.Str("name"), Args: f.At("input"), Free: true})
	default:
		r.emit(Item{Kind: Call, At: v, ID: v.Str("id"), Name: f.Str("name"), Args: f.At("arguments")})
	}
}

func readChatResponse(r *Reader, b *body) {
	r.response()
	r.each(b, "choices", func(_ int, v View) { r.chatMessage(v.At("message")) })
}

// chatChunk handles a chunk of a stream. The calls in a choice are read when the choice is finished.
func (r *Reader) chatChunk(v View) {
	s, stream := &r.streams, "chat "+v.Str("id")
	r.streamed(stream, doneMark, v.Origin())
	for choice := v.At("choices").First(); choice.Is(); choice = choice.Next() {
		delta, at := choice.At("delta"), string(choice.At("index").Raw())
		if delta.At("content").Is() {
			r.text(delta.At("content"))
		}
		for c := delta.At("tool_calls").First(); c.Is(); c = c.Next() {
			r.chatDelta(streamKey{stream, at + "/" + string(c.At("index").Raw())}, c, c.At("function"))
		}
		if f := delta.At("function_call"); f.Is() {
			r.chatDelta(streamKey{stream, at + "/"}, f, f)
		}
		if choice.Str("finish_reason") != "" {
			for _, key := range s.of(stream) {
				if len(key.index) > len(at) && key.index[:len(at)+1] == at+"/" {
					r.chatPartial(key, s.take(key))
				}
			}
		}
	}
}

func (r *Reader) chatDelta(key streamKey, c, f View) {
	s := &r.streams
	if f.Kind() != wire.Object {
		f = c.At("custom")
	}
	if id := c.Str("id"); s.parts[key] != nil && id != "" && string(s.parts[key].id) != id && len(s.parts[key].id) > 0 {
		r.chatPartial(key, s.take(key)) // some providers give all calls the same index
	}
	if s.parts[key] == nil && !r.open(key, c, &partial{}) {
		return
	}
	p := s.parts[key]
	if id := c.Str("id"); id != "" {
		p.id = []byte(id)
	}
	p.name = append(p.name, f.Str("name")...)
	args := f.At("arguments")
	if f.At("input").Is() {
		args, p.free = f.At("input"), true
	}
	if args.Kind() == wire.Object {
		r.grow(key, c, args.Raw())
		return
	}
	r.grow(key, c, args.Text())
}

// chatPartial emits a call built from a stream.
func (r *Reader) chatPartial(key streamKey, p *partial) {
	v, _ := r.quoted(p.at, []byte("null"))
	r.emit(Item{Kind: Call, At: v, ID: string(p.id), Name: string(p.name), Server: p.server, Args: r.joined(p), Free: p.free, Slot: key.index})
}

// readMessages reads a list of messages that is not part of a request. It may contain items of the
// Responses API, as in the sessions of OpenAI's Agents SDK.
func readMessages(r *Reader, b *body) {
	r.conversation(b, firstSaid(b.root), b.root)
	r.list(b, b.root, "", r.itemsOf(func(v View) {
		if v.Str("type") != "" && v.Str("role") == "" {
			r.responsesItem(v)
			return
		}
		r.chatMessage(v)
		r.clineMessage(v)
	}))
}
