package llm

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// responsesTools are the type prefixes of tools that the provider defines.
var responsesTools = []string{"web_search", "file_search", "computer", "code_interpreter", "image_generation", "local_shell", "shell", "apply_patch", "tool_search", "programmatic_tool_calling"}

func readResponsesRequest(r *Reader, b *body) {
	r.asked = true
	r.continued(b, b.str("previous_response_id"))
	r.each(b, "tools", func(_ int, v View) { r.responsesTool(v) })
	if b.members["input"].Kind() == wire.String {
		r.answer = 1
		return
	}
	r.each(b, "input", r.itemsOf(r.responsesItem))
}

// continued begins a request. before is the ID of the response that its input follows, "" for none.
func (r *Reader) continued(b *body, before string) {
	input := b.members["input"]
	key := firstSaid(input)
	if input.Kind() == wire.String {
		key = "user\x00" + string(appendSaid(nil, input))
		r.textAt(b.origin(input, "/input"))
	}
	if before == "" {
		r.conversation(b, key, input)
		return
	}
	r.conversation(b, "response "+before, input)
	r.before = before + " "
}

// itemsOf returns a function that reads the items of a history in order. One answer of the model can
// have several items.
func (r *Reader) itemsOf(read func(View)) func(int, View) {
	answering := false // the previous item was from the model
	return func(i int, v View) {
		turn := r.turn
		r.message(i)
		kind := v.Str("type")
		own := !strings.HasSuffix(kind, "_output") && !strings.HasSuffix(kind, "_result") && kind != "user_input" && !v.says("role", "user", "system", "developer", "tool", "function")
		if own && answering {
			r.turn = turn
		}
		answering = own
		read(v)
	}
}

func (r *Reader) responsesTool(v View) { r.toolIn("", v) }

// inNamespace returns the full name of a tool in a namespace. Some requests of Codex have a namespace
// for each MCP server; others contain the full names.
func inNamespace(namespace, name string) string {
	if !strings.HasPrefix(namespace, "mcp__") {
		return name
	}
	return strings.TrimSuffix(namespace, "__") + "__" + name
}

func (r *Reader) toolIn(namespace string, v View) {
	switch kind := v.Str("type"); {
	case kind == "mcp":
		r.emit(Item{Kind: Known, At: v, Server: v.Str("server_label")})
		r.describe(v.Str("server_label"), "", v.At("server_description"))
	case kind == "function" && v.has("function", wire.Object):
		r.declare(v.At("function"), "")
	case kind == "function" || kind == "custom":
		r.declareAs(v, inNamespace(namespace, v.Str("name")), "")
	case kind == "tool_search" && v.has("parameters", wire.Object): // the client runs the search
		r.emit(Item{Kind: Declared, At: v, Tool: v, Name: kind})
	case begins(kind, responsesTools):
		r.ignore(v, "tools defined by the model provider")
		v.At("environment").At("skills").each(func(s View) { r.describe(s.Str("name"), "", s.At("description")) })
	case kind == "namespace":
		r.describe(v.Str("name"), "", v.At("description"))
		v.At("tools").each(func(t View) { r.toolIn(v.Str("name"), t) })
	default:
		r.unknown(v, "a tool", kind)
	}
}

