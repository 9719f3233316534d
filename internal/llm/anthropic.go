package llm

import (
	"bytes"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// Provider is the server name for tools that the model's provider runs itself.
const Provider = "provider"

// anthropicEvents are the events of a Messages stream, apart from pings and errors.
var anthropicEvents = []string{"message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop"}

// providerTools are the type prefixes of tools that the provider defines; a request only names them.
var providerTools = []string{"bash_", "computer_", "text_editor_", "web_search", "web_fetch", "code_execution", "memory_", "tool_search", "advisor", "browser_toolset", "agent_toolset_"}

func readAnthropicRequest(r *Reader, b *body) {
	r.conversation(b, firstSaid(b.members["messages"]), b.members["messages"])
	r.each(b, "mcp_servers", func(_ int, v View) { r.emit(Item{Kind: Known, At: v, Server: v.Str("name")}) })
	r.each(b, "tools", func(_ int, v View) { r.anthropicTool(v) })
	r.messages(b, "messages", r.anthropicMessage)
}

func (r *Reader) anthropicTool(v View) {
	switch kind := v.Str("type"); {
	case kind == "mcp_toolset":
		r.emit(Item{Kind: Known, At: v, Server: v.Str("mcp_server_name")})
		v.At("tools").each(func(t View) { r.declare(t, v.Str("mcp_server_name")) })
	case kind == "" || kind == "custom" || v.has("input_schema", wire.Object):
		r.declare(v, "")
	case begins(kind, providerTools):
		r.ignore(v, "tools defined by the model provider")
	default:
		r.unknown(v, "a tool", kind)
	}
}

func begins(s string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}

func (r *Reader) ignore(v View, reason string) { r.emit(Item{Kind: Ignored, At: v, Reason: reason}) }

func (r *Reader) declare(v View, server string) { r.declareAs(v, v.Str("name"), server) }

func (r *Reader) declareAs(v View, name, server string) {
	if v.Kind() != wire.Object {
		r.skip(v, "%s: a tool that is %s", r.format, v.Kind())
		return
	}
	r.emit(Item{Kind: Declared, At: v, Tool: v, Name: name, Server: server})
}

// describe declares the description of a tool, or of a group of tools, in formats that store it apart
// from the tools' definitions.
func (r *Reader) describe(name, server string, description View) {
	if description.Kind() != wire.String || len(description.Text()) == 0 {
		return
	}
	made := wire.AppendString([]byte(`{"name":`), []byte(name))
	made = append(append(append(made, `,"description":`...), description.Raw()...), '}')
	if v, err := r.quoted(description.Origin(), made); err == nil {
		r.declare(v, server)
	}
}

func (r *Reader) anthropicMessage(v View) {
	switch content := v.At("content"); content.Kind() {
	case wire.String:
		r.text(content)
	case wire.Array:
		for c := content.First(); c.Kind() != wire.Invalid; c = c.Next() {
			r.anthropicBlock(c)
		}
	default:
		r.skip(v, "%s: a message without content", r.format)
	}
}

// resourceTools are Claude Code tools that request resources from a server.
var resourceTools = []string{"ListMcpResourcesTool", "ReadMcpResourceTool"}

func (r *Reader) anthropicBlock(v View) {
	switch kind := v.Str("type"); kind {
	case "text", "thinking", "redacted_thinking", "image", "document", "container_upload", "compaction", "fallback", "tool_removal":
		r.text(v)
		v.At("tool_changes").each(r.anthropicBlock) // of what was compacted
	case "tool_addition":
		if tool := v.At("tool"); tool.At("definition").Is() {
			r.anthropicTool(tool.At("definition"))
		} else { // a reference
			r.text(v)
		}
	case "search_result": // found by the client, for the model to cite
		r.emit(Item{Kind: Result, At: v, Content: v})
	case "tool_use":
		server := ""
		if v.says("name", resourceTools...) {
			server = v.At("input").Str("server")
		}
		r.call(v, "id", "input", server)
	case "server_tool_use":
		r.call(v, "id", "input", Provider)
	case "mcp_tool_use":
		r.call(v, "id", "input", v.Str("server_name"))
	case "mcp_tool_listing":
		v.At("tools").each(func(t View) { r.declare(t, v.Str("mcp_server_name")) })
	default:
		if kind == "tool_result" || strings.HasSuffix(kind, "_tool_result") {
			r.emit(Item{Kind: Result, At: v, ID: v.Str("tool_use_id"), Content: contentIn(v), Failed: v.is("is_error")})
			return
		}
		r.unknown(v, "a block", kind)
	}
}

// contentIn returns the content of a result. If the block has unusual members and no content, it
// returns the whole block, because a client may have stored the content under another name.
func contentIn(block View) View {
	if content := block.At("content"); content.Is() {
		return content
	}
	for m := block.First(); m.Is(); m = m.Next() {
		if !slices.Contains([]string{"type", "tool_use_id", "is_error", "cache_control"}, m.Key()) {
			return block
		}
	}
	return View{}
}

// call emits a call whose id, name and arguments are members of v.
func (r *Reader) call(v View, id, args, server string) {
	r.emit(Item{Kind: Call, At: v, ID: v.Str(id), Name: v.Str("name"), Args: v.At(args), Server: server})
}

func readAnthropicResponse(r *Reader, b *body) {
	r.response()
	r.each(b, "content", func(_ int, v View) { r.anthropicBlock(v) })
}

// readAnthropicEvent handles an event in a stream. A call is read when its block is complete.
func readAnthropicEvent(r *Reader, b *body) {
	s := &r.streams
	if b.str("type") == "message_start" {
		r.brokenOff("anthropic")
		r.sawText = false
	}
	r.streamed("anthropic", "message_stop", b.origin(b.root, ""))
	v, ok := r.view(b, b.root, "")
	if !ok {
		return
	}
	key := streamKey{of: "anthropic", index: string(v.At("index").Raw())}
	switch v.Str("type") {
	case "message_start":
		v.At("message").At("content").each(r.anthropicBlock)
	case "content_block_start":
		block := v.At("content_block")
		if block.says("type", "tool_use", "server_tool_use", "mcp_tool_use") {
			r.open(key, block, &partial{raw: bytes.Clone(block.Raw())})
		} else {
			r.anthropicBlock(block)
		}
	case "content_block_delta":
		delta := v.At("delta")
		switch kind := delta.Str("type"); kind {
		case "input_json_delta":
			r.grow(key, v, delta.At("partial_json").Text())
		case "text_delta", "thinking_delta", "signature_delta", "citations_delta", "compaction_delta":
			r.text(delta)
		default:
			r.unknown(delta, "a delta", kind)
		}
	case "content_block_stop":
		if p := s.take(key); p != nil {
			r.anthropicPartial(key, p)
		}
	case "message_stop":
		r.brokenBlocks("anthropic")
		s.stop("anthropic")
	}
}

// anthropicPartial emits the call in a block built from a stream.
func (r *Reader) anthropicPartial(key streamKey, p *partial) {
	v, err := r.quoted(p.at, p.raw)
	if err != nil {
		return // it was parsed before
	}
	server := v.Str("server_name")
	if v.says("type", "server_tool_use") {
		server = Provider
	}
	args := v.At("input")
	if len(p.args) > 0 {
		args = r.joined(p)
	}
	r.emit(Item{Kind: Call, At: v, ID: v.Str("id"), Name: v.Str("name"), Args: args, Server: server, Slot: key.index})
}
