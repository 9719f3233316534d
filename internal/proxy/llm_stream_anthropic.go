package proxy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/replay"
)

// anthropicFlow is a Messages API stream: a sequence of blocks with indices.
type anthropicFlow struct {
	open    map[string]bool         // held calls; true if complete
	names   map[string]string       // names of the held calls
	queued  map[string]bool         // held blocks: calls, and blocks that began after them
	blocked map[string]*replay.Said // blocks replaced by text
	results map[int][]replay.Said   // refused results, by event
	calls   int                     // forwarded calls that the agent will run
	refused int
}

func newAnthropicFlow() *anthropicFlow {
	return &anthropicFlow{open: map[string]bool{}, names: map[string]string{}, queued: map[string]bool{}, blocked: map[string]*replay.Said{}, results: map[int][]replay.Said{}}
}

func (f *anthropicFlow) take(_ *llmEvent, doc *wire.Doc) llmStep {
	index := raw(doc, 0, "index")
	switch str(doc, 0, "type") {
	case "message_start":
		if doc.First(doc.Find(0, "/message/content")) >= 0 {
			return judgeIt
		}
	case "content_block_start":
		return f.begin(index, doc, doc.Get(0, "content_block"))
	case "content_block_delta":
		return f.goesOn(index)
	case "content_block_stop":
		return f.ends(index)
	case "message_delta":
		if len(f.open) > 0 {
			return holdOn
		}
	case "message_stop":
		if len(f.open) > 0 {
			return judgeIt
		}
	}
	return passOn
}

// begin handles the beginning of a block.
func (f *anthropicFlow) begin(index string, doc *wire.Doc, block int) llmStep {
	kind := str(doc, block, "type")
	switch {
	case kind == "tool_use":
		f.open[index], f.names[index] = false, str(doc, block, "name")
	case len(f.open) > 0: // blocks begin in order
	case strings.HasSuffix(kind, "tool_result"): // result of a tool that the provider ran
		return judgeIt
	default:
		return passOn
	}
	f.queued[index] = true
	return holdOn
}

// goesOn handles an event within a block.
func (f *anthropicFlow) goesOn(index string) llmStep {
	if f.queued[index] {
		return holdOn
	}
	return passOn
}

// ends handles the end of a block. The held calls are inspected once all of them are complete.
func (f *anthropicFlow) ends(index string) llmStep {
	if _, call := f.open[index]; call {
		f.open[index] = true
		if !slices.Contains(slices.Collect(maps.Values(f.open)), false) {
			return judgeIt
		}
	}
	return f.goesOn(index)
}

func (f *anthropicFlow) decide(said []replay.Said) {
	clear(f.results)
	judged := map[string]bool{}
	for i := range said {
		s := &said[i]
		if _, held := f.open[s.Slot]; s.Kind == replay.SaidCall && s.Slot != "" {
			if held && isRefused(s) {
				f.blocked[s.Slot] = s
			}
			judged[s.Slot] = true
			continue
		}
		f.results[s.Event] = append(f.results[s.Event], *s)
	}
	for index, complete := range f.open {
		if !complete || !judged[index] {
			f.blocked[index] = unjudged(f.names[index])
		}
		if f.blocked[index] != nil {
			f.refused++
		} else {
			f.calls++
		}
	}
	clear(f.open)
	clear(f.queued)
}

func (f *anthropicFlow) write(dst []byte, e *llmEvent, doc *wire.Doc) []byte {
	index := raw(doc, 0, "index")
	instead := f.blocked[index]
	switch str(doc, 0, "type") {
	case "message_start", "content_block_start":
		if instead != nil {
			return appendTextBlock(dst, index, blockedText(instead))
		}
		return e.rewritten(dst, f.results[e.nth])
	case "content_block_delta", "content_block_stop":
		if instead != nil {
			return dst
		}
	case "message_delta":
		reason := doc.Get(doc.Get(0, "delta"), "stop_reason")
		if reason >= 0 && f.refused > 0 && f.calls == 0 && string(doc.Raw(reason)) == `"tool_use"` {
			n := &doc.Nodes[reason]
			data := wire.Apply(e.data, []wire.Edit{{From: int(n.Start), To: int(n.End), With: []byte(endReasons["tool_use"])}})
			return append(dst, withData(e.block, data)...)
		}
	}
	return append(dst, e.raw...)
}

// appendTextBlock appends the events for a text block.
func appendTextBlock(dst []byte, index, text string) []byte {
	dst = appendEvent(dst, "content_block_start", fmt.Sprintf(`{"type":"content_block_start","index":%s,"content_block":{"type":"text","text":""}}`, index))
	dst = appendEvent(dst, "content_block_delta", fmt.Sprintf(`{"type":"content_block_delta","index":%s,"delta":{"type":"text_delta","text":%s}}`, index, quoted(text)))
	return appendEvent(dst, "content_block_stop", fmt.Sprintf(`{"type":"content_block_stop","index":%s}`, index))
}
