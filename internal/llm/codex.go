package llm

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// codex recognises a line of a Codex rollout.
func codex(v View) bool {
	return v.has("payload", wire.Object) && v.says("type", "session_meta", "turn_context", "response_item", "event_msg", "compacted")
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
		own := !strings.HasSuffix(v.str("type"), "_output") && !v.says("role", "user", "system", "developer")
		if own && !r.answering { // one answer of the model has several items
			r.answers++
		}
		r.answering = own
		r.turn = fmt.Sprint("answer-", r.answers)
		r.responsesItem(v)
	case "event_msg":
		r.codexEvent(v)
	case "session_meta":
		r.ignore(v, "a line of Codex metadata")
		for t := v.at("dynamic_tools").First(); t.Is(); t = t.Next() {
			if t.str("type") == "" { // as written by older versions
				r.declare(t, "")
			} else {
				r.responsesTool(t)
			}
		}
	case "compacted":
		r.ignore(v, "a line of Codex metadata")
		for item := v.at("replacement_history").First(); item.Is(); item = item.Next() {
			r.responsesItem(item)
		}
	default: // the client's own notes, and its instructions
		r.ignore(v, "a line of Codex metadata")
	}
}

// codexEvent reads an event. For a call to a server, only the event contains the full result; the
// response item contains the text that the model saw.
func (r *Reader) codexEvent(v View) {
	switch kind := v.str("type"); kind {
	case "mcp_tool_call_begin":
		in := v.at("invocation")
		r.emit(Item{Kind: Call, At: v, ID: v.str("call_id"), Name: in.str("tool"), Server: in.str("server"), Args: in.at("arguments"), Echo: true})
	case "mcp_tool_call_end":
		in, result := v.at("invocation"), v.at("result")
		r.emit(Item{Kind: Call, At: v, ID: v.str("call_id"), Name: in.str("tool"), Server: in.str("server"), Args: in.at("arguments"), Echo: true})
		content, failed := result.at("Ok"), result.is("isError")
		if !content.Is() {
			content, failed = result.at("Err"), true
		}
		if inner := content.at("content"); inner.Is() && !content.at("structuredContent").Is() {
			content, failed = inner, failed || content.is("isError")
		}
		r.emit(Item{Kind: Result, At: v, ID: v.str("call_id"), Content: content, Failed: failed, Echo: true})
	case "item_completed":
		item := v.at("item")
		if !item.says("type", "McpToolCall") {
			r.text(v)
			return
		}
		r.emit(Item{Kind: Call, At: item, ID: item.str("id"), Name: item.str("tool"), Server: item.str("server"), Args: item.at("arguments"), Echo: true})
		result, failed := item.at("result"), item.at("error")
		if result.Is() {
			r.emit(Item{Kind: Result, At: item, ID: item.str("id"), Content: result, Echo: true})
		} else if failed.Is() {
			r.emit(Item{Kind: Result, At: item, ID: item.str("id"), Content: failed, Failed: true, Echo: true})
		}
	default: // the other events repeat items, or are about the client
		r.text(v)
	}
}

// geminiCLI recognises a line of a Gemini CLI chat, or a chat in one document.
func geminiCLI(v View) bool {
	return v.str("projectHash") != "" && v.str("sessionId") != "" || v.says("type", "gemini") && v.at("content").Is() ||
		v.says("type", "user", "info", "error", "warning") && v.str("id") != "" && v.str("timestamp") != "" && v.at("content").Is() ||
		v.at("$set").Is() || v.at("$rewindTo").Is()
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
	if set := v.at("$set"); set.at("messages").Is() {
		for m := set.at("messages").First(); m.Is(); m = m.Next() {
			r.geminiCLIMessage(m)
		}
		return
	}
	r.geminiCLIMessage(v)
}

func (r *Reader) geminiCLIMessage(v View) {
	r.time, r.turn = stamp(v.str("timestamp")), v.str("id")
	if v.at("content").Is() {
		r.text(v.at("content"))
	}
	for c := v.at("toolCalls").First(); c.Is(); c = c.Next() {
		server := cmp.Or(c.at("mcp_context").str("serverName"), c.str("serverName"))
		r.emit(Item{Kind: Call, At: c, ID: c.str("id"), Name: c.str("name"), Server: server, Args: c.at("args")})
		r.describe(c.str("name"), server, c.at("description"))
		content := c.at("result")
		if !content.Is() {
			content = c.at("resultDisplay")
		}
		if content.Is() {
			r.emit(Item{Kind: Result, At: c, ID: c.str("id"), Content: content, Failed: c.says("status", "error")})
		}
	}
}
