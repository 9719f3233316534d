package llm

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// uiMessage recognises a message in the form that Vercel's AI SDK uses for user interfaces.
func uiMessage(v View) bool {
	return v.Str("role") != "" && v.At("parts").First().Str("type") != ""
}

// uiMessageParts reads the parts of a message that uiMessage recognises, and the calls that older
// versions store beside the parts.
func (r *Reader) uiMessageParts(v View) {
	repeated := false
	for p := v.At("parts").First(); p.Kind() != wire.Invalid; p = p.Next() {
		r.uiPart(p)
		repeated = repeated || p.At("toolInvocation").Is()
	}
	if !repeated { // older versions write calls in both forms
		v.At("toolInvocations").each(func(t View) { r.uiCall(t, t.Str("toolName")) })
	}
}

// uiTexts are the types of parts that are not from tools.
var uiTexts = []string{"text", "reasoning", "file", "source", "source-url", "source-document", "step-start", "custom", "reasoning-file", "steering-message"}

func (r *Reader) uiPart(v View) {
	kind := v.Str("type")
	tool, static := strings.CutPrefix(kind, "tool-")
	switch {
	case slices.Contains(uiTexts, kind), strings.HasPrefix(kind, "data-"), kind == "" && v.has("text", wire.String), v.Kind() == wire.String:
		r.text(v)
	case kind == "tool-invocation" && v.has("toolInvocation", wire.Object):
		r.uiCall(v.At("toolInvocation"), v.At("toolInvocation").Str("toolName"))
	case kind == "dynamic-tool":
		r.uiCall(v, v.Str("toolName"))
	case static && v.Str("toolCallId") != "":
		r.uiCall(v, tool)
	default:
		r.unknown(v, "a part of a message", kind)
	}
}

// uiCall reads a call and, if there is one already, its result.
func (r *Reader) uiCall(v View, tool string) {
	id := v.Str("toolCallId")
	r.emit(Item{Kind: Call, At: v, ID: id, Name: tool, Args: v.either("input", "args")})
	for _, key := range []string{"output", "result", "errorText"} {
		r.result(Item{At: v, ID: id, Content: v.At(key), Failed: key == "errorText"})
	}
}

// modelPart reads a part of a message in the form that the SDK sends to models, and reports whether v is
// such a part.
func (r *Reader) modelPart(v View) bool {
	switch v.Str("type") {
	case "tool-call":
		r.uiCall(v, v.Str("toolName"))
	case "tool-result":
		made := v.At("output") // the SDK's wrapper around the tool's output
		result := made.At("value")
		if !result.Is() {
			result = v.either("output", "result")
		}
		r.result(Item{At: v, ID: v.Str("toolCallId"), Content: result, Failed: strings.HasPrefix(made.Str("type"), "error-") || v.is("isError")})
	case "tool-approval-request", "tool-approval-response", "reasoning-file", "custom":
	default:
		return false
	}
	return true
}
