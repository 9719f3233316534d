package llm

import (
	"cmp"

	"github.com/mcpscan/mcpscan/internal/wire"
)

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

// geminiOutput recognises an event that Gemini CLI prints.
func geminiOutput(v View) bool {
	if v.Str("timestamp") == "" {
		return false
	}
	switch v.Str("type") {
	case "init":
		return v.Str("session_id") != ""
	case "message":
		return v.says("role", "user", "assistant") && v.has("content", wire.String)
	case "tool_use":
		return v.Str("tool_name") != "" && v.Str("tool_id") != ""
	case "tool_result":
		return v.Str("tool_id") != "" && v.says("status", "success", "error")
	case "error":
		return v.says("severity", "warning", "error") && v.has("message", wire.String)
	case "result":
		return v.says("status", "success", "error") && !v.At("output").Is()
	}
	return false
}

func readGeminiOutput(r *Reader, b *body) {
	r.style, r.clock, r.time = Underlined, false, stamp(b.str("timestamp"))
	v, ok := r.view(b, b.root, "")
	if !ok {
		return
	}
	r.speaks(v, v.says("type", "tool_use") || v.says("role", "assistant"))
	switch v.Str("type") {
	case "init":
		r.within(b, v.Str("session_id"))
	case "tool_use":
		r.emit(Item{Kind: Call, At: v, ID: v.Str("tool_id"), Name: v.Str("tool_name"), Args: v.At("parameters")})
	case "tool_result":
		result := Item{At: v, ID: v.Str("tool_id"), Content: v.either("output", "error"), Failed: v.says("status", "error")}
		if v.At("output").Is() {
			result.Meta = v.At("error")
		}
		if result.Kind = Result; !result.Content.Is() {
			r.ignore(v, "a result without its output: Gemini CLI prints only text output")
		}
		r.emit(result)
	case "message", "error":
		r.text(v)
	}
}
