package llm

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// uiMessage recognises a message in the form that Vercel's AI SDK keeps for user interfaces.
func uiMessage(v View) bool {
	return v.str("role") != "" && v.at("parts").First().str("type") != ""
}

// uiMessageParts reads what a message in this form has beside its content.
func (r *Reader) uiMessageParts(v View) {
	for p := v.at("parts").First(); p.Kind() != wire.Invalid; p = p.Next() {
		r.uiPart(p)
	}
	for t := v.at("toolInvocations").First(); t.Is(); t = t.Next() { // older versions repeat the parts here
		r.uiCall(t, t.str("toolName"))
	}
}

// uiTexts are the types of parts that are not from tools.
var uiTexts = []string{"text", "reasoning", "file", "source", "source-url", "source-document", "step-start"}

func (r *Reader) uiPart(v View) {
	kind := v.str("type")
	tool, static := strings.CutPrefix(kind, "tool-")
	switch {
	case slices.Contains(uiTexts, kind), strings.HasPrefix(kind, "data-"), kind == "" && v.has("text", wire.String), v.Kind() == wire.String:
		r.text(v)
	case kind == "tool-invocation" && v.has("toolInvocation", wire.Object):
		r.uiCall(v.at("toolInvocation"), v.at("toolInvocation").str("toolName"))
	case kind == "dynamic-tool":
		r.uiCall(v, v.str("toolName"))
	case static && v.str("toolCallId") != "":
		r.uiCall(v, tool)
	default:
		r.unknown(v, "a part of a message", kind)
	}
}

// uiCall reads a call and, once there is one, its result.
func (r *Reader) uiCall(v View, tool string) {
	id, args := v.str("toolCallId"), v.at("input")
	if !args.Is() {
		args = v.at("args")
	}
	r.emit(Item{Kind: Call, At: v, ID: id, Name: tool, Args: args, Echo: true})
	for _, key := range []string{"output", "result", "errorText"} {
		if content := v.at(key); content.Is() {
			r.emit(Item{Kind: Result, At: v, ID: id, Content: content, Failed: key == "errorText", Echo: true})
		}
	}
}
