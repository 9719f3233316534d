package llm

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// managedKinds are the prefixes of event types in a session of Claude Managed Agents; managedTexts are
// the prefixes for events without tool output.
var (
	managedKinds = []string{"agent.", "user.", "system.message", "session.", "span.", "workflow_run."}
	managedTexts = []string{"agent.message", "agent.thinking", "agent.thread_", "user.message", "user.interrupt", "user.tool_confirmation",
		"user.define_outcome", "system.message", "session.status_", "session.thread_", "session.usage", "session.deleted", "span.", "workflow_run."}
)

// managedEvent recognises an event, or a preview of one in a stream.
func managedEvent(v View) bool {
	if v.says("type", "event_start", "event_delta") {
		return v.Str("event_id") != "" || v.At("event").Str("id") != ""
	}
	return begins(v.Str("type"), managedKinds) && v.Str("id") != "" && !v.At("data").Is() &&
		(v.At("processed_at").Kind() != wire.Invalid || strings.Contains(v.Str("type"), "tool_"))
}

// managedEvents recognises a list of events, a page of such a list, or events that the client sends.
func managedEvents(v View) bool {
	sent := v.At("events").First()
	return v.Kind() == wire.Array && managedEvent(v.First()) || v.has("data", wire.Array) && managedEvent(v.At("data").First()) ||
		sent.says("type", "user.message", "user.interrupt", "user.tool_confirmation", "user.custom_tool_result", "user.tool_result", "user.define_outcome", "system.message")
}

// managedAgent recognises an agent, or a session that contains one.
func managedAgent(v View) bool {
	tool := func(v View) bool {
		first := v.At("tools").First()
		return (begins(first.Str("type"), []string{"agent_toolset_", "mcp_toolset"}) || first.says("type", "custom") && first.has("input_schema", wire.Object)) &&
			!v.At("messages").Is()
	}
	return v.At("model").Is() && tool(v) || v.At("environment_id").Is() && tool(v.At("agent"))
}

func readManagedEvents(r *Reader, b *body) {
	if b.root.Kind() == wire.Array {
		r.list(b, b.root, "", func(_ int, v View) { r.managedEvent(v) })
		return
	}
	for _, key := range []string{"data", "events"} {
		r.each(b, key, func(_ int, v View) { r.managedEvent(v) })
	}
}

func readManagedAgent(r *Reader, b *body) {
	r.clock = false
	if v, ok := r.view(b, b.root, ""); ok {
		r.managedAgent(v)
		r.managedAgent(v.At("agent"))
	}
}

// managedAgent reads the tools of an agent, and of those that it coordinates.
func (r *Reader) managedAgent(v View) {
	v.At("mcp_servers").each(func(s View) { r.emit(Item{Kind: Known, At: s, Server: s.Str("name")}) })
	v.At("tools").each(r.anthropicTool)
	others := v.At("multiagent")
	for _, list := range []View{others.At("agents"), others.At("subagents").At("predefined_agents"), others.At("workflows").At("predefined_agents")} {
		list.each(r.managedAgent)
	}
}

func (r *Reader) managedEvent(v View) {
	kind := v.Str("type")
	if at := stamp(v.Str("processed_at")); !at.IsZero() {
		r.time = at
	}
	r.clock = v.At("processed_at").Kind() == wire.Invalid && strings.HasPrefix(kind, "agent.")
	if own := strings.HasPrefix(kind, "agent.") && !strings.HasSuffix(kind, "_result"); own || !begins(kind, []string{"session.", "span.model_request_end"}) {
		r.speaks(v, own)
	}
	r.turn = r.numbered(v, "answer")
	switch {
	case kind == "agent.tool_use":
		r.call(v, "id", "input", Provider)
	case kind == "agent.custom_tool_use", kind == "agent.mcp_tool_use":
		r.call(v, "id", "input", v.Str("mcp_server_name"))
	case slices.Contains([]string{"agent.tool_result", "agent.mcp_tool_result", "user.tool_result", "user.custom_tool_result"}, kind):
		id := v.either("tool_use_id", "mcp_tool_use_id", "custom_tool_use_id")
		r.emit(Item{Kind: Result, At: v, ID: string(id.Text()), Content: v.At("content"), Failed: v.is("is_error")})
	case kind == "session.error": // its text can be from a server
		server := v.At("error").Str("mcp_server_name")
		if server == "" {
			server = Provider
		}
		r.result(Item{At: v, ID: v.Str("id"), Server: server, Content: v.At("error").At("message"), Failed: true})
	case kind == "session.updated":
		r.managedAgent(v.At("agent"))
	case strings.HasPrefix(kind, "event_"), begins(kind, managedTexts):
		r.text(v)
	default:
		r.unknown(v, "an event", kind)
	}
}