// Types of items: calls and outputs of the provider's own tools, and items that are neither.
var (
	providerCalls   = []string{"web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "tool_search_call", "program"}
	providerOutputs = []string{"computer_call_output", "local_shell_call_output", "shell_call_output", "apply_patch_call_output", "tool_search_output", "tool_search_call_output", "program_output"}
	silentItems     = []string{"reasoning", "agent_message", "ghost_snapshot", "compaction",
		"compaction_summary", "compaction_trigger", "context_compaction", "item_reference", "configuration_update",
		"mcp_approval_request", "mcp_approval_response"}
)

// ClientRuns reports whether items of this type are calls of OpenAI's own tools that the agent runs. It
// does not look at the environment: OpenAI runs a shell call whose environment is a container, which the
// caller must check.
func ClientRuns(kind string) bool {
	return slices.Contains([]string{"computer_call", "local_shell_call", "shell_call", "apply_patch_call"}, kind)
}

// responsesItem reads an input or output item.
func (r *Reader) responsesItem(v View) {
	id, name := cmp.Or(v.Str("call_id"), v.Str("id")), inNamespace(v.Str("namespace"), v.Str("name"))
	switch kind := v.Str("type"); {
	case kind == "" && (v.says("role", "tool", "function") || v.has("tool_calls", wire.Array)): // logged in Chat Completions form
		r.chatMessage(v)
	case kind == "message" || kind == "" && v.Str("role") != "":
		r.text(v)
	case kind == "function_call":
		r.emit(Item{Kind: Call, At: v, ID: id, Name: name, Args: v.At("arguments")})
	case kind == "custom_tool_call":
		r.emit(Item{Kind: Call, At: v, ID: id, Name: name, Args: v.At("input"), Free: true})
	case kind == "function_call_output" || kind == "custom_tool_call_output":
		r.emit(Item{Kind: Result, At: v, ID: id, Content: v.At("output")})
	case kind == "mcp_list_tools":
		r.emit(Item{Kind: Known, At: v, Server: v.Str("server_label")})
		v.At("tools").each(func(t View) { r.declare(t, v.Str("server_label")) })
		r.serverError(v)
	case kind == "mcp_call":
		r.emit(Item{Kind: Call, At: v, ID: v.Str("id"), Name: v.Str("name"), Server: v.Str("server_label"), Args: v.At("arguments")})
		r.result(Item{At: v, ID: v.Str("id"), Content: v.At("output")})
		r.serverError(v)
	case ClientRuns(kind) && !strings.HasPrefix(v.At("environment").Str("type"), "container"):
		r.emit(Item{Kind: Call, At: v, ID: id, Name: strings.TrimSuffix(kind, "_call"), Args: v.either("action", "actions", "operation")})
	case slices.Contains(providerCalls, kind) || ClientRuns(kind):
		r.emit(Item{Kind: Call, At: v, ID: id, Name: kind, Server: Provider, Args: v.either("action", "arguments", "code"), Free: v.At("code").Is()})
		for _, key := range []string{"results", "outputs"} {
			r.result(Item{At: v, ID: id, Content: v.At(key)})
		}
	case slices.Contains(providerOutputs, kind):
		v.At("tools").each(r.responsesTool) // loaded by a tool search
		r.emit(Item{Kind: Result, At: v, ID: id, Content: v.either("output", "result")})
	case kind == "additional_tools":
		v.At("tools").each(r.responsesTool)
	case slices.Contains(silentItems, kind):
		r.text(v)
	default:
		r.unknown(v, "an item", kind)
	}
}

// serverError reads the error in an item of an MCP server: its text can be from the server.
func (r *Reader) serverError(v View) {
	r.result(Item{At: v, ID: v.Str("id"), Server: v.Str("server_label"), Content: v.At("error"), Failed: true})
}

func readResponsesResponse(r *Reader, b *body) {
	if !r.asked && !r.outer.Answer { // without its request, only the response contains the tools
		r.each(b, "tools", func(_ int, v View) { r.responsesTool(v) })
	}
	r.response()
	r.responsesOutput(b)
}

func (r *Reader) responsesOutput(b *body) {
	r.each(b, "output", func(_ int, v View) { r.responsesItem(v) })
	if id := b.str("id"); id != "" { // the next request may name it instead of repeating the history
		r.emit(Item{Kind: Begin, Key: "response " + id, History: false, origin: new(b.origin(b.root, "")), Echo: true})
	}
}

// The events of a stream: those that end it, and those that repeat or announce what another event
// contains in full.
var (
	responsesEnds   = []string{"response.completed", "response.failed", "response.incomplete", "response.cancelled"}
	responsesPieces = []string{"response.created", "response.queued", "response.in_progress", "response.output_item.added", "response.content_part.",
		"response.output_text.", "response.refusal.", "response.function_call_arguments.", "response.custom_tool_call_input.", "response.reasoning",
		"response.mcp_call", "response.mcp_list_tools.", "response.web_search_call.", "response.file_search_call.", "response.code_interpreter_call",
		"response.image_generation_call.", "response.shell_call", "response.apply_patch_call",
		"response.audio.", "response.keepalive", "response.compaction", "response.local_shell_call",
		"response.computer_call", "response.tool_search_call"}
)

// readResponsesEvent handles an event in a stream. Each item is read when it is done; items that
// were not done are read from the whole response at the end.
func readResponsesEvent(r *Reader, b *body) {
	s := &r.streams
	if kind := b.str("type"); kind == "response.created" {
		r.brokenOff("responses")
		r.sawText = false
	}
	r.streamed("responses", "response.completed", b.origin(b.root, ""))
	switch kind := b.str("type"); {
	case kind == "response.output_item.done":
		if v, ok := r.member(b, "item"); ok {
			r.responsesItem(v)
		}
	case slices.Contains(responsesEnds, kind):
		if v := b.members["response"]; v.Kind() == wire.Object {
			whole := r.sub(b, v, "/response")
			if !r.asked && !r.outer.Answer {
				r.each(whole, "tools", func(_ int, v View) { r.responsesTool(v) })
			}
			r.repeats = true // some of the items were done before; the caller has not seen the IDs of the others
			r.responsesOutput(whole)
			r.repeats = false
		}
		s.stop("responses")
	case begins(kind, responsesPieces):
		r.textAt(b.origin(b.root, ""))
	default:
		r.skipAt(b.origin(b.root, ""), "%s: an event of an unknown type, %s", r.format, quote(kind))
	}
}
