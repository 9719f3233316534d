package llm

import (
	"cmp"
	"slices"
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

// attributes are the attributes of a span or log, by key.
type attributes map[string]View

func (v View) attributes() attributes {
	all := attributes{}
	v.At("attributes").each(func(a View) { all[a.Str("key")] = a.At("value") })
	return all
}

func (a attributes) str(key string) string {
	return a[key].Str("stringValue")
}

// span reads a span or a log: a tool call with its result, or a model request with its messages, which
// may be in events of the span.
func (r *Reader) span(v View) {
	a := v.attributes()
	r.session, r.turn = cmp.Or(a.str("mcp.session.id"), v.Str("traceId")), v.Str("parentSpanId")
	if v.At("timeUnixNano").Is() { // a log
		r.turn = v.Str("spanId")
	}
	r.time = cmp.Or(nanoseconds(v.At("startTimeUnixNano")), nanoseconds(v.At("timeUnixNano")), nanoseconds(v.At("observedTimeUnixNano")))
	result := a["gen_ai.tool.call.result"]
	calls := a.str("mcp.method.name") == "tools/call" || a.str("gen_ai.operation.name") == "execute_tool" ||
		a.str("gen_ai.tool.name") != "" && (a["gen_ai.tool.call.arguments"].Is() || result.Is())
	if calls {
		r.toolSpan(v, a)
	}
	messages, unread := r.otelContent(a), false
	v.At("events").each(func(e View) {
		switch {
		case r.otelContent(e.attributes()):
			messages = true
		case slices.Contains(otelEvents, e.Str("name")):
			unread = true
		}
	})
	if name := cmp.Or(v.Str("eventName"), a.str("event.name")); slices.Contains(otelEvents, name) && v.At("body").Is() {
		r.otelEvent(name, r.otelValue(v.At("body")))
		messages = true
	}
	switch {
	case unread, !messages && !(calls && result.Is()) && a.unsupported():
		r.skip(v, "%s: messages in an unsupported form (older span events, OpenInference, OpenLLMetry)", r.format)
	case !messages && !calls:
		r.text(v)
	}
}

// otelContent reads the messages and tools of a model request, and reports whether there are any.
func (r *Reader) otelContent(a attributes) bool {
	found := false
	for _, key := range []string{"gen_ai.tool.definitions", "gen_ai.input.messages", "gen_ai.output.messages"} {
		if !a[key].Is() {
			continue
		}
		found = true
		switch list := r.otelValue(a[key]); {
		case list.Kind() != wire.Array: // such as text that was truncated to a limit
			r.skip(a[key], "%s: %s is not a list", r.format, quote(key))
		case key == "gen_ai.tool.definitions":
			list.each(r.chatTool)
		default:
			list.each(r.otelMessage)
		}
	}
	return found
}

// otelEvents are the events in which the OpenTelemetry conventions up to version 1.36 put the
// messages that can contain calls and results.
var otelEvents = []string{"gen_ai.assistant.message", "gen_ai.tool.message", "gen_ai.choice", "gen_ai.content.prompt", "gen_ai.content.completion"}

// otelEvent reads the body of a log that is one of otelEvents.
func (r *Reader) otelEvent(name string, body View) {
	if name == "gen_ai.tool.message" {
		r.emit(Item{Kind: Result, At: body, ID: body.Str("id"), Content: body.At("content"), Echo: body.Str("id") != ""})
		return
	}
	r.text(body)
	for _, message := range []View{body, body.At("message")} {
		message.At("tool_calls").each(func(c View) {
			f := c.At("function")
			r.emit(Item{Kind: Call, At: c, ID: c.Str("id"), Name: f.Str("name"), Args: f.At("arguments"), Echo: c.Str("id") != ""})
		})
	}
}

// toolSpan reads a tool call with its result, and the description of the tool.
func (r *Reader) toolSpan(v View, a attributes) {
	id, tool, server := cmp.Or(a.str("gen_ai.tool.call.id"), v.Str("spanId")), a.str("gen_ai.tool.name"), a.str("mcp.server.name")
	r.describe(tool, server, a["gen_ai.tool.description"].At("stringValue"))
	r.emit(Item{Kind: Call, At: v, ID: id, Name: tool, Server: server, Args: r.otelValue(a["gen_ai.tool.call.arguments"]), Echo: true})
	end := resultTime(r.time, nanoseconds(v.At("endTimeUnixNano")))
	failure := v.At("status").At("message")
	switch result := a["gen_ai.tool.call.result"]; {
	case result.Is():
		r.emit(Item{Kind: Result, At: v, ID: id, Time: end, Content: r.otelValue(result), Failed: a.str("error.type") != "", Echo: true})
	case failure.Is(): // for MCP, the text of the error
		r.emit(Item{Kind: Result, At: v, ID: id, Time: end, Content: failure, Failed: true, Echo: true})
	case !a.unsupported():
		r.ignore(v, "a tool call span without its result: gen_ai.tool.call.result is opt-in")
	}
}

// MaxCallDuration is the maximum duration of a call whose result is dated at the end of the call. In a
// recording, a result directly follows its call; with the end time of a longer call, it would be too far
// out of order to be sorted.
const MaxCallDuration = 30 * time.Second

// resultTime returns the time of a result, given the start and end of its call: the end, or the start if
// the end is unknown or too late.
func resultTime(start, end time.Time) time.Time {
	if d := end.Sub(start); start.IsZero() || d < 0 || d > MaxCallDuration {
		return start
	}
	return end
}

// otherForms are the prefixes of attribute names under which other conventions store messages,
// definitions or results.
var otherForms = []string{"llm.", "gen_ai.prompt", "gen_ai.completion", "traceloop.", "input.value", "output.value", "tool.",
	"message.", "retrieval.", "reranker.", "gen_ai.retrieval.documents", // OpenInference, and later GenAI conventions
	"ai.prompt", "ai.toolCall", "ai.response", "mlflow.", "langfuse.", "gcp.vertex.agent.tool_response", // SDKs
	"pydantic_ai.all_messages", "all_messages_events", "tool_response"}

// unsupported reports whether a span or log has messages in an unsupported form.
func (a attributes) unsupported() bool {
	for key := range a {
		if begins(key, otherForms) {
			return true
		}
	}
	return false
}

// nanoseconds parses a Unix time in nanoseconds, and returns the zero time if there is none. Some
// programs write it as a number, not as a string.
func nanoseconds(v View) time.Time {
	n, err := strconv.ParseInt(strings.Trim(string(v.Raw()), `"`), 10, 64)
	if err != nil || n <= 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

// otelValue returns the value of an attribute as plain JSON. If the value is a string that contains
// a JSON array or object, otelValue returns that array or object.
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

func (r *Reader) otelMessage(m View) {
	if !m.At("parts").Is() { // some writers keep the form of the provider
		r.chatMessage(m)
		return
	}
	m.At("parts").each(func(p View) {
		switch kind := p.Str("type"); kind {
		case "text", "reasoning", "blob", "file", "uri":
			r.text(p)
		case "tool_call", "server_tool_call":
			server := ""
			if kind == "server_tool_call" {
				server = Provider
			}
			r.emit(Item{Kind: Call, At: p, ID: p.Str("id"), Name: p.Str("name"), Server: server, Args: p.either("arguments", kind), Echo: p.Str("id") != ""})
		case "tool_call_response", "server_tool_call_response":
			r.emit(Item{Kind: Result, At: p, ID: p.Str("id"), Content: p.either("response", "result", kind), Echo: p.Str("id") != ""})
		default:
			r.unknown(p, "a part of a message", kind)
		}
	})
}
