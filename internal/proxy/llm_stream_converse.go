package proxy

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// converseFlow is a Bedrock Converse stream: blocks with an index, as in the Messages API. Only
// call blocks have a start event.
type converseFlow struct {
	anthropicFlow
	said map[string]bool // blocks whose replacement text was written
}

func (f *converseFlow) take(_ *llmEvent, doc *wire.Doc) llmStep {
	e := doc.First(0)
	if e < 0 {
		return passOn
	}
	index := raw(doc, e, "contentBlockIndex")
	use := max(doc.Find(e, "/start/toolUse"), doc.Find(e, "/delta/toolUse"))
	_, open := f.open[index]
	switch doc.KeyString(e) { // the name of the event
	case "contentBlockStart", "contentBlockDelta":
		if use >= 0 && !open { // a call's delta without a start event cannot be judged
			f.open[index], f.names[index] = false, str(doc, use, "name")
		}
		if use >= 0 || len(f.open) > 0 && !f.queued[index] && doc.Get(e, "start") >= 0 {
			f.queued[index] = true
		}
	case "contentBlockStop":
		return f.ends(index)
	case "messageStop":
		if len(f.open) > 0 {
			return judgeIt
		}
	}
	return f.goesOn(index)
}

func (f *converseFlow) write(dst []byte, e *llmEvent, doc *wire.Doc) []byte {
	n := doc.First(0)
	if n < 0 {
		return append(dst, e.raw...)
	}
	index := raw(doc, n, "contentBlockIndex")
	name := doc.KeyString(n)
	instead := f.blocked[index]
	switch {
	case !strings.HasPrefix(name, "contentBlock") || instead == nil:
	case f.said[index]:
		return dst
	default:
		f.said[index] = true
		index = cmp.Or(index, "0")
		dst = wire.AppendEventFrame(dst, "event", "contentBlockDelta", fmt.Appendf(nil, `{"contentBlockIndex":%s,"delta":{"text":%s}}`, index, quoted(blockedText(instead))))
		return wire.AppendEventFrame(dst, "event", "contentBlockStop", fmt.Appendf(nil, `{"contentBlockIndex":%s}`, index))
	}
	if reason := doc.Get(n, "stopReason"); name == "messageStop" && reason >= 0 && f.refused > 0 && f.calls == 0 && string(doc.Raw(reason)) == `"tool_use"` {
		at, from := &doc.Nodes[reason], int(doc.Nodes[n].Start)
		payload := doc.Data[from:doc.Nodes[n].End]
		return wire.AppendEventFrame(dst, "event", name, wire.Apply(payload, []wire.Edit{{From: int(at.Start) - from, To: int(at.End) - from, With: []byte(endReasons["tool_use"])}}))
	}
	return append(dst, e.raw...)
}

// converseStream is the name of the event format of Converse streams.
const converseStream = "an event of an Amazon Bedrock Converse stream"
