package llm

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// readOTLP reads an OTLP/JSON export of spans or logs.
func readOTLP(r *Reader, b *body) {
	r.clock = false
	for _, level := range []string{"resourceSpans", "resourceLogs"} {
		i := 0
		for resource := b.members[level].Children(); resource.Next(); i++ {
			for _, scope := range []string{"scopeSpans", "scopeLogs"} {
				k := 0
				for s := resource.Value.Get(scope).Children(); s.Next(); k++ {
					for _, list := range []string{"spans", "logRecords"} {
						pointer := "/" + level + index(i) + "/" + scope + index(k) + "/" + list
						r.list(b, s.Value.Get(list), pointer, func(_ int, v View) { r.span(v) })
					}
				}
			}
		}
	}
}

// attributes are the attributes of a span.
type attributes map[string]View

func (v View) attributes() attributes {
	all := attributes{}
	v.At("attributes").each(func(a View) { all[a.Str("key")] = a.At("value") })
	return all
}

func (a attributes) str(key string) string {
	return a[key].Str("stringValue")
}

// span reads a span: a tool call with its result, or a model request with its messages.
func (r *Reader) span(v View) {
	a := v.attributes()
	r.session, r.turn = cmp.Or(a.str("mcp.session.id"), v.Str("traceId")), v.Str("parentSpanId")
	r.time = nanoseconds(v.Str("startTimeUnixNano"))
	result := a["gen_ai.tool.call.result"]
	calls := a.str("mcp.method.name") == "tools/call" || a.str("gen_ai.operation.name") == "execute_tool" ||
		a.str("gen_ai.tool.name") != "" && (a["gen_ai.tool.call.arguments"].Is() || result.Is())
	messages := a["gen_ai.input.messages"].Is() || a["gen_ai.output.messages"].Is() || a["gen_ai.tool.definitions"].Is()
	if calls {
		r.toolSpan(v, a)
	}
	if messages {
		r.otelValue(a["gen_ai.tool.definitions"]).each(r.chatTool)
		r.otelMessages(r.otelValue(a["gen_ai.input.messages"]))
		r.otelMessages(r.otelValue(a["gen_ai.output.messages"]))
	}
	switch {
	case messages || calls && result.Is():
	case a.otherwise(v):
		r.skip(v, "%s: messages in an unsupported form (span events, logs, OpenInference, OpenLLMetry)", r.format)
	case !calls:
		r.text(v)
	}
}

// toolSpan reads a tool call with its result, and the description of the tool.
func (r *Reader) toolSpan(v View, a attributes) {
	id, tool, server := cmp.Or(a.str("gen_ai.tool.call.id"), v.Str("spanId")), a.str("gen_ai.tool.name"), a.str("mcp.server.name")
	r.describe(tool, server, a["gen_ai.tool.description"].At("stringValue"))
	r.emit(Item{Kind: Call, At: v, ID: id, Name: tool, Server: server, Args: r.otelValue(a["gen_ai.tool.call.arguments"]), Echo: true})
	failure := v.At("status").At("message")
	switch result := a["gen_ai.tool.call.result"]; {
	case result.Is():
		r.emit(Item{Kind: Result, At: v, ID: id, Content: r.otelValue(result), Failed: a.str("error.type") != "", Echo: true})
	case failure.Is(): // for MCP, the text of the error
		r.emit(Item{Kind: Result, At: v, ID: id, Content: failure, Failed: true, Echo: true})
	case !a.otherwise(v):
		r.ignore(v, "a tool call span without its result: gen_ai.tool.call.result is opt-in")
	}
}

// otherForms are the prefixes of attribute names under which other conventions store messages,
// definitions or results.
var otherForms = []string{"llm.", "gen_ai.prompt", "gen_ai.completion", "traceloop.", "input.value", "output.value", "tool.",
	"message.", "retrieval.", "reranker.", "gen_ai.retrieval.documents", // OpenInference, and later GenAI conventions
	"ai.prompt", "ai.toolCall", "ai.response", "mlflow.", "langfuse.", "gcp.vertex.agent.tool_response", // SDKs
	"pydantic_ai.all_messages", "all_messages_events", "tool_response"}

// otherwise reports whether a span or log has messages in an unsupported form.
func (a attributes) otherwise(v View) bool {
	for key := range a {
		if begins(key, otherForms) {
			return true
		}
	}
	for e := v.At("events").First(); e.Is(); e = e.Next() {
		if strings.HasPrefix(e.Str("name"), "gen_ai.") {
			return true
		}
	}
	return v.At("body").Is() && (strings.HasPrefix(v.Str("eventName"), "gen_ai.") || strings.HasPrefix(a.str("event.name"), "gen_ai."))
}

func nanoseconds(s string) time.Time {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n <= 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

// otelValue returns an attribute as plain JSON, parsed if it is a string that contains JSON.
func (r *Reader) otelValue(v View) View {
	if !v.Is() {
		return View{}
	}
	data := plain(nil, v)
	at := v.Origin()
	if s := v.At("stringValue"); s.Kind() == wire.String {
		at = s.Origin()
		if parsed, err := r.quoted(at, s.Text()); err == nil && parsed.Kind() >= wire.Array {
			return parsed
		}
	}
	made, err := r.quoted(at, data)
	if err != nil {
		return View{}
	}
	return made
}

// plain writes an OTLP AnyValue as the JSON that it represents.
func plain(dst []byte, v View) []byte {
	switch c := v.First(); c.Key() {
	case "stringValue":
		return wire.AppendString(dst, c.Text())
	case "arrayValue":
		dst = append(dst, '[')
		for e := c.At("values").First(); e.Is(); e = e.Next() {
			if dst[len(dst)-1] != '[' {
				dst = append(dst, ',')
			}
			dst = plain(dst, e)
		}
		return append(dst, ']')
	case "kvlistValue":
		dst = append(dst, '{')
		for e := c.At("values").First(); e.Is(); e = e.Next() {
			if dst[len(dst)-1] != '{' {
				dst = append(dst, ',')
			}
			dst = append(wire.AppendString(dst, []byte(e.Str("key"))), ':')
			dst = plain(dst, e.At("value"))
		}
		return append(dst, '}')
	case "":
		return append(dst, "null"...)
	default:
		return append(dst, c.Raw()...)
	}
}

func (r *Reader) otelMessages(v View) {
	for m := v.First(); m.Is(); m = m.Next() {
		for p := m.At("parts").First(); p.Is(); p = p.Next() {
			switch kind := p.Str("type"); kind {
			case "text", "reasoning", "blob", "file", "uri":
				r.text(p)
			case "tool_call", "server_tool_call":
				server := ""
				if kind == "server_tool_call" {
					server = Provider
				}
				r.emit(Item{Kind: Call, At: p, ID: p.Str("id"), Name: p.Str("name"), Server: server, Args: p.At("arguments"), Echo: p.Str("id") != ""})
			case "tool_call_response", "server_tool_call_response":
				r.emit(Item{Kind: Result, At: p, ID: p.Str("id"), Content: p.either("response", "result", kind), Echo: p.Str("id") != ""})
			default:
				r.unknown(p, "a part of a message", kind)
			}
		}
	}
}
