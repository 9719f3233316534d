package replay

import (
	"bytes"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// NoMessage is the reason for JSON that is neither MCP nor in a format known below.
const NoMessage = "JSON that is not an MCP message"

// Unread says why mcpscan does not read a file of JSON, and "" for a file that is no JSON,
// or that is a recording: one document, or one value a line.
func Unread(data []byte) string {
	data = bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF"))
	var doc wire.Doc
	if doc.Parse(data) == nil {
		if isLine(&doc) && unread(&doc, 0) == NoMessage || doc.Kind(doc.Get(doc.Get(0, "log"), "entries")) == wire.Array {
			return ""
		}
		return unread(&doc, 0)
	}
	reason := ""
	for range sniffLines {
		line, rest, more := bytes.Cut(data, []byte("\n"))
		data = rest
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if !opensJSON(line) || doc.Parse(line) != nil {
				return reason
			}
			kind, _ := doc.Str(0, "type")
			if known(kind) || speaks(&doc, 0) || payload(&doc) >= 0 {
				return ""
			}
			if why := unread(&doc, 0); reason == "" || why != NoMessage {
				reason = why
			}
		}
		if !more {
			break
		}
	}
	return reason
}

// unread says why the value n, which is no MCP message, is not read.
func unread(doc *wire.Doc, n int) string {
	if format := formatOf(doc, n); format != "" {
		return format + ": mcpscan does not read LLM requests and transcripts yet"
	}
	return NoMessage
}

// unreadDocument is unread for a whole file: it may be meant for another command.
func unreadDocument(doc *wire.Doc) string {
	if why := unread(doc, 0); why != NoMessage {
		return why
	}
	return NoMessage + "; to check definitions and client configurations: mcpscan scan"
}

// speaks reports whether value n says something as JSON-RPC, or has members that do.
func speaks(doc *wire.Doc, n int) bool {
	if doc.Kind(n) != wire.Array {
		return isMessage(doc, n) || asks(doc, n)
	}
	for c := doc.First(n); c >= 0; c = doc.Next(c) {
		if isMessage(doc, c) || asks(doc, c) {
			return true
		}
	}
	return false
}

// formatOf names the format of a request to a language model, of its response or of a
// transcript, by its members; "" where it is none that is known.
func formatOf(doc *wire.Doc, n int) string {
	v := view{doc, n}
	if v.kind() == wire.Array {
		n = doc.First(n)
		if first := (view{doc, n}); first.str("role") != "" && (first.has("content", wire.String) || first.has("content", wire.Array)) {
			return "a list of messages for an LLM"
		}
		return ""
	}
	for _, f := range formats {
		if f.is(v) {
			return f.name
		}
	}
	return ""
}

