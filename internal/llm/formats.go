package llm

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// format contains the name, the recogniser and the reader of a format that agents or providers write.
type format struct {
	name string
	is   func(View) bool
	read func(*Reader, *body)
}

// ofRoot returns the reader of a format whose body is read as a single view.
func ofRoot(read func(*Reader, View)) func(*Reader, *body) {
	return func(r *Reader, b *body) {
		if v, ok := r.view(b, b.root, ""); ok {
			read(r, v)
		}
	}
}

// formats are recognised by members that their writers always write. More specific formats come
// first.
var formats []format

func init() {
	formats = []format{
		{"a Copilot CLI session", copilotOutput, readCopilotOutput},
		{"a Qwen Code chat", qwenCode, readQwenCode},
		{"a Claude Code transcript", claudeCode, readClaudeCode},
		{"a Codex transcript", codex, readCodex},
		{"a Gemini CLI transcript", geminiCLI, readGeminiCLI},
		{"the output of Gemini CLI", geminiOutput, readGeminiOutput},
		{"the output of Cursor CLI", cursorOutput, readCursorOutput},
		{"the output of codex exec", codexOutput, readCodexOutput},
		{"the output of opencode", openCodeOutput, readOpenCodeOutput},
		{"an opencode session", openCodeExport, readOpenCodeExport},
		{"a goose session", goose, readGoose},
		{"a Kiro CLI conversation", kiroConversation, readKiroConversation},
		{"a Kiro CLI session", kiroSession, readKiroSession},
		{"an event of Claude Managed Agents", managedEvent, ofRoot((*Reader).managedEvent)},
		{"a list of events of Claude Managed Agents", managedEvents, readManagedEvents},
		{"an agent of Claude Managed Agents", managedAgent, readManagedAgent},
		{"a VS Code chat session", vscode, readVSCode},
		{"an AgentDojo run", agentDojo, readAgentDojo},
		{"an Inspect log", func(v View) bool { return v.has("eval", wire.Object) && v.has("samples", wire.Array) }, readInspect},
		{"an Inspect sample", func(v View) bool {
			return v.has("messages", wire.Array) && v.has("epoch", wire.Number) && v.At("id").Is()
		}, readInspectSample},
		{"an OpenTelemetry export", func(v View) bool { return v.has("resourceSpans", wire.Array) || v.has("resourceLogs", wire.Array) }, readOTLP},
		{"an Anthropic Messages response", func(v View) bool {
			return v.says("type", "message") && v.Str("role") != "" && v.has("content", wire.Array)
		}, readAnthropicResponse},
		{"an event of an Anthropic Messages stream", func(v View) bool {
			return v.says("type", anthropicEvents...) && !v.At("uuid").Is()
		}, readAnthropicEvent},
		{"a notice in a stream", func(v View) bool {
			return v.says("type", "ping") && !v.First().Next().Next().Is() || v.says("type", "error") && (v.At("error").has("type", wire.String) || v.has("sequence_number", wire.Number)) ||
				v.says("event_type", "error") && v.has("error", wire.Object)
		}, readNotice},
		{"a LiteLLM log", liteLLM, readLiteLLM},
		{"an OpenAI Chat Completions stream", func(v View) bool {
			return v.has("choices", wire.Array) && (v.says("object", "chat.completion.chunk") || v.At("choices").First().has("delta", wire.Object))
		}, ofRoot((*Reader).chatChunk)},
		{"an OpenAI Chat Completions response", func(v View) bool {
			return v.has("choices", wire.Array) && (strings.HasPrefix(v.Str("object"), "chat.completion") || v.At("choices").First().At("message").Str("role") != "")
		}, readChatResponse},
		{"an Ollama response", func(v View) bool {
			return v.Str("model") != "" && v.At("message").Str("role") != "" && v.At("done").Is()
		}, readOllamaResponse},
		{"an OpenAI Responses response", func(v View) bool { return v.says("object", "response") && v.has("output", wire.Array) }, readResponsesResponse},
		{"an event of an OpenAI Responses stream", func(v View) bool { return strings.HasPrefix(v.Str("type"), "response.") }, readResponsesEvent},
		{"a Gemini request", func(v View) bool { return v.At("contents").First().has("parts", wire.Array) }, readGeminiRequest},
		{"a Gemini response", func(v View) bool { return v.At("candidates").First().At("content").Kind() == wire.Object }, readGeminiResponse},
		{"an event of an Amazon Bedrock Converse stream", converseEvent, ofRoot((*Reader).converseEvent)},
		{"an Amazon Bedrock Converse response", func(v View) bool { return v.Str("stopReason") != "" && v.At("output").has("message", wire.Object) }, readConverseResponse},
		{"a trace of the OpenAI Agents SDK", agentsTrace, readAgentsTrace},
		{"a list of traces of the OpenAI Agents SDK", agentsTraces, readAgentsTraces},
		{"a LangSmith run", langSmithRun, ofRoot((*Reader).langSmithRun)},
		{"a list of LangSmith runs", langSmithRuns, readLangSmithRuns},
		{"a LangChain message", langChainMessage, ofRoot((*Reader).langChainTurn)},
		{"a list of LangChain messages", func(v View) bool { return v.Kind() == wire.Array && isLangChain(v.First()) }, readLangChainMessages},
		{"a LangGraph state", langGraphState, readLangGraphState},
		{"a LangGraph update", langGraphUpdate, readLangGraphUpdate},
		{"an AI SDK request", func(v View) bool { return uiMessage(v.At("messages").First()) }, readChatRequest},
		{"an Amazon Bedrock Converse request", func(v View) bool {
			return v.chat() && (v.has("toolConfig", wire.Object) || v.has("inferenceConfig", wire.Object) || v.Str("modelId") != "" || v.converse())
		}, readConverseRequest},
		{"an Anthropic Messages request", func(v View) bool { return v.chat() && v.anthropic() }, readAnthropicRequest},
		{"an OpenAI Chat Completions request", func(v View) bool { return v.chat() && v.openAI() }, readChatRequest},
		{"a request to an LLM", func(v View) bool { return v.chat() && v.Str("model") != "" }, readChatRequest},
		{"a Gemini interaction", interaction, readInteraction},
		{"an event of a Gemini interaction stream", interactionEvent, readInteractionEvent},
		{"a request for a Gemini interaction", interactionRequest, readInteractionRequest},
		{"an OpenAI Responses request", func(v View) bool {
			return v.Str("model") != "" && (v.has("input", wire.String) || v.has("input", wire.Array))
		}, readResponsesRequest},
		{"a list of AI SDK messages", func(v View) bool { return v.Kind() == wire.Array && uiMessage(v.First()) }, readMessages},
		{"a list of messages for an LLM", func(v View) bool {
			m := v.First()
			return v.Kind() == wire.Array && m.Str("role") != "" && (m.has("content", wire.String) || m.has("content", wire.Array) || m.has("tool_calls", wire.Array))
		}, readMessages},
		{"a Gemini stream", func(v View) bool { return v.Kind() == wire.Array && v.First().has("candidates", wire.Array) }, readGeminiStream},
		{"an exchange with an LLM", exchanged, readExchange},
		{"a list of exchanges with an LLM", func(v View) bool { return v.Kind() == wire.Array && exchange(v.First()) }, readExchanges},
	}
}

