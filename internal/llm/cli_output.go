package llm

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// This file reads the events that agents print in non-interactive runs or store for a session: those
// of Codex (exec --json), Gemini CLI (--output-format stream-json), opencode (run --format json, and
// its exports) and Copilot CLI. readClaudeCode reads those of Claude Code, which have the form of
// its transcripts.

// within sets the session of the lines that follow: only the first line of a run names it.
func (r *Reader) within(b *body, session string) {
	r.emit(Item{Kind: Begin, Session: session, origin: new(b.origin(b.root, ""))})
}

// speaks begins the next answer of the model if a line is from the model, unless the previous line was, too.
func (r *Reader) speaks(line View, own bool) {
	if own && !r.answering {
		r.answers++
	}
	r.answering = own
	r.turn = r.numbered(line, "answer")
}

// numbered names the current answer of the model. The name contains the file, because a session may
// continue in another file, in which the count begins again.
func (r *Reader) numbered(line View, what string) string {
	return fmt.Sprintf("%s/%s-%d", line.text.origin.File, what, r.answers)
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

// openCodeMessage reads the parts of a message. The text of a resource is in parts before the one that names its
// server.
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
