package llm

import (
	"cmp"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// cursorOutput recognises an event of Cursor CLI (--output-format stream-json) that Claude Code does not
// print. The other events have the same format as Claude Code's output and are read as such.
func cursorOutput(v View) bool {
	switch v.Str("type") {
	case "tool_call":
		return v.Str("subtype") != "" && v.has("tool_call", wire.Object)
	case "thinking":
		return v.says("subtype", "delta", "completed") && v.Str("session_id") != ""
	case "interaction_query":
		return v.says("subtype", "request", "response") && v.Str("query_type") != ""
	}
	return false
}

func readCursorOutput(r *Reader, b *body) {
	r.session, r.turn = b.str("session_id"), b.str("model_call_id")
	if at, ok := r.member(b, "timestamp_ms"); ok {
		r.reach(at)
	}
	v, ok := r.member(b, "tool_call")
	if !ok {
		r.textAt(b.origin(b.root, ""))
		return
	}
	v.each(func(c View) {
		if strings.HasSuffix(c.Key(), "ToolCall") || c.Key() == "function" {
			r.cursorCall(c, cmp.Or(b.str("call_id"), v.Str("toolCallId"), c.At("args").Str("toolCallId")), b.str("subtype") == "started")
		}
	})
	if r.items == 0 && len(v.Raw()) > len("{}") {
		r.unknown(v, "a tool", v.First().Key())
	}
}

// cursorCall reads a call and its result. The events at the start and at the end of the call both
// contain the call.
func (r *Reader) cursorCall(v View, id string, started bool) {
	call := Item{Kind: Call, At: v, Name: v.Key(), Args: v.At("args"), Echo: !started}
	switch args := v.At("args"); call.Name {
	case "function":
		call.Name, call.Args = v.Str("name"), v.At("arguments")
	case "mcpToolCall":
		call.Server, call.Name = cmp.Or(args.Str("providerIdentifier"), args.Str("serverIdentifier")), cmp.Or(args.Str("toolName"), args.Str("name"))
		call.Args = args.At("args")
	}
	call.ID = cmp.Or(id, unnamed+call.Name)
	result := v.At("result")
	success := result.At("success")
	if started || v.either("args", "arguments").Is() { // the end of a refused call lacks the arguments
		r.emit(call)
	}
	answer := Item{At: v, ID: call.ID, Content: success, Failed: success.is("isError")}
	if blocks := success.At("content"); blocks.Kind() == wire.Array && !success.At("structuredContent").Is() {
		answer.Content = blocks
	}
	if !success.Is() {
		answer.Content, answer.Failed = result, true
	}
	r.result(answer)
}
