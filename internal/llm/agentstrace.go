package llm

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// agentsTexts are the types of spans without tool output in traces of OpenAI's Agents SDK. The content
// of responses is not part of traces.
var agentsTexts = []string{"response", "agent", "handoff", "guardrail", "custom", "transcription", "speech", "speech_group", "task", "turn"}

// agentsTrace recognises a trace of OpenAI's Agents SDK or a span of one. agentsTraces recognises a list
// of traces and spans, which may be in a request to export them.
func agentsTrace(v View) bool {
	return v.says("object", "trace.span") && v.has("span_data", wire.Object) || v.says("object", "trace") && v.At("workflow_name").Is()
}

func agentsTraces(v View) bool {
	return v.Kind() == wire.Array && agentsTrace(v.First()) || v.has("data", wire.Array) && agentsTrace(v.At("data").First())
}

func readAgentsTraces(r *Reader, b *body) {
	list, pointer := b.root, ""
	if list.Kind() == wire.Object {
		list, pointer = b.members["data"], "/data"
	}
	i := 0
	for c := list.Children(); c.Next(); i++ {
		readAgentsTrace(r, r.sub(b, c.Value, pointer+index(i)))
	}
}

func readAgentsTrace(r *Reader, b *body) {
	if b.str("object") == "trace" {
		return
	}
	data, ok := r.member(b, "span_data")
	if !ok {
		r.skipAt(b.origin(b.root, ""), "%s: an element in an unknown format", r.format)
		return
	}
	id := cmp.Or(b.str("id"), b.at(""))
	r.session, r.turn, r.history = cmp.Or(b.str("trace_id"), id), id, false
	r.time = cmp.Or(stamp(b.str("ended_at")), stamp(b.str("started_at")))
	r.clock = r.time.IsZero()
	switch kind := data.Str("type"); {
	case kind == "function":
		server := cmp.Or(data.At("mcp_data").Str("server"), data.Str("mcp_data"))
		id = r.ran(Item{At: data, ID: id, Name: data.Str("name"), Server: server, Args: data.At("input")}, "")
		r.result(Item{At: data, ID: id, Content: data.At("output")})
		if failure, ok := r.member(b, "error"); ok {
			r.result(Item{At: failure, ID: id, Content: failure, Failed: true})
		}
	case kind == "generation":
		r.history = true
		r.runMessages(data.At("input"), id+"/input")
		r.history = false
		r.runMessages(data.At("output"), id)
	case kind == "mcp_tools":
		r.emit(Item{Kind: Known, At: data, Server: data.Str("server")})
	case slices.Contains(agentsTexts, kind), strings.HasPrefix(kind, "mcp_"):
		r.text(data)
	default:
		r.unknown(data, "a span", kind)
	}
}
