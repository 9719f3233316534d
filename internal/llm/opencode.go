package llm

import "github.com/mcpscan/mcpscan/internal/wire"

// openCodeOutput recognises an event that opencode prints; openCodeExport recognises an exported
// session.
func openCodeOutput(v View) bool {
	return v.Str("sessionID") != "" && v.says("type", "tool_use", "step_start", "step_finish", "text", "reasoning", "error") &&
		(v.At("part").Str("sessionID") != "" || v.says("type", "error") && v.At("error").Is())
}

func openCodeExport(v View) bool {
	m := v.At("messages").First()
	return v.has("info", wire.Object) && m.has("info", wire.Object) && m.has("parts", wire.Array)
}

func readOpenCodeOutput(r *Reader, b *body) {
	r.session, r.clock = b.str("sessionID"), false
	if at, ok := r.member(b, "timestamp"); ok {
		r.reach(at)
	}
	if part, ok := r.member(b, "part"); ok {
		r.openCodePart(part)
	}
}

func readOpenCodeExport(r *Reader, b *body) {
	r.clock = false
	r.session, _ = b.members["info"].Str("id")
	r.each(b, "messages", func(_ int, m View) {
		r.reach(m.At("info").At("time").At("created"))
		r.openCodeMessage(m.At("parts"))
	})
}

// openCodeMessage reads the parts of a message. The text of a resource is in parts before the one that
// names its server.
func (r *Reader) openCodeMessage(parts View) {
	var inserted []View
	parts.each(func(p View) {
		r.openCodePart(p)
		if p.is("synthetic") {
			inserted = append(inserted, p)
			return
		}
		if source := p.At("source"); source.says("type", "resource") {
			for _, text := range inserted {
				r.result(Item{At: text, ID: text.Str("id"), Server: source.Str("clientName"), Content: text.At("text")})
			}
		}
		inserted = nil
	})
}

func (r *Reader) openCodePart(v View) {
	r.turn = v.Str("messageID")
	switch kind := v.Str("type"); kind {
	case "tool":
		state := v.At("state")
		r.emit(Item{Kind: Call, At: v, ID: v.Str("callID"), Name: v.Str("tool"), Args: state.At("input")})
		r.result(Item{At: v, ID: v.Str("callID"), Content: state.either("output", "error"), Media: state.At("attachments"), Failed: state.says("status", "error")})
	case "text", "reasoning", "file", "agent", "subtask", "step-start", "step-finish", "snapshot", "patch", "retry", "compaction":
		r.text(v)
	default:
		r.unknown(v, "a part", kind)
	}
}
