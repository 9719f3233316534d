package proxy

import (
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// interactionFlow is a stream of Gemini's Interactions API: steps with an index, like the blocks of the
// Messages API. Older versions of the Interactions API use the name "content" for a step.
type interactionFlow struct{ anthropicFlow }

func (f *interactionFlow) take(_ *llmEvent, doc *wire.Doc) llmStep {
	index, event := raw(doc, 0, "index"), str(doc, 0, "event_type")
	piece := max(doc.Get(0, "step"), doc.Get(0, "content"), doc.Get(0, "delta"))
	kind := str(doc, piece, "type")
	_, open := f.open[index]
	switch starts := strings.HasSuffix(event, ".start"); {
	case strings.HasPrefix(event, "interaction."):
		if doc.First(doc.Find(0, "/interaction/steps")) >= 0 || doc.First(doc.Find(0, "/interaction/outputs")) >= 0 || len(f.open) > 0 && strings.HasPrefix(event, "interaction.complete") {
			return judgeIt
		}
		if len(f.open) > 0 {
			return holdOn
		}
	case strings.HasSuffix(event, ".stop"):
		return f.ends(index)
	case kind == "function_call", kind == "arguments_delta" && !open: // arguments of a call that did not start cannot be judged
		if starts {
			delete(f.blocked, index)
		}
		f.open[index], f.queued[index] = false, true
		if name := str(doc, piece, "name"); name != "" {
			f.names[index] = name
		}
	case starts && len(f.open) > 0:
		f.queued[index] = true
	case strings.HasSuffix(kind, "_result") && !f.queued[index]: // of a tool that the provider ran
		return judgeIt
	case starts:
		delete(f.blocked, index)
	}
	return f.goesOn(index)
}

func (f *interactionFlow) write(dst []byte, e *llmEvent, doc *wire.Doc) []byte {
	index, event := raw(doc, 0, "index"), str(doc, 0, "event_type")
	if instead := f.blocked[index]; instead != nil && index != "" {
		if what, start, _ := strings.Cut(event, "."); start == "start" {
			return appendTextStep(dst, what, index, blockedText(instead))
		}
		return dst
	}
	data := rewriteLLM(e.data, f.results[e.nth])
	for _, path := range []string{"/status", "/interaction/status"} {
		if n := doc.Find(0, path); data == nil && f.refused > 0 && f.calls == 0 && n >= 0 && string(doc.Raw(n)) == `"requires_action"` {
			node := &doc.Nodes[n]
			data = wire.Apply(e.data, []wire.Edit{{From: int(node.Start), To: int(node.End), With: []byte(endReasons["requires_action"])}})
		}
	}
	if data == nil {
		return append(dst, e.raw...)
	}
	return append(dst, withData(e.block, data)...)
}

// appendTextStep appends the events for a step with text. what is "step" or, in older versions of the
// API, "content".
func appendTextStep(dst []byte, what, index, text string) []byte {
	event := func(name, rest string) {
		dst = appendEvent(dst, what+name, fmt.Sprintf(`{"event_type":"%s%s","index":%s%s}`, what, name, index, rest))
	}
	start := `{"type":"model_output"}`
	if what == "content" {
		start = `{"type":"text","text":""}`
	}
	event(".start", `,"`+what+`":`+start)
	event(".delta", `,"delta":`+string(textBlock(text)))
	event(".stop", "")
	return dst
}

// interactionStream is the name of the event format of streams of the Interactions API.
const interactionStream = "an event of a Gemini interaction stream"
