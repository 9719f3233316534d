package llm

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

func readChatRequest(r *Reader, b *body) {
	r.conversation(b, firstSaid(b.members["messages"]), b.members["messages"])
	r.each(b, "tools", func(_ int, v View) { r.chatTool(v) })
	if b.members["tools"].Kind() == wire.Object { // by name, as clients of the AI SDK send them
		v, _ := r.member(b, "tools")
		for t := v.First(); t.Is(); t = t.Next() {
			r.emit(Item{Kind: Declared, At: t, Tool: t, Name: t.Key()})
		}
	}
	r.each(b, "functions", func(_ int, v View) { r.declare(v, "") })
	r.each(b, "messages", func(i int, v View) {
		r.message(i)
		r.chatMessage(v)
	})
}

func (r *Reader) chatTool(v View) {
	switch kind := v.str("type"); {
	case v.has("function", wire.Object):
		r.declare(v.at("function"), "")
	case v.has("custom", wire.Object):
		r.declare(v.at("custom"), "")
	case v.str("name") != "" && (kind == "" || kind == "function" || kind == "custom"):
		r.declare(v, "")
	case begins(kind, []string{"web_search", "file_search"}):
		r.ignore(v, "tools defined by the model provider")
	default:
		r.unknown(v, "a tool", kind)
	}
}

// chatParts are the types of message parts that are not tool output.
var chatParts = []string{"text", "image_url", "input_audio", "file", "refusal", "image", "audio", "reasoning", "thinking"}

func (r *Reader) chatMessage(v View) {
	if v.Kind() != wire.Object {
		r.skip(v, "%s: a message that is %s", r.format, v.Kind())
		return
	}
	role := v.str("role")
	if role == "" && !r.history {
		role = "assistant"
	}
	switch role {
	case "system", "developer", "user", "assistant":
		content := v.at("content")
		if content.Is() {
			r.text(content)
		}
		for c := content.First(); c.Is(); c = c.Next() {
			r.chatPart(c)
		}
		for c := v.at("tool_calls").First(); c.Is(); c = c.Next() {
			r.chatCall(c)
		}
		if f := v.at("function_call"); f.Is() {
			r.call(f, "id", "arguments", "")
		}
		r.uiMessageParts(v)
	case "tool", "function":
		r.emit(Item{Kind: Result, At: v, ID: v.str("tool_call_id"), Name: v.str("name"), Content: v.at("content"), Failed: v.at("error").Is()})
	default:
		r.unknown(v, "a message", role)
	}
}

// chatPart reads a part of a message; some gateways forward Anthropic blocks in them.
func (r *Reader) chatPart(v View) {
	switch kind := v.str("type"); {
	case slices.Contains(chatParts, kind), v.Kind() == wire.String:
	case slices.Contains([]string{"tool_use", "server_tool_use", "mcp_tool_use", "tool_result", "mcp_tool_result"}, kind):
		r.anthropicBlock(v)
	default:
		r.unknown(v, "a part of a message", kind)
	}
}

func (r *Reader) chatCall(v View) {
	f := v.at("function")
	if f.Kind() != wire.Object {
		f = v.at("custom")
	}
	switch {
	case f.Kind() != wire.Object:
		r.unknown(v, "a call", v.str("type"))
	case f.at("input").Is():
		r.emit(Item{Kind: Call, At: v, ID: v.str("id"), Name: f.str("name"), Args: f.at("input"), Free: true})
	default:
		r.emit(Item{Kind: Call, At: v, ID: v.str("id"), Name: f.str("name"), Args: f.at("arguments")})
	}
}

func readChatResponse(r *Reader, b *body) {
	r.response()
	r.each(b, "choices", func(_ int, v View) { r.chatMessage(v.at("message")) })
}

