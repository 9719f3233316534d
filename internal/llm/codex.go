package llm

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// codex recognises a line of a Codex rollout.
func codex(v View) bool {
	return v.has("payload", wire.Object) && v.says("type", "session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state",
		"inter_agent_communication", "inter_agent_communication_metadata", "security_risk_score")
}

func readCodex(r *Reader, b *body) {
	r.clock, r.time = false, stamp(b.str("timestamp"))
	kind := b.str("type")
	v, ok := r.member(b, "payload")
	if !ok {
		return
	}
	switch kind {
	case "response_item":
		own := !strings.HasSuffix(v.Str("type"), "_output") && !v.says("role", "user", "system", "developer")
		r.speaks(v, own)
		r.responsesItem(v)
	case "event_msg":
		r.codexEvent(v)
	case "session_meta":
		r.ignore(v, "a line of Codex metadata")
		for t := v.At("dynamic_tools").First(); t.Is(); t = t.Next() {
			if t.Str("type") == "" { // as written by older versions
				r.declare(t, "")
			} else {
				r.responsesTool(t)
			}
		}
	case "compacted":
		r.ignore(v, "a line of Codex metadata")
		v.At("replacement_history").each(r.responsesItem)
	default: // the client's own notes, and its instructions
		r.ignore(v, "a line of Codex metadata")
	}
}

// codexEvent reads an event. For a call to a server, only the event contains the full result; the
// response item contains the text that the model saw.
func (r *Reader) codexEvent(v View) {
	switch kind := v.Str("type"); kind {
	case "mcp_tool_call_begin", "mcp_tool_call_end":
		in, result := v.At("invocation"), v.At("result")
		r.emit(Item{Kind: Call, At: v, ID: v.Str("call_id"), Name: in.Str("tool"), Server: in.Str("server"), Args: in.At("arguments"), Echo: true})
		if kind == "mcp_tool_call_begin" {
			return
		}
		content, failed := result.At("Ok"), result.is("isError")
		if !content.Is() {
			content, failed = result.At("Err"), true
		}
		if inner := content.At("content"); inner.Is() && !content.At("structuredContent").Is() {
			content, failed = inner, failed || content.is("isError")
		}
		r.emit(Item{Kind: Result, At: v, ID: v.Str("call_id"), Content: content, Failed: failed, Echo: true})
	case "item_completed":
		item := v.At("item")
		if !item.says("type", "McpToolCall") {
			r.text(v)
			return
		}
		r.emit(Item{Kind: Call, At: item, ID: item.Str("id"), Name: item.Str("tool"), Server: item.Str("server"), Args: item.At("arguments"), Echo: true})
		r.result(Item{At: item, ID: item.Str("id"), Content: item.either("result", "error"), Failed: !item.At("result").Is(), Echo: true})
	default: // the other events repeat items, or are about the client
		r.text(v)
	}
}

// codexOutput recognises an event of codex exec. The event must have exactly the members that codex
// writes, because other programs' events of the same types have more.
func codexOutput(v View) bool {
	only := func(keys ...string) bool {
		n := 0
		for m := v.First(); m.Kind() != wire.Invalid; m = m.Next() {
			n++
		}
		for _, key := range keys {
			if !v.At(key).Is() {
				return false
			}
		}
		return n == len(keys)
	}
	switch v.Str("type") {
	case "thread.started":
		return only("type", "thread_id")
	case "turn.started":
		return only("type")
	case "turn.completed":
		return only("type", "usage")
	case "turn.failed":
		return only("type", "error")
	case "error":
		return only("type", "message")
	case "item.started", "item.updated", "item.completed":
		return only("type", "item") && v.At("item").Str("type") != ""
	}
	return false
}

func readCodexOutput(r *Reader, b *body) {
	switch kind := b.str("type"); kind {
	case "thread.started":
		r.within(b, b.str("thread_id"))
	case "turn.started":
		r.answers++
	case "item.started", "item.updated", "item.completed":
		if v, ok := r.member(b, "item"); ok {
			r.codexOutputItem(v, kind)
		}
	}
}

// codexOutputItem reads an item. The events for its start, its updates and its end all contain it.
func (r *Reader) codexOutputItem(v View, event string) {
	id := r.numbered(v, "turn") + "/" + v.Str("id")
	r.turn = id
	call := Item{Kind: Call, At: v, ID: id, Name: v.Str("type"), Echo: event != "item.started"}
	result := Item{At: v, ID: id, Failed: v.says("status", "failed")}
	switch kind := v.Str("type"); {
	case kind == "mcp_tool_call":
		call.Server, call.Name, call.Args = v.Str("server"), v.Str("tool"), v.At("arguments")
		from := v.At("result")
		result.Content, result.Meta = from.At("content"), from.At("_meta")
		if structured := from.At("structured_content"); structured.Is() {
			result.Content, result.Media = structured, from.At("content")
		}
		if !from.Is() {
			result.Content = v.At("error").At("message")
		}
	case kind == "command_execution":
		call.Args, call.Free = v.At("command"), true
		if event == "item.completed" {
			result.Content = v.At("aggregated_output")
		}
	case kind == "file_change" && event == "item.completed":
		call.Args = v
	case kind == "web_search" && event == "item.completed":
		call.Server, call.Args, call.Free, call.Echo = Provider, v.either("action", "query"), true, false // several searches can share an ID
		result.Content = v.At("results")
	case kind == "file_change", kind == "web_search": // incomplete
		return
	case v.says("type", "agent_message", "plan", "reasoning", "todo_list", "error", "collab_tool_call"):
		r.text(v)
		return
	default:
		r.unknown(v, "an item", kind)
		return
	}
	r.emit(call)
	r.result(result)
}