// formats are recognised by members that clients always write. What is more specific stands first.
var formats = []struct {
	name string
	is   func(view) bool
}{
	{"a Claude Code transcript", claudeCode},
	{"a Codex transcript", func(v view) bool {
		return v.has("payload", wire.Object) && v.says("type", "session_meta", "turn_context", "response_item", "event_msg", "compacted")
	}},
	{"a Gemini CLI transcript", func(v view) bool {
		return v.str("projectHash") != "" && v.str("sessionId") != "" || v.says("type", "gemini") && v.at("content").n >= 0
	}},
	{"a VS Code chat session", func(v view) bool {
		return v.str("sessionId") != "" && v.has("requests", wire.Array) || v.has("kind", wire.Number) && (v.has("k", wire.Array) || v.at("v").has("requests", wire.Array))
	}},
	{"an AgentDojo run", func(v view) bool { return v.str("suite_name") != "" && v.has("messages", wire.Array) }},
	{"an Inspect log", func(v view) bool { return v.has("eval", wire.Object) && v.has("samples", wire.Array) }},
	{"an OpenTelemetry export", func(v view) bool { return v.has("resourceSpans", wire.Array) || v.has("resourceLogs", wire.Array) }},
	{"an Anthropic Messages response", func(v view) bool {
		return v.says("type", "message") && v.str("role") != "" && v.has("content", wire.Array)
	}},
	{"an event of an Anthropic Messages stream", func(v view) bool {
		return v.says("type", "message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop")
	}},
	{"an OpenAI Chat Completions response", func(v view) bool {
		return v.has("choices", wire.Array) && (strings.HasPrefix(v.str("object"), "chat.completion") || v.at("choices").first().at("message").str("role") != "")
	}},
	{"an OpenAI Responses response", func(v view) bool { return v.says("object", "response") && v.has("output", wire.Array) }},
	{"an event of an OpenAI Responses stream", func(v view) bool { return strings.HasPrefix(v.str("type"), "response.") }},
	{"a Gemini request", func(v view) bool { return v.at("contents").first().has("parts", wire.Array) }},
	{"a Gemini response", func(v view) bool { return v.at("candidates").first().at("content").has("parts", wire.Array) }},
	{"an Amazon Bedrock Converse response", func(v view) bool { return v.str("stopReason") != "" && v.at("output").has("message", wire.Object) }},
	{"an Amazon Bedrock Converse request", func(v view) bool {
		return v.chat() && (v.has("toolConfig", wire.Object) || v.has("inferenceConfig", wire.Object) || v.str("modelId") != "")
	}},
	{"an Anthropic Messages request", func(v view) bool { return v.chat() && v.anthropic() }},
	{"an OpenAI Chat Completions request", func(v view) bool { return v.chat() && v.openAI() }},
	{"a request to an LLM", func(v view) bool { return v.chat() && v.str("model") != "" }},
	{"an OpenAI Responses request", func(v view) bool {
		return v.str("model") != "" && (v.has("input", wire.String) || v.has("input", wire.Array))
	}},
}

// claudeCode recognises a line of a transcript of Claude Code, also of its streamed output.
func claudeCode(v view) bool {
	switch kind := v.str("type"); {
	case v.str("uuid") != "" && v.str("sessionId") != "":
		return true
	case kind == "user", kind == "assistant":
		return v.at("message").str("role") != ""
	case kind == "summary":
		return v.str("leafUuid") != ""
	case kind == "file-history-snapshot":
		return v.str("messageId") != ""
	case kind == "queue-operation":
		return v.str("sessionId") != ""
	}
	return false
}

// chat reports a list of messages with roles, beside other members.
func (v view) chat() bool {
	return v.at("messages").first().str("role") != "" || v.has("messages", wire.Array) && v.str("model") != ""
}

// anthropic tells a request to Anthropic from one to others that have messages as well.
func (v view) anthropic() bool {
	if v.at("system").n >= 0 || v.at("anthropic_version").n >= 0 || v.has("mcp_servers", wire.Array) || strings.HasPrefix(v.str("model"), "claude") {
		return true
	}
	return v.at("tools").first().has("input_schema", wire.Object)
}

// openAI tells a request in the form of Chat Completions.
func (v view) openAI() bool {
	tool := v.at("tools").first()
	if tool.has("function", wire.Object) || tool.has("custom", wire.Object) || v.has("functions", wire.Array) || strings.HasPrefix(v.str("model"), "gpt") {
		return true
	}
	for m := v.at("messages").first(); m.n >= 0; m.n = v.doc.Next(m.n) {
		if m.says("role", "system", "developer", "tool") || m.has("tool_calls", wire.Array) {
			return true
		}
	}
	return false
}

// view is a value of a document; n is -1 where it is absent.
type view struct {
	doc *wire.Doc
	n   int
}

func (v view) kind() wire.Kind    { return v.doc.Kind(v.n) }
func (v view) at(key string) view { return view{v.doc, v.doc.Get(v.n, key)} }
func (v view) first() view        { return view{v.doc, v.doc.First(v.n)} }

func (v view) has(key string, kind wire.Kind) bool { return v.at(key).kind() == kind }

func (v view) str(key string) string {
	s, _ := v.doc.Str(v.n, key)
	return s
}

func (v view) says(key string, words ...string) bool { return slices.Contains(words, v.str(key)) }