// readChatChunk handles a chunk of a stream. A choice is read once it is finished.
func readChatChunk(r *Reader, b *body) {
	v, ok := r.view(b, b.root, "")
	if !ok {
		return
	}
	s, stream := &r.streams, "chat "+v.str("id")
	r.streamed(stream, doneMark, v.Origin())
	for choice := v.at("choices").First(); choice.Is(); choice = choice.Next() {
		delta, at := choice.at("delta"), string(choice.at("index").Raw())
		if delta.at("content").Is() {
			r.text(delta.at("content"))
		}
		for c := delta.at("tool_calls").First(); c.Is(); c = c.Next() {
			r.chatDelta(streamKey{stream, at + "/" + string(c.at("index").Raw())}, c, c.at("function"))
		}
		if f := delta.at("function_call"); f.Is() {
			r.chatDelta(streamKey{stream, at + "/"}, f, f)
		}
		if choice.str("finish_reason") != "" {
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
		f = c.at("custom")
	}
	if id := c.str("id"); s.parts[key] != nil && id != "" && string(s.parts[key].id) != id && len(s.parts[key].id) > 0 {
		r.chatPartial(key, s.take(key)) // some providers give all calls the same index
	}
	if s.parts[key] == nil && !s.open(key, &partial{at: c.Origin()}) {
		r.skip(c, "more incomplete calls in streams than the limit of %d", maxStreams)
		return
	}
	p := s.parts[key]
	if id := c.str("id"); id != "" {
		p.id = []byte(id)
	}
	p.name = append(p.name, f.str("name")...)
	args := f.at("arguments")
	if f.at("input").Is() {
		args, p.free = f.at("input"), true
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
	r.emit(Item{Kind: Call, At: v, ID: string(p.id), Name: string(p.name), Args: r.joined(p), Free: p.free, Slot: key.index})
}

// readMessages reads a list of messages that is not part of a request.
func readMessages(r *Reader, b *body) {
	r.conversation(b, firstSaid(b.root), b.root)
	r.list(b, b.root, "", func(i int, v View) {
		r.message(i)
		r.chatMessage(v)
	})
}

// liteLLM recognises a LiteLLM spend log or standard logging payload.
func liteLLM(v View) bool {
	m := v.at("metadata")
	return (v.has("messages", wire.Array) || m.at("mcp_tool_call_metadata").Is()) && v.has("response", wire.Object) && (v.str("model") != "" || v.at("call_type").Is())
}

func readLiteLLM(r *Reader, b *body) {
	readChatRequest(r, b)
	if v, ok := r.member(b, "model_parameters"); ok { // a standard logging payload keeps the tools here
		for t := v.at("tools").First(); t.Is(); t = t.Next() {
			r.liteLLMTool(t)
		}
		for f := v.at("functions").First(); f.Is(); f = f.Next() {
			r.declare(f, "")
		}
	}
	if meta := b.members["metadata"].Get("mcp_tool_call_metadata"); meta.Kind() == wire.Object {
		r.response()
		if v, ok := r.view(b, meta, "/metadata/mcp_tool_call_metadata"); ok {
			r.emit(Item{Kind: Call, At: v, ID: b.str("id"), Name: v.str("name"), Server: v.str("mcp_server_name"), Args: v.at("arguments")})
		}
		if v, ok := r.member(b, "response"); ok {
			r.emit(Item{Kind: Result, At: v, ID: b.str("id"), Content: v})
		}
		return
	}
	if request := b.members["proxy_server_request"]; request.Kind() == wire.Object && request.Children().Next() { // in a spend log
		r.nested(b, "proxy_server_request")
	}
	r.nested(b, "response")
}

// liteLLMTool reads a tool in the form of the API that LiteLLM was called with.
func (r *Reader) liteLLMTool(v View) {
	switch {
	case v.has("function", wire.Object) || v.has("custom", wire.Object):
		r.chatTool(v)
	case v.has("input_schema", wire.Object):
		r.anthropicTool(v)
	default:
		r.responsesTool(v)
	}
}

// nested reads a member that is itself a body.
func (r *Reader) nested(b *body, key string) {
	v := b.members[key]
	if v.Kind() == wire.Invalid {
		return
	}
	pointer := "/" + wire.EscapePointer(key)
	if f := r.known.recognise(v); f != nil {
		format := r.format
		r.format = f.name
		f.read(r, r.sub(b, v, pointer))
		r.format = format
		return
	}
	r.skipAt(b.origin(v, pointer), "%s: %s in an unknown format", r.format, quote(key))
}

// bodyStarts are what a JSON text or an event stream starts with.
var bodyStarts = []string{"{", "[", "data:", "event:"}

// readExchange reads a logged request and its response.
func readExchange(r *Reader, b *body) {
	for _, keys := range [][]string{requestMembers, responseMembers} {
		for _, key := range keys {
			switch v := b.members[key]; {
			case v.Kind() >= wire.Array:
				r.nested(b, key)
			case v.Kind() == wire.String && begins(strings.TrimSpace(string(v.Text())), bodyStarts):
				r.skipAt(b.origin(v, "/"+key), "%s: %s is a body in a string", r.format, quote(key))
			}
		}
	}
}

func readExchanges(r *Reader, b *body) {
	i := 0
	for c := b.root.Children(); c.Next(); i++ {
		f := r.known.recognise(c.Value)
		if f == nil {
			r.skipAt(b.origin(c.Value, index(i)), "%s: an element in an unknown format", r.format)
			continue
		}
		r.history, r.turn, r.session = false, "", ""
		f.read(r, r.sub(b, c.Value, index(i)))
	}
}
