package llm

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// interactionTexts are the types of steps in Gemini's Interactions API, and of their contents, that are not tool
// output.
var interactionTexts = []string{"user_input", "model_output", "thought", "text", "image", "audio", "video", "document"}

// isInteractionStep recognises a step of an interaction.
func isInteractionStep(v View) bool {
	return v.says("type", interactionTexts[:3]...) || v.says("type", "function_result", "mcp_server_tool_call", "mcp_server_tool_result")
}

func interactionRequest(v View) bool {
	if v.Str("model") == "" && v.Str("agent") == "" || !v.At("input").Is() {
		return false
	}
	return v.At("generation_config").Is() || v.Str("previous_interaction_id") != "" || isInteractionStep(v.At("input").First()) ||
		v.At("tools").First().says("type", "mcp_server", "google_search", "url_context")
}

func interaction(v View) bool {
	if v.Str("id") == "" || v.Str("status") == "" {
		return false
	}
	step := v.At("steps").First()
	return isInteractionStep(step) || strings.HasSuffix(step.Str("type"), "_call") || v.says("object", "interaction") && v.has("outputs", wire.Array)
}

func readInteractionRequest(r *Reader, b *body) {
	r.style = Underlined
	key, before := firstSaid(b.members["input"]), b.str("previous_interaction_id")
	if input := b.members["input"]; input.Kind() == wire.String {
		key = "user\x00" + string(appendSaid(nil, input))
		r.textAt(b.origin(input, "/input"))
	}
	if before != "" {
		key = "response " + before
	}
	r.conversation(b, key, b.members["input"])
	if before != "" {
		r.before = before + " "
	}
	r.each(b, "tools", func(_ int, v View) { r.interactionTool(v) })
	if b.members["input"].Kind() == wire.Array {
		r.each(b, "input", r.itemsOf(r.interactionStep))
	}
}

func readInteraction(r *Reader, b *body) {
	r.style = Underlined
	r.response()
	for _, key := range []string{"steps", "outputs"} {
		r.each(b, key, func(_ int, v View) { r.interactionStep(v) })
	}
	r.emit(Item{Kind: Begin, Key: "response " + b.str("id"), origin: new(b.origin(b.root, "")), Echo: true})
}

func (r *Reader) interactionTool(v View) {
	switch kind := v.Str("type"); kind {
	case "function":
		r.declare(v, "")
	case "mcp_server":
		r.emit(Item{Kind: Known, At: v, Server: v.Str("name")})
	default:
		if kind != "retrieval" && !slices.Contains(geminiTools, kind) {
			r.unknown(v, "a tool", kind)
			return
		}
		r.ignore(v, "tools defined by the model provider")
	}
}

func (r *Reader) interactionStep(v View) {
	switch kind := v.Str("type"); {
	case slices.Contains(interactionTexts, kind), kind == "" && v.Str("role") != "":
		r.text(v)
	case kind == "function_call", kind == "mcp_server_tool_call":
		r.emit(Item{Kind: Call, At: v, ID: v.Str("id"), Name: v.Str("name"), Server: v.Str("server_name"), Args: v.At("arguments")})
	case kind == "function_result", kind == "mcp_server_tool_result":
		r.emit(Item{Kind: Result, At: v, ID: v.Str("call_id"), Server: v.Str("server_name"), Content: v.At("result"), Failed: v.is("is_error")})
	case strings.HasSuffix(kind, "_call"):
		r.emit(Item{Kind: Call, At: v, ID: v.Str("id"), Name: strings.TrimSuffix(kind, "_call"), Server: Provider, Args: v.At("arguments")})
	case strings.HasSuffix(kind, "_result"):
		r.result(Item{At: v, ID: v.Str("call_id"), Server: Provider, Content: v.At("result"), Failed: v.is("is_error")})
	default:
		r.unknown(v, "a step", kind)
	}
}
