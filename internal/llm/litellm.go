package llm

import "github.com/mcpscan/mcpscan/internal/wire"

// liteLLM recognises a LiteLLM spend log or standard logging payload.
func liteLLM(v View) bool {
	if v.Str("model") == "" && !v.At("call_type").Is() {
		return false
	}
	if v.At("metadata").At("mcp_tool_call_metadata").Is() {
		return v.At("response").Is() // an object, a list of contents, or a text
	}
	return v.has("messages", wire.Array) && v.has("response", wire.Object)
}

func readLiteLLM(r *Reader, b *body) {
	readChatRequest(r, b)
	if v, ok := r.member(b, "model_parameters"); ok { // a standard logging payload keeps the tools here
		v.At("tools").each(r.liteLLMTool)
		v.At("functions").each(func(f View) { r.declare(f, "") })
	}
	if meta := b.members["metadata"].Get("mcp_tool_call_metadata"); meta.Kind() == wire.Object {
		r.response()
		if v, ok := r.view(b, meta, "/metadata/mcp_tool_call_metadata"); ok {
			r.emit(Item{Kind: Call, At: v, ID: b.str("id"), Name: v.Str("name"), Server: v.Str("mcp_server_name"), Args: v.At("arguments")})
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
