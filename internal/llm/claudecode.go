package llm

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// claudeCode recognises a line of a Claude Code transcript or of its streamed output.
func claudeCode(v View) bool {
	switch kind := v.Str("type"); {
	case v.Str("uuid") != "" && v.Str("sessionId") != "":
		return true
	case kind == "user", kind == "assistant":
		return v.At("message").Str("role") != ""
	case kind == "summary":
		return v.Str("leafUuid") != ""
	case kind == "file-history-snapshot":
		return v.Str("messageId") != ""
	}
	kind := v.Str("type")
	streamed := v.Str("session_id") != "" && (v.Str("uuid") != "" || v.Str("subtype") != "")
	return slices.Contains(claudeCodeSilent, kind) && (v.Str("sessionId") != "" || streamed || strings.Contains(kind, "-"))
}

// claudeCodeSilent are the types of lines whose tool or server output, if they have any, is also in
// other lines: the client's own notes, what it sends to the model, and the pieces of the lines that
// follow.
var claudeCodeSilent = []string{"system", "summary", "file-history-snapshot", "queue-operation", "progress", "attachment", "permission-mode", "ai-title",
	"custom-title", "last-prompt", "agent-name", "agent-color", "agent-setting", "tag", "mode", "pr-link", "result", "rate_limit_event", "speculation-accept", "worktree-state",
	"content-replacement", "marble-origami-commit", "saved_hook_context", "started", "bridge-session", "file-history-delta",
	"stream_event", "tool_progress", "tool_use_summary", "prompt_suggestion", "auth_status", "conversation_reset"}

// serverAttachments are the attachment types that contain server output other than results: server
// instructions, the tools listed by a search, and resources that the user mentioned.
var serverAttachments = []string{"mcp_instructions_delta", "deferred_tools_delta", "mcp_resource"}

func readClaudeCode(r *Reader, b *body) {
	r.session = cmp.Or(b.str("sessionId"), b.str("session_id"))
	if agent := b.str("agentId"); agent != "" { // a subagent's lines are stored beside the session's lines
		r.session += "/" + agent
	}
	if r.clock = b.str("sessionId") == ""; !r.clock { // in the streamed output, few lines have a time
		r.time = stamp(b.str("timestamp"))
	}
	if r.turn = b.str("requestId"); r.turn == "" {
		if message := b.members["message"]; message.Kind() == wire.Object {
			r.turn, _ = message.Str("id")
		}
	}
	attached, _ := b.members["attachment"].Str("type")
	switch kind := b.str("type"); {
	case kind == "user" || kind == "assistant":
		v, ok := r.member(b, "message")
		if !ok {
			return
		}
		if meta := b.members["mcpMeta"]; meta.Kind() >= wire.Array {
			r.claudeCodeMeta(b, v)
			return
		}
		r.anthropicMessage(v)
	case kind == "attachment" && slices.Contains(serverAttachments, attached):
		if v, ok := r.member(b, "attachment"); ok { // it belongs to no call
			r.emit(Item{Kind: Result, At: v, ID: b.str("uuid"), Server: v.Str("server"), Content: v})
		}
	case kind == "progress" && b.members["data"].Get("message").Get("message").Kind() == wire.Object: // of a subagent
		if v, ok := r.member(b, "data"); ok {
			if agent := v.Str("agentId"); agent != "" {
				r.session += "/" + agent
			}
			r.anthropicMessage(v.At("message").At("message"))
		}
	case slices.Contains(claudeCodeSilent, kind):
		r.each(b, "mcp_servers", func(_ int, v View) { r.emit(Item{Kind: Known, At: v, Server: v.Str("name")}) }) // at the start
		r.claudeCodePiece(b)
		r.ignoreAt(b.origin(b.root, ""), "a line of Claude Code metadata")
	default:
		r.skipAt(b.origin(b.root, ""), "%s: a line of an unknown type, %s", r.format, quote(kind))
	}
}

// claudeCodePiece records that a message arrives in pieces. A later line repeats the whole message; a
// message that the file contains only in pieces is reported.
func (r *Reader) claudeCodePiece(b *body) {
	session := "claude code " + r.session + "/"
	if b.str("type") == "result" { // the run is over, even if a message was aborted
		maps.DeleteFunc(r.streams.running, func(stream string, _ running) bool { return strings.HasPrefix(stream, session) })
		return
	}
	stream := session + b.str("parent_tool_use_id")
	switch event, _ := b.members["event"].Str("type"); event {
	case "message_start":
		r.streams.start(stream, "message_stop", b.origin(b.root, ""), "")
	case "message_stop":
		r.streams.stop(stream)
	}
}

// claudeCodeMeta reads a line with a result and the metadata that its server sent besides the
// content.
func (r *Reader) claudeCodeMeta(b *body, message View) {
	var doc wire.Doc
	meta := b.members["mcpMeta"]
	if r.Max > 0 && int64(len(meta.Raw())) > r.Max || doc.Parse(meta.Raw()) != nil {
		r.skip(message, "a part of %s exceeds the limit of %d bytes (--max-message)", r.format, r.Max)
		r.anthropicMessage(message)
		return
	}
	beside := View{text: b.text, doc: &doc, base: meta.Start(), pointer: b.pointer + "/mcpMeta"}
	for c := message.At("content").First(); c.Is(); c = c.Next() {
		if c.says("type", "tool_result") {
			r.emit(Item{Kind: Result, At: c, ID: c.Str("tool_use_id"), Content: contentIn(c), Failed: c.is("is_error"), Meta: beside})
			continue
		}
		r.anthropicBlock(c)
	}
}
