package llm

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// langChainKinds are the kinds of messages. LangChain writes the members of a message directly,
// under "data" beside the message's type (messages_to_dict), or under "kwargs" beside the name of
// its class (dumps).
var langChainKinds = []string{"human", "ai", "tool", "function", "system", "developer", "chat", "remove"}

// plainKind returns the kind of a message with this type or class, such as ai for AIMessageChunk.
func plainKind(name string) string {
	return strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(name, "Chunk"), "Message"))
}

func langChainKind(v View) string {
	kind := v.Str("type")
	if kind == "constructor" {
		for c := v.At("id").First(); c.Is(); c = c.Next() {
			kind = string(c.Text())
		}
	}
	return plainKind(kind)
}

func langChainMembers(v View) View {
	if m := v.either("data", "kwargs"); m.At("content").Is() {
		return m
	}
	return v
}

// isLangChain recognises a message, even if it is truncated within its content.
func isLangChain(v View) bool {
	return slices.Contains(langChainKinds, langChainKind(v)) && v.Str("role") == "" &&
		(v.At("content").Is() || v.has("data", wire.Object) || v.has("kwargs", wire.Object))
}

// langChainMessage recognises a message that is not part of a list.
func langChainMessage(v View) bool {
	return isLangChain(v) && langChainMembers(v).has("additional_kwargs", wire.Object)
}

// langChainPaths are the paths of the message list in a LangGraph state, in a snapshot of the state, and
// in a checkpoint.
var langChainPaths = [][]string{{"messages"}, {"values", "messages"}, {"channel_values", "messages"}}

func langGraphState(v View) bool {
	return slices.ContainsFunc(langChainPaths, func(path []string) bool {
		list := v
		for _, key := range path {
			list = list.At(key)
		}
		return isLangChain(list.First())
	})
}

// langGraphUpdate recognises the update of a state by one of the graph's nodes.
func langGraphUpdate(v View) bool {
	return v.Kind() == wire.Object && v.First().Kind() == wire.Object && isLangChain(v.First().At("messages").First())
}

// langChainTurn reads a message that is a response by itself, not part of a conversation.
func (r *Reader) langChainTurn(v View) {
	r.turn = langChainMembers(v).Str("id")
	r.langChain(v)
}

func readLangChainMessages(r *Reader, b *body) { r.langChainList(b, b.root, "") }

func readLangGraphState(r *Reader, b *body) {
	for _, path := range langChainPaths {
		list, pointer := b.root, ""
		for _, key := range path {
			list, pointer = list.Get(key), pointer+"/"+key
		}
		if list.Kind() == wire.Array {
			r.langChainList(b, list, pointer)
		}
	}
}

func readLangGraphUpdate(r *Reader, b *body) {
	for c := b.root.Children(); c.Next(); {
		pointer := "/" + wire.EscapePointer(c.Value.Key())
		r.list(b, c.Value.Get("messages"), pointer+"/messages", func(_ int, v View) { r.langChainTurn(v) })
	}
}

func (r *Reader) langChainList(b *body, list wire.Value, pointer string) {
	r.conversation(b, firstSaid(list), list)
	r.list(b, list, pointer, func(i int, v View) {
		r.message(i)
		r.langChain(v)
	})
}

func (r *Reader) langChain(v View) {
	m, kind := langChainMembers(v), langChainKind(v)
	content := m.At("content")
	switch {
	case !slices.Contains(langChainKinds, kind): // some programs mix messages of several forms
		r.chatMessage(v)
		return
	case kind == "tool" || kind == "function":
		id := cmp.Or(m.Str("tool_call_id"), unnamed+m.Str("name"))
		result := Item{Kind: Result, At: m, ID: id, Name: m.Str("name"), Content: content, Failed: m.says("status", "error"), Meta: m.At("artifact")}
		if result.Meta.Kind() == wire.Array { // blocks that the MCP adapter stores separately
			result.Media, result.Meta = result.Meta, View{}
		}
		r.emit(result)
		return
	}
	r.text(v)
	more := m.At("additional_kwargs") // in the form of the provider
	calls := m.At("tool_calls").First().Is()
	m.At("tool_calls").each(r.langChainCall)
	m.At("invalid_tool_calls").each(r.langChainCall)
	if !calls {
		more.At("tool_calls").each(r.chatCall)
		if f := more.At("function_call"); f.Is() {
			r.emit(Item{Kind: Call, At: f, ID: unnamed + f.Str("name"), Name: f.Str("name"), Args: f.At("arguments")})
		}
	}
	more.At("tool_outputs").each(r.responsesItem)
	content.each(func(part View) { r.langChainPart(part, calls) })
}

func (r *Reader) langChainCall(v View) {
	r.emit(Item{Kind: Call, At: v, ID: cmp.Or(v.Str("id"), unnamed+v.Str("name")), Name: v.Str("name"), Args: v.At("args")})
}

// langChainPart reads a part of a message, in LangChain's form or in that of the provider. known means
// that the message's calls have already been read from its tool_calls list.
func (r *Reader) langChainPart(v View, known bool) {
	switch kind := v.Str("type"); {
	case known && slices.Contains([]string{"tool_use", "tool_call", "function_call", "custom_tool_call", "invalid_tool_call"}, kind):
	case kind == "tool_call", kind == "invalid_tool_call":
		r.langChainCall(v)
	case kind == "server_tool_call":
		r.emit(Item{Kind: Call, At: v, ID: v.Str("id"), Name: v.Str("name"), Server: Provider, Args: v.At("args")})
	case kind == "server_tool_result":
		r.result(Item{At: v, ID: v.Str("tool_call_id"), Content: v.At("output"), Failed: v.says("status", "error")})
	case kind == "non_standard":
		r.langChainPart(v.At("value"), known)
	case strings.HasSuffix(kind, "_call"), strings.HasSuffix(kind, "_output"), kind == "mcp_list_tools":
		r.responsesItem(v)
	default:
		r.chatPart(v)
	}
}
