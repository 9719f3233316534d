package llm

import (
	"cmp"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// agentDojo recognises an AgentDojo run, either as AgentDojo logs it or from a collection with messages
// in chat API form.
func agentDojo(v View) bool {
	if !v.has("messages", wire.Array) {
		return false
	}
	return v.Str("suite_name") != "" || v.Str("suite") != "" && v.Str("user_task") != "" || v.Str("user_task_id") != ""
}

func readAgentDojo(r *Reader, b *body) {
	r.suite = true
	if r.session = b.str("id"); r.session == "" {
		for _, key := range []string{"suite_name", "pipeline_name", "user_task_id", "attack_type", "injection_task_id"} {
			if s := b.str(key); s != "" && r.session != "" {
				r.session += "/" + s
			} else if s != "" {
				r.session = s
			}
		}
	}
	r.conversation(b, r.session, wire.Value{})
	r.messages(b, "messages", r.dojoMessage)
}

// dojoMessage reads an AgentDojo or chat API message: a call has either a function object or just
// the function's name.
func (r *Reader) dojoMessage(v View) {
	if v.says("role", "assistant") && v.At("tool_calls").First().has("function", wire.String) {
		if v.At("content").Is() {
			r.text(v.At("content"))
		}
		v.At("tool_calls").each(func(c View) {
			r.emit(Item{Kind: Call, At: c, ID: c.Str("id"), Name: c.Str("function"), Args: c.either("args", "arguments")})
		})
		return
	}
	if v.says("role", "tool") {
		content, failed := v.At("content"), v.At("error")
		if failed.Is() && (!content.Is() || len(content.Raw()) <= 2) {
			content = failed
		}
		id, name := v.Str("tool_call_id"), cmp.Or(v.Str("tool"), v.Str("function"))
		if call := v.At("tool_call"); call.Is() {
			id, name = cmp.Or(id, call.Str("id")), call.Str("function")
		}
		if strings.HasPrefix(string(content.Text()), attached) {
			r.skip(content, "%s: a result stored as an attachment", r.format)
		}
		item := Item{Kind: Result, At: v, ID: id, Name: name, Content: content, Failed: failed.Is()}
		if failed.Is() && content != failed {
			item.Meta = failed
		}
		r.emit(item)
		return
	}
	r.chatMessage(v)
}
