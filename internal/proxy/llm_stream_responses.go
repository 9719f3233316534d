package proxy

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/replay"
)

// responsesFlow is a Responses API stream: items with indices. Each item is repeated in full when
// it ends, and all items are repeated at the end of the stream.
type responsesFlow struct {
	open    map[string]*responsesItem // held calls, by index
	queued  map[string]bool           // held items: calls, and items that began after them
	blocked map[string]*responsesItem // items replaced by a message
	said    map[int][]replay.Said     // calls and refused items, by event
}

// responsesItem is a tool call in a Responses API answer.
type responsesItem struct {
	index, id, name string
	numbers         []string // sequence numbers of its events
	whole, judged   bool
	refused         *replay.Said
	nth             int // event with the complete item
}

func newResponsesFlow() *responsesFlow {
	return &responsesFlow{open: map[string]*responsesItem{}, queued: map[string]bool{}, blocked: map[string]*responsesItem{}}
}

// clientCall reports whether items of this type are calls that the agent runs.
func clientCall(kind string) bool {
	return kind == "function_call" || kind == "custom_tool_call" || replay.ClientRuns(kind)
}

func (f *responsesFlow) take(e *llmEvent, doc *wire.Doc) llmStep {
	kind, index := str(doc, 0, "type"), raw(doc, 0, "output_index")
	if doc.Get(0, "response") >= 0 {
		if doc.First(doc.Find(0, "/response/output")) >= 0 || len(f.open) > 0 && kind != "response.in_progress" {
			return judgeIt
		}
		return passOn
	}
	item := doc.Get(0, "item")
	switch {
	case item >= 0 && clientCall(str(doc, item, "type")):
		call := f.open[index]
		if call == nil {
			call = &responsesItem{index: index}
			f.open[index] = call
		}
		call.id, call.name = str(doc, item, "id"), cmp.Or(str(doc, item, "name"), strings.TrimSuffix(str(doc, item, "type"), "_call"))
		f.queued[index] = true
		if kind == "response.output_item.done" {
			call.whole, call.nth = true, e.nth
		}
	case kind == "response.output_item.added" && len(f.open) > 0:
		f.queued[index] = true
	case item >= 0 && kind == "response.output_item.done" && !f.queued[index] && strings.HasPrefix(str(doc, item, "type"), "mcp_"):
		return judgeIt // it contains a result
	}
	if call := f.open[index]; call != nil {
		call.numbers = append(call.numbers, raw(doc, 0, "sequence_number"))
	}
	switch {
	case index == "" || !f.queued[index]:
		return passOn
	case f.whole():
		return judgeIt
	}
	return holdOn
}

func (f *responsesFlow) whole() bool {
	for _, call := range f.open {
		if !call.whole {
			return false
		}
	}
	return true
}

func (f *responsesFlow) decide(said []replay.Said) {
	f.said = byEvent(said)
	for i := range said {
		s := &said[i]
		for _, call := range f.open {
			last := s.Path == "/response/output/"+call.index
			if s.Kind != replay.SaidCall || !(call.whole && s.Event == call.nth && s.Path == "/item") && !(last && !call.whole) {
				continue
			}
			if call.judged = true; isRefused(s) {
				call.refused = s
			}
		}
	}
	for index, call := range f.open {
		if !call.judged {
			call.refused = unjudged(call.name)
		}
		if call.refused != nil {
			f.blocked[index] = call
		}
	}
	clear(f.open)
	clear(f.queued)
}

func (f *responsesFlow) write(dst []byte, e *llmEvent, doc *wire.Doc) []byte {
	index, kind := raw(doc, 0, "output_index"), str(doc, 0, "type")
	call := f.blocked[index]
	switch {
	case doc.Get(0, "response") >= 0:
		return e.rewritten(dst, f.said[e.nth])
	case call != nil && kind == "response.output_item.done":
		return call.appendMessage(dst)
	case call != nil:
		return dst
	case kind == "response.output_item.done":
		return e.rewritten(dst, f.said[e.nth])
	}
	return append(dst, e.raw...)
}

// appendMessage appends the events of a message that replaces the call. They get the sequence numbers
// of the call's events. If the call had fewer events than the message, some events of the message are
// left out, so that no number occurs twice: those whose content is repeated by later events.
func (c *responsesItem) appendMessage(dst []byte) []byte {
	text := blockedText(c.refused)
	part, id := outputText(text), quoted("msg_"+c.id)
	empty := strings.Replace(part, quoted(text), `""`, 1)
	at := `"item_id":` + id + `,"content_index":0,`
	n := 0
	for _, event := range [...]struct {
		least      int // the event is sent if the call had at least this many events
		kind, rest string
	}{
		{2, "response.output_item.added", `"item":{"id":` + id + `,"type":"message","status":"in_progress","role":"assistant","content":[]}`},
		{4, "response.content_part.added", at + `"part":` + empty},
		{4, "response.output_text.delta", at + `"delta":` + quoted(text) + `,"logprobs":[]`},
		{6, "response.output_text.done", at + `"text":` + quoted(text) + `,"logprobs":[]`},
		{5, "response.content_part.done", at + `"part":` + part},
		{1, "response.output_item.done", `"item":` + string(messageItem(c.id, c.refused))},
	} {
		number := ""
		if numbered := c.numbers[0] != ""; numbered && len(c.numbers) < event.least {
			continue
		} else if numbered {
			number = `"sequence_number":` + c.numbers[n] + ","
			n++
		}
		dst = appendEvent(dst, event.kind, fmt.Sprintf(`{"type":"%s",%s"output_index":%s,%s}`, event.kind, number, c.index, event.rest))
	}
	return dst
}
