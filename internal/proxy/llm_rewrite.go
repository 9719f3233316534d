package proxy

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/scanner"
)

// blockedText returns the text that replaces a call.
func blockedText(s *replay.Said) string {
	return "[mcpscan] Tool '" + text.Visible(s.Name, nameChars) + "' blocked by policy: " + Reason(&s.Decision)
}

// resultText returns the text that replaces a result.
func resultText(s *replay.Said) string {
	return "[mcpscan] Tool result blocked by policy: " + Reason(&s.Decision)
}

// quoted returns s as a JSON string.
func quoted(s string) string { return string(wire.AppendString(nil, []byte(s))) }

// textBlock returns a text block in the form that Anthropic and many gateways use.
func textBlock(s string) []byte { return []byte(`{"type":"text","text":` + quoted(s) + `}`) }

// rewriting is a body in which refused items are being replaced.
type rewriting struct {
	doc   wire.Doc
	edits []wire.Edit
	gone  map[int]bool           // items replaced, or removed from their lists
	texts map[int][]*replay.Said // refused calls in a Chat Completions message, by its node
}

// rewriteLLM returns a body with its refused calls and results replaced by text, and its stop reasons
// corrected; all other bytes stay. It returns nil if nothing is refused.
func rewriteLLM(body []byte, said []replay.Said) []byte {
	refused := slices.ContainsFunc(said, func(s replay.Said) bool { return isRefused(&s) })
	w := &rewriting{gone: map[int]bool{}, texts: map[int][]*replay.Said{}}
	if !refused || w.doc.Parse(body) != nil {
		return nil
	}
	for i := range said {
		if isRefused(&said[i]) {
			w.replace(&said[i])
		}
	}
	w.chatMessages()
	w.reasons(0)
	return wire.Apply(body, w.edits)
}

// isRefused reports whether an item in an answer is withheld from the agent.
func isRefused(s *replay.Said) bool {
	return s.Decision.Verdict >= scanner.Prompt && !s.History && s.Kind != replay.SaidDefinition
}

func (w *rewriting) edit(n int, with []byte) {
	node := &w.doc.Nodes[n]
	w.edits = append(w.edits, wire.Edit{From: int(node.Start), To: int(node.End), With: with})
}

// replace replaces one call, or one result of a tool that the provider ran.
func (w *rewriting) replace(s *replay.Said) {
	n := w.doc.Find(0, s.Path)
	if n < 0 || w.gone[n] {
		return
	}
	last := s.Path[strings.LastIndexByte(s.Path, '/')+1:]
	parent := int(w.doc.Nodes[n].Parent)
	kind := str(&w.doc, n, "type")
	w.gone[n] = true
	switch {
	case last == "functionCall", last == "function_call" && w.doc.Get(parent, "role") < 0, last == "toolUse": // parts in the formats of Gemini and Bedrock
		w.edit(parent, []byte(`{"text":`+quoted(blockedText(s))+`}`))
	case strings.Contains(s.Path, "/tool_calls/"):
		message := int(w.doc.Nodes[parent].Parent)
		w.texts[message] = append(w.texts[message], s)
	case last == "function_call":
		w.texts[parent] = append(w.texts[parent], s)
	case isStep(s.Path):
		w.step(n, kind, s)
	case last == "codeExecutionResult", last == "toolResponse":
		w.edit(parent, []byte(`{"text":`+quoted(resultText(s))+`}`))
	case last == "groundingMetadata":
		w.edit(n, []byte("{}"))
	case s.Kind == replay.SaidResult && (kind == "mcp_call" || kind == "mcp_list_tools" || kind == "program_output"):
		w.member(n, "result", quoted(resultText(s)))
		w.member(n, "output", quoted(resultText(s)))
		w.member(n, "error", quoted(resultText(s)))
	case s.Kind == replay.SaidResult:
		w.edit(n, resultBlock(kind, str(&w.doc, n, "tool_use_id"), s))
	case clientCall(kind):
		w.edit(n, messageItem(str(&w.doc, n, "id"), s))
	case kind == "tool_use":
		w.edit(n, textBlock(blockedText(s)))
	} // calls that the provider ran are only reported: they have already happened
}

// isStep reports whether a path leads to a step of an interaction with Gemini, or to a part of one in an event.
func isStep(path string) bool {
	path = strings.TrimPrefix(path, "/interaction")
	return strings.HasPrefix(path, "/steps/") || strings.HasPrefix(path, "/outputs/") || path == "/step" || path == "/content" || path == "/delta"
}

// step replaces a call or a result in an interaction with Gemini.
func (w *rewriting) step(n int, kind string, s *replay.Said) {
	said := textBlock(blockedText(s))
	switch {
	case s.Kind == replay.SaidResult:
		w.member(n, "result", quoted(resultText(s)))
	case kind == "function_call" && strings.Contains(s.Path, "/steps/"):
		w.edit(n, []byte(`{"type":"model_output","content":[`+string(said)+`]}`))
	case kind == "function_call":
		w.edit(n, said)
	}
}

// member replaces a member's value, unless it is absent or null.
func (w *rewriting) member(n int, key, value string) {
	if m := w.doc.Get(n, key); w.doc.Kind(m) > wire.Null {
		w.edit(m, []byte(value))
	}
}

// resultBlock returns a replacement for the result of a tool that the provider ran, because its call
// remains and needs a result.
func resultBlock(kind, id string, s *replay.Said) []byte {
	if kind != "mcp_tool_result" {
		return []byte(`{"type":` + quoted(kind) + `,"tool_use_id":` + quoted(id) + `,"content":{"type":` + quoted(kind+"_error") + `,"error_code":"unavailable"}}`)
	}
	return []byte(`{"type":"mcp_tool_result","tool_use_id":` + quoted(id) + `,"is_error":true,"content":[` + string(textBlock(resultText(s))) + `]}`)
}