// Recognise returns the name of a value's format, or "" if it is unknown.
func Recognise(root wire.Value) string {
	var r recogniser
	if f := r.recognise(root); f != nil {
		return f.name
	}
	return ""
}

// recogniser recognises formats, reusing its memory.
type recogniser struct {
	doc  wire.Doc
	text []byte
}

func (r *recogniser) recognise(root wire.Value) *format {
	if root.Kind() < wire.Array {
		return nil
	}
	doc := &r.doc
	if len(root.Raw()) > outlineSmall || doc.Parse(root.Raw()) != nil { // a truncated value has an outline, too
		r.text = outline(r.text[:0], root, 0)
		if doc.Parse(r.text) != nil {
			return nil
		}
	}
	v := viewOf(&Text{Data: doc.Data}, doc)
	for i := range formats {
		if formats[i].is(v) {
			return &formats[i]
		}
	}
	return nil
}

// The size limits of the outline by which a format is recognised.
const (
	outlineDepth = 6        // levels
	outlineItems = 8        // elements of an array
	outlineText  = 256      // bytes of a string; a longer one is replaced
	outlineBytes = 64 << 10 // in total
	outlineSmall = 2 << 10  // bytes up to which a valid value needs no outline
)

// outline writes an abridged value: it truncates arrays, replaces long strings, and empties deep values.
func outline(dst []byte, v wire.Value, depth int) []byte {
	switch kind := v.Kind(); {
	case kind >= wire.Array && (depth > outlineDepth || len(dst) > outlineBytes):
		if kind == wire.Array {
			return append(dst, "[]"...)
		}
		return append(dst, "{}"...)
	case kind == wire.Object:
		dst = append(dst, '{')
		first := true
		for c := v.Children(); c.Next() && len(dst) < outlineBytes; first = false {
			if !first {
				dst = append(dst, ',')
			}
			dst = append(wire.AppendString(dst, []byte(c.Value.Key())), ':')
			dst = outline(dst, c.Value, depth+1)
		}
		return append(dst, '}')
	case kind == wire.Array:
		dst = append(dst, '[')
		c := v.Children()
		for i := 0; i < outlineItems && len(dst) < outlineBytes && c.Next(); i++ {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = outline(dst, c.Value, depth+1)
		}
		return append(dst, ']')
	case kind == wire.String && len(v.Raw()) > outlineText:
		return append(dst, `"long"`...)
	}
	return append(dst, v.Raw()...)
}

