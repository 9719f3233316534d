package llm

import (
	"cmp"
	"slices"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// kiroConversation recognises a conversation that Kiro CLI, or Amazon Q Developer CLI, saves with
// /save. Of a long conversation, only the beginning is examined, which may lack the members after
// the history.
func kiroConversation(v View) bool {
	entry := v.At("history").First()
	return v.Str("conversation_id") != "" && v.has("history", wire.Array) &&
		(entry.At("user").Is() || entry.Kind() == wire.Array || v.has("transcript", wire.Array) && v.has("tools", wire.Object))
}

func readKiroConversation(r *Reader, b *body) {
	r.session = b.str("conversation_id")
	servers := map[string]string{} // by the names of their tools, because calls do not name servers
	if tools, ok := r.member(b, "tools"); ok {
		tools.each(func(list View) {
			server := list.Key()
			if server == "native___" { // of the client
				server = ""
			}
			list.each(func(t View) {
				spec := t.At("ToolSpecification")
				if !spec.Is() {
					r.unknown(t, "a tool", t.First().Key())
					return
				}
				r.declare(spec, server)
				servers[spec.Str("name")] = server
			})
		})
	}
	if aside, ok := r.member(b, "tangent_state"); ok {
		aside.At("main_history").each(func(v View) { r.kiroEntry(v, servers) })
	}
	r.each(b, "history", func(_ int, v View) { r.kiroEntry(v, servers) })
	if next, ok := r.member(b, "next_message"); ok {
		r.kiroUser(next)
	}
}

// kiroEntry reads a user message, with the results of the calls before it, and the answer to that
// message. Older versions write the two messages as a list.
func (r *Reader) kiroEntry(v View, servers map[string]string) {
	user, answer, times := v.At("user"), v.At("assistant"), v.At("request_metadata")
	if v.Kind() == wire.Array {
		user = v.First()
		answer = user.Next()
	}
	if said := stamp(user.Str("timestamp")); said.After(r.time) {
		r.time = said
	}
	r.reach(times.At("request_start_timestamp_ms"))
	r.kiroUser(user)
	r.reach(times.At("stream_end_timestamp_ms"))
	use := answer.At("ToolUse")
	r.turn = cmp.Or(use.Str("message_id"), use.Pointer())
	use.At("tool_uses").each(func(c View) {
		r.emit(Item{Kind: Call, At: c, ID: c.Str("id"), Server: servers[c.Str("name")], Name: c.Str("name"), Args: c.At("args")})
	})
	switch {
	case use.Is():
		r.text(use.At("content"))
	case answer.At("Response").Is():
		r.text(answer)
	case answer.Is():
		r.unknown(answer, "an answer", answer.First().Key())
	}
}

func (r *Reader) kiroUser(v View) {
	content := v.At("content").First()
	switch kind := content.Key(); {
	case !v.Is():
		return
	case !slices.Contains([]string{"Prompt", "CancelledToolUses", "ToolUseResults"}, kind):
		r.unknown(v, "a message", kind)
		return
	}
	r.text(v)
	content.At("tool_use_results").each(func(c View) {
		r.result(Item{At: c, ID: c.Str("tool_use_id"), Content: kiroContent(c), Failed: c.says("status", "Error")})
	})
}

// kiroContent returns the content of a result. If the content is a list with a single text or value,
// kiroContent returns that text or value.
func kiroContent(result View) View {
	list := result.At("content")
	if list.Kind() != wire.Array || list.First().Next().Is() {
		return list
	}
	if only := list.First().either("Text", "Json", "data"); only.Is() {
		return only
	}
	return list
}

// kiroKinds are the kinds of lines in a session.
var kiroKinds = []string{"Prompt", "AssistantMessage", "ToolResults", "Compaction", "ResetTo", "CancelledPrompt", "Clear"}

// kiroSession recognises a line of a session that Kiro CLI stores.
func kiroSession(v View) bool { return v.says("version", "v1") && v.says("kind", kiroKinds...) }

func readKiroSession(r *Reader, b *body) {
	v, ok := r.member(b, "data")
	if !ok {
		return
	}
	r.turn = v.Str("message_id")
	v.At("content").each(r.kiroBlock)
	v.At("messages_snapshot").each(func(m View) { // of a compaction
		r.turn = m.Str("id")
		m.At("content").each(r.kiroBlock)
	})
}

func (r *Reader) kiroBlock(v View) {
	data := v.At("data")
	switch kind := v.Str("kind"); kind {
	case "toolUse":
		r.call(data, "toolUseId", "input", "")
	case "toolResult":
		r.result(Item{At: data, ID: data.Str("toolUseId"), Content: kiroContent(data), Failed: data.says("status", "error")})
	case "text", "image", "thinking":
		r.text(v)
	default:
		r.unknown(v, "a block", kind)
	}
}