// messageItem returns a Responses API message that replaces a call.
func messageItem(id string, s *replay.Said) []byte {
	return []byte(`{"id":` + quoted("msg_"+id) + `,"type":"message","status":"completed","role":"assistant","content":[` + outputText(blockedText(s)) + `]}`)
}

func outputText(s string) string {
	return `{"type":"output_text","annotations":[],"logprobs":[],"text":` + quoted(s) + `}`
}

// chatMessages removes the refused calls from Chat Completions messages, and states this in their
// content.
func (w *rewriting) chatMessages() {
	for n, said := range w.texts {
		texts := make([]string, 0, len(said))
		for _, s := range said {
			texts = append(texts, blockedText(s))
		}
		w.strip(n, strings.Join(texts, "\n"), "\n\n")
	}
}

// strip removes the refused calls from a message. It appends addition, if not empty, to the
// content, after separator.
func (w *rewriting) strip(n int, addition, separator string) {
	list := w.doc.Get(n, "tool_calls")
	removed := func(i int) bool { return w.gone[i] || i == list && !w.anyLeft(list) }
	if list >= 0 && w.anyLeft(list) {
		w.edits = w.doc.AppendCuts(w.edits, list, func(i int) bool { return w.gone[i] })
	}
	if addition == "" {
		w.edits = w.doc.AppendCuts(w.edits, n, removed)
		return
	}
	if w.doc.Get(n, "content") >= 0 {
		w.say(w.doc.Get(n, "content"), addition, separator)
		w.edits = w.doc.AppendCuts(w.edits, n, removed)
		return
	}
	content, place := `"content":`+quoted(addition), -1 // the removed member whose place the content takes
	for c := w.doc.First(n); c >= 0; c = w.doc.Next(c) {
		if place < 0 && removed(c) {
			place = c
		}
	}
	if place < 0 {
		at := int(w.doc.Nodes[n].Start) + 1
		w.edits = append(w.edits, wire.Edit{From: at, To: at, With: []byte(content + ",")})
		return
	}
	w.edits = append(w.edits, wire.Edit{From: int(w.doc.Nodes[place].KeyStart), To: int(w.doc.Nodes[place].End), With: []byte(content)})
	w.edits = w.doc.AppendCuts(w.edits, n, func(i int) bool { return i != place && removed(i) })
}

// anyLeft reports whether any call remains in a list.
func (w *rewriting) anyLeft(list int) bool {
	return !w.allReplaced(list, func(int) bool { return true })
}

// say appends text to a message's content.
func (w *rewriting) say(content int, what, separator string) {
	end := func(with string) {
		at := int(w.doc.Nodes[content].End) - 1
		w.edits = append(w.edits, wire.Edit{From: at, To: at, With: []byte(with)})
	}
	switch kind := w.doc.Kind(content); {
	case kind == wire.String && len(w.doc.Raw(content)) > 2:
		inner := quoted(separator + what)
		end(inner[1 : len(inner)-1])
	case kind == wire.Array && w.doc.First(content) >= 0:
		end("," + string(textBlock(what)))
	case kind == wire.Array:
		end(string(textBlock(what)))
	default:
		w.edit(content, []byte(quoted(what)))
	}
}

// endReasons maps each stop reason for an answer with tool calls to the one for an answer without
// calls.
var endReasons = map[string]string{"tool_use": `"end_turn"`, "tool_calls": `"stop"`, "function_call": `"stop"`, "requires_action": `"completed"`}

// reasons corrects the stop reasons of answers whose calls were all replaced.
func (w *rewriting) reasons(root int) {
	doc := &w.doc
	end := func(n int, key string) {
		if r := doc.Get(n, key); r >= 0 {
			if becomes := endReasons[str(doc, n, key)]; becomes != "" {
				w.edit(r, []byte(becomes))
			}
		}
	}
	if list := doc.Get(root, "content"); doc.Kind(list) == wire.Array && w.allReplaced(list, func(c int) bool { return str(doc, c, "type") == "tool_use" }) {
		end(root, "stop_reason")
	}
	if list := doc.Find(root, "/output/message/content"); doc.Kind(list) == wire.Array && w.allReplaced(list, func(c int) bool { return doc.Get(c, "toolUse") >= 0 && !w.gone[doc.Get(c, "toolUse")] }) {
		end(root, "stopReason")
	}
	for _, key := range []string{"/steps", "/outputs", "/interaction/steps", "/interaction/outputs"} {
		if list := doc.Find(root, key); doc.Kind(list) == wire.Array && w.allReplaced(list, func(c int) bool { return str(doc, c, "type") == "function_call" }) {
			end(int(doc.Nodes[list].Parent), "status")
		}
	}
	for c := doc.First(doc.Get(root, "choices")); c >= 0; c = doc.Next(c) {
		m := doc.Get(c, "message")
		if len(w.texts[m]) == 0 || m < 0 {
			continue
		}
		if list := doc.Get(m, "tool_calls"); list < 0 || !w.anyLeft(list) {
			end(c, "finish_reason")
		}
	}
}

// allReplaced reports whether every element c of list with is(c) has been replaced.
func (w *rewriting) allReplaced(list int, is func(int) bool) bool {
	for c := w.doc.First(list); c >= 0; c = w.doc.Next(c) {
		if is(c) && !w.gone[c] {
			return false
		}
	}
	return true
}
