package llm

import (
	"cmp"
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

// geminiCLI recognises a line of a Gemini CLI chat, or a chat in one document.
func geminiCLI(v View) bool {
	return v.Str("projectHash") != "" && v.Str("sessionId") != "" || v.says("type", "gemini") && v.At("content").Is() ||
		v.says("type", "user", "info", "error", "warning") && v.Str("id") != "" && v.Str("timestamp") != "" && v.At("content").Is() ||
		v.At("$set").Is() || v.At("$rewindTo").Is()
}

func readGeminiCLI(r *Reader, b *body) {
	r.style, r.clock = Underlined, false
	if b.members["messages"].Kind() == wire.Array {
		r.session = b.str("sessionId")
		r.each(b, "messages", func(_ int, v View) { r.geminiCLIMessage(v) })
		return
	}
	v, ok := r.view(b, b.root, "")
	if !ok {
		return
	}
	if set := v.At("$set"); set.At("messages").Is() {
		set.At("messages").each(r.geminiCLIMessage)
		return
	}
	r.geminiCLIMessage(v)
}

// qwenCode recognises a line of a Qwen Code chat. Its lines resemble Claude Code's, with messages in Gemini
// form.
func qwenCode(v View) bool {
	return v.Str("uuid") != "" && v.Str("sessionId") != "" && (v.At("message").has("parts", wire.Array) || v.has("systemPayload", wire.Object))
}

func readQwenCode(r *Reader, b *body) {
	r.style, r.clock = Underlined, false
	r.session, r.time, r.turn = b.str("sessionId"), stamp(b.str("timestamp")), b.str("uuid")
	if v, ok := r.member(b, "message"); ok {
		r.geminiContent(v)
	}
}

func (r *Reader) geminiCLIMessage(v View) {
	r.time, r.turn = stamp(v.Str("timestamp")), v.Str("id")
	if v.At("content").Is() {
		r.text(v.At("content"))
	}
	for c := v.At("toolCalls").First(); c.Is(); c = c.Next() {
		server := cmp.Or(c.At("mcp_context").Str("serverName"), c.Str("serverName"))
		r.emit(Item{Kind: Call, At: c, ID: c.Str("id"), Name: c.Str("name"), Server: server, Args: c.At("args")})
		r.describe(c.Str("name"), server, c.At("description"))
		r.result(Item{At: c, ID: c.Str("id"), Content: c.either("result", "resultDisplay"), Failed: c.says("status", "error")})
	}
}
