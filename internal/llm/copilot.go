package llm

import (
	"cmp"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// copilotSilent are prefixes of the types of events that are not inspected: text of users and
// models, the client's own notes, and fragments that a later event contains in full.
var copilotSilent = []string{"session.", "user.", "user_input.", "assistant.", "subagent.", "hook.", "skill.", "system.", "permission.", "command.", "commands.",
	"exit_plan_mode.", "capabilities.", "abort", "pending_messages.", "tool.user_requested", "tool.execution_partial_result", "tool.execution_progress"}

// copilotOutput recognises an event of Copilot CLI, or the last line that it prints.
func copilotOutput(v View) bool {
	if v.says("type", "result") && v.has("exitCode", wire.Number) && v.Str("sessionId") != "" {
		return !v.At("data").Is()
	}
	return v.has("data", wire.Object) && v.Str("id") != "" && v.Str("timestamp") != "" && v.At("parentId").Kind() != wire.Invalid &&
		(strings.Contains(v.Str("type"), ".") || v.says("type", "abort"))
}

func readCopilotOutput(r *Reader, b *body) {
	r.clock, r.time = false, stamp(b.str("timestamp"))
	v, ok := r.member(b, "data")
	if !ok {
		return
	}
	r.turn = r.numbered(v, "answer")
	switch kind := b.str("type"); {
	case kind == "session.start", kind == "session.resume" && v.Str("sessionId") != "":
		r.within(b, v.Str("sessionId"))
	case kind == "assistant.turn_start":
		r.answers++
	case kind == "tool.execution_start":
		r.emit(Item{Kind: Call, At: v, ID: v.Str("toolCallId"), Server: v.Str("mcpServerName"), Name: cmp.Or(v.Str("mcpToolName"), v.Str("toolName")), Args: v.At("arguments")})
	case kind == "tool.execution_complete":
		from := v.At("result")
		content := from.At("content")
		if blocks := from.At("contents"); blocks.First().Is() { // the content as the tool returned it
			content = blocks
		}
		if !content.Is() {
			content = v.At("error")
		}
		r.result(Item{At: v, ID: v.Str("toolCallId"), Content: content, Failed: string(v.At("success").Raw()) == "false"})
	case begins(kind, copilotSilent):
		r.text(v)
	default:
		r.skipAt(b.origin(b.root, ""), "%s: an event of an unknown type, %s", r.format, quote(kind))
	}
}