// chat reports whether a value has a list of messages with roles, or any list of messages and a model.
func (v View) chat() bool {
	return v.At("messages").First().Str("role") != "" || v.has("messages", wire.Array) && v.Str("model") != ""
}

// anthropic distinguishes an Anthropic request from others that also have messages.
func (v View) anthropic() bool {
	typed := func(block View) bool {
		return block.says("type", "tool_use", "tool_result", "mcp_tool_use", "mcp_tool_result", "server_tool_use")
	}
	if v.At("system").Is() || v.At("anthropic_version").Is() || v.has("mcp_servers", wire.Array) ||
		v.At("tools").First().has("input_schema", wire.Object) || v.hasBlock(typed) {
		return true
	}
	return strings.HasPrefix(v.Str("model"), "claude") && !v.openAI()
}

// openAI recognises a request in Chat Completions form.
func (v View) openAI() bool {
	tool := v.At("tools").First()
	if tool.has("function", wire.Object) || tool.has("custom", wire.Object) || v.has("functions", wire.Array) || strings.HasPrefix(v.Str("model"), "gpt") {
		return true
	}
	for m := v.At("messages").First(); m.Is(); m = m.Next() {
		if m.says("role", "system", "developer", "tool", "function") || m.has("tool_calls", wire.Array) {
			return true
		}
	}
	return false
}

// converse recognises messages in Bedrock form, whose blocks have no type.
func (v View) converse() bool {
	return v.hasBlock(func(c View) bool { return c.has("toolUse", wire.Object) || c.has("toolResult", wire.Object) })
}

// hasBlock reports whether a message of a request has a block that matches.
func (v View) hasBlock(matches func(View) bool) bool {
	for m := v.At("messages").First(); m.Is(); m = m.Next() {
		for c := m.At("content").First(); c.Is(); c = c.Next() {
			if matches(c) {
				return true
			}
		}
	}
	return false
}

// requestMembers and responseMembers are the names that loggers use for the two bodies of an
// exchange.
var (
	requestMembers  = []string{"request", "request_body", "requestBody", "req"}
	responseMembers = []string{"response", "response_body", "responseBody", "res"}
)

// exchange reports whether an object contains a request, a response or both, or is a request or response
// itself.
func exchange(v View) bool { return exchanged(v) || v.Kind() == wire.Object && isBody(v) }

func exchanged(v View) bool {
	for _, key := range append(requestMembers, responseMembers...) {
		if m := v.At(key); m.Kind() == wire.Object && isBody(m) {
			return true
		}
	}
	return false
}

// isBody reports whether a value is a body in a known format.
func isBody(v View) bool {
	return v.chat() || slices.ContainsFunc(formats, func(f format) bool { return !strings.HasSuffix(f.name, "an LLM") && f.is(v) })
}
