package llm

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// interactionTexts are the types of steps in Gemini's Interactions API, and of their contents, that are
// not tool output.
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
	r.continued(b, b.str("previous_interaction_id"))
	r.each(b, "tools", func(_ int, v View) { r.interactionTool(v) })
	if b.members["input"].Kind() == wire.Array {
		r.each(b, "input", r.itemsOf(r.interactionStep))
	}
}

func readInteraction(r *Reader, b *body) {
	r.style = Underlined
	r.response()
	r.interactionOutput(b)
}

func (r *Reader) interactionOutput(b *body) {
	for _, key := range []string{"steps", "outputs"} {
		r.each(b, key, func(_ int, v View) { r.interactionStep(v) })
	}
	if id := b.str("id"); id != "" { // the next request may name it instead of repeating the history
		r.emit(Item{Kind: Begin, Key: "response " + id, origin: new(b.origin(b.root, "")), Echo: true})
	}
}

// interactionEvent recognises an event in a stream. In older versions of the API, steps are called
// contents.
func interactionEvent(v View) bool {
	switch kind := v.Str("event_type"); kind {
	case "step.start", "step.delta", "step.stop", "content.start", "content.delta", "content.stop":
		return v.either("index", "step", "content", "delta").Is()
	default:
		return strings.HasPrefix(kind, "interaction.") && v.either("interaction", "interaction_id").Is()
	}
}

// interactionEnd ends a stream; so does [DONE], which may follow it.
const interactionEnd = "interaction.completed"

// readInteractionEvent handles an event in a stream. A call is read when its step is complete; a result
// is read immediately.
func readInteractionEvent(r *Reader, b *body) {
	const stream = "interactions"
	s, kind := &r.streams, b.str("event_type")
	r.style = Underlined
	if kind == "interaction.created" || kind == "interaction.start" {
		r.brokenOff(stream)
		r.sawText = false
	}
	r.streamed(stream, interactionEnd, b.origin(b.root, ""))
	key := streamKey{of: stream, index: string(b.members["index"].Raw())}
	switch what, event, _ := strings.Cut(kind, "."); {
	case event == "completed" || event == "complete":
		if v := b.members["interaction"]; v.Kind() == wire.Object {
			r.repeats = true // steps that were streamed before
			r.interactionOutput(r.sub(b, v, "/interaction"))
			r.repeats = false
		}
		r.brokenBlocks(stream)
		s.stop(stream)
	case what == "interaction":
		r.textAt(b.origin(b.root, ""))
	case event == "stop":
		r.interactionStop(key)
	default:
		if event == "start" {
			r.interactionStop(key)
		}
		for _, part := range []string{"step", "content", "delta"} {
			if v, ok := r.member(b, part); ok {
				r.interactionPiece(key, v)
			}
		}
	}
}

func (r *Reader) interactionStop(key streamKey) {
	if p := r.streams.take(key); p != nil && !p.result {
		r.chatPartial(key, p)
	}
}

// isFull reports whether a value is present and not empty. A step begins with an empty value if a later
// piece contains the value.
func isFull(v View) bool {
	return v.Is() && !slices.Contains([]string{"{}", "[]", `""`}, string(v.Raw()))
}

// interactionPiece reads the start of a step, or an addition to it: the text of the arguments, or
// members that replace earlier ones.
func (r *Reader) interactionPiece(key streamKey, v View) {
	kind, result := v.Str("type"), strings.HasSuffix(v.Str("type"), "_result")
	switch {
	case kind == "arguments_delta":
		r.grow(key, v, v.either("arguments", "partial_arguments").Text())
		return
	case slices.Contains(interactionTexts, kind), strings.HasPrefix(kind, "thought_"), strings.HasPrefix(kind, "text_"):
		r.text(v)
		return
	case !result && !strings.HasSuffix(kind, "_call"):
		r.unknown(v, "a step", kind)
		return
	}
	p := r.streams.parts[key]
	if p == nil {
		if p = (&partial{result: result}); !r.open(key, v, p) {
			return
		}
	}
	update := func(known *[]byte, key string) {
		if s := v.Str(key); s != "" {
			*known = []byte(s)
		}
	}
	update(&p.name, "name")
	p.server = cmp.Or(v.Str("server_name"), p.server)
	if !slices.Contains([]string{"function_call", "function_result", "mcp_server_tool_call", "mcp_server_tool_result"}, kind) {
		p.name, p.server = []byte(strings.TrimSuffix(kind, "_call")), Provider
	}
	if !result {
		update(&p.id, "id")
		if args := v.At("arguments"); isFull(args) {
			p.args = p.args[:0]
			r.grow(key, v, args.Raw())
		}
		return
	}
	update(&p.id, "call_id")
	if content := v.At("result"); isFull(content) {
		r.result(Item{At: v, ID: string(p.id), Server: p.server, Content: content, Failed: v.is("is_error")})
	}
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
