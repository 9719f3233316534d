package llm

import (
	"cmp"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// agentDojo recognises a logged AgentDojo run, or one from a collection of runs, whose messages are
// in chat API form.
func agentDojo(v View) bool {
	if !v.has("messages", wire.Array) {
		return false
	}
	return v.str("suite_name") != "" || v.str("suite") != "" && v.str("user_task") != "" || v.str("user_task_id") != ""
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
	r.each(b, "messages", func(i int, v View) {
		r.message(i)
		r.dojoMessage(v)
	})
}

// dojoMessage reads an AgentDojo or chat API message: a call has either a function object or just
// the function's name.
func (r *Reader) dojoMessage(v View) {
	if v.says("role", "assistant") && v.at("tool_calls").First().has("function", wire.String) {
		if v.at("content").Is() {
			r.text(v.at("content"))
		}
		for c := v.at("tool_calls").First(); c.Is(); c = c.Next() {
			args := c.at("args")
			if !args.Is() {
				args = c.at("arguments")
			}
			r.emit(Item{Kind: Call, At: c, ID: c.str("id"), Name: c.str("function"), Args: args})
		}
		return
	}
	if v.says("role", "tool") {
		content, failed := v.at("content"), v.at("error")
		if failed.Is() && (!content.Is() || len(content.Raw()) <= 2) {
			content = failed
		}
		id, name := v.str("tool_call_id"), cmp.Or(v.str("tool"), v.str("function"))
		if call := v.at("tool_call"); call.Is() {
			id, name = cmp.Or(id, call.str("id")), call.str("function")
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

// readInspect reads an Inspect log: each sample is a session.
func readInspect(r *Reader, b *body) {
	i := 0
	for c := b.members["samples"].Children(); c.Next(); i++ {
		readInspectSample(r, r.sub(b, c.Value, "/samples"+index(i)))
	}
}

func readInspectSample(r *Reader, b *body) {
	id := cmp.Or(b.str("id"), string(b.members["id"].Raw()))
	r.session = "sample " + id + " epoch " + cmp.Or(string(b.members["epoch"].Raw()), "1")
	r.conversation(b, r.session, wire.Value{})
	r.each(b, "messages", func(i int, v View) {
		r.message(i)
		r.dojoMessage(v)
	})
	r.each(b, "events", func(_ int, v View) { r.inspectEvent(v) })
}

// inspectEvent reads the tools that were offered to a model, and a call whose messages may belong to
// an agent inside the sample.
func (r *Reader) inspectEvent(v View) {
	switch v.str("event") {
	case "model":
		for t := v.at("tools").First(); t.Is(); t = t.Next() {
			if strings.HasPrefix(t.str("description"), attached) {
				r.skip(t, "%s: a description stored as an attachment", r.format)
			}
			r.chatTool(t)
		}
	case "tool":
		r.emit(Item{Kind: Call, At: v, ID: v.str("id"), Name: v.str("function"), Args: v.at("arguments"), Echo: true})
		if result := v.at("result"); result.Is() {
			if strings.HasPrefix(string(result.Text()), attached) {
				r.skip(result, "%s: a result stored as an attachment", r.format)
			}
			r.emit(Item{Kind: Result, At: v, ID: v.str("id"), Content: result, Failed: v.at("error").Is(), Meta: v.at("error"), Echo: true})
		}
	}
}

// attached begins a text that an Inspect log keeps in another place.
const attached = "attachment://"
