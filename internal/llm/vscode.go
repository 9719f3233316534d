package llm

import (
	"strconv"
	"time"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// vscode recognises a chat session, or a line of its change log.
func vscode(v View) bool {
	return v.Str("sessionId") != "" && v.has("requests", wire.Array) || v.has("kind", wire.Number) && (v.has("k", wire.Array) || v.At("v").has("requests", wire.Array)) ||
		v.has("requests", wire.Array) && v.At("responderUsername").Is()
}

func readVSCode(r *Reader, b *body) {
	r.style = Underlined
	if b.members["kind"].Kind() == wire.Number {
		r.vscodePatch(b)
		return
	}
	r.session = b.str("sessionId")
	r.each(b, "requests", func(_ int, v View) { r.vscodeRequest(v) })
}

// vscodePatch reads the value that a line of a change log sets or appends, regardless of its
// position in the session: the value's members identify its type, and repeated values are
// recognised as such.
func (r *Reader) vscodePatch(b *body) {
	v, ok := r.view(b, b.root, "")
	if !ok {
		return
	}
	value := v.At("v")
	if id := value.Str("sessionId"); id != "" {
		r.changes.session, r.changes.time = id, time.Time{}
	}
	r.session, r.time = r.changes.session, r.changes.time
	defer func() { r.changes.time = r.time }() // other lines of the log have no time
	if value.has("requests", wire.Array) {
		value.At("requests").each(r.vscodeRequest)
		return
	}
	r.vscodeValue(value)
}

// vscodeValue looks for requests, response parts and results in a value.
func (r *Reader) vscodeValue(v View) {
	switch {
	case v.Kind() == wire.Array:
		for c := v.First(); c.Kind() != wire.Invalid; c = c.Next() {
			r.vscodeValue(c)
		}
	case v.Str("requestId") != "" && v.At("message").Is():
		r.vscodeRequest(v)
	case v.says("kind", "toolInvocationSerialized", "toolInvocation"):
		r.later()
		r.vscodeInvocation(v)
	case v.At("toolCallRounds").Is():
		r.vscodeRounds(v)
	case v.At("metadata").Kind() == wire.Object:
		r.vscodeRounds(v.At("metadata"))
	default:
		r.text(v)
	}
}

func (r *Reader) vscodeRequest(v View) {
	r.turn = v.Str("requestId")
	r.reach(v.At("timestamp"))
	r.text(v)
	v.At("response").each(func(c View) { r.emit(Item{Kind: Known, At: c, Server: vscodeServer(c)}) }) // the rounds do not name the servers
	meta := v.At("result").At("metadata")
	r.vscodeRounds(meta)
	for c := v.At("response").First(); c.Kind() != wire.Invalid; c = c.Next() {
		if c.says("kind", "toolInvocationSerialized", "toolInvocation") {
			if !meta.At("toolCallRounds").Is() {
				r.later()
			}
			r.vscodeInvocation(c)
		}
	}
}

// reach advances the time to a timestamp in milliseconds, unless the timestamp is earlier.
func (r *Reader) reach(timestamp View) {
	if ms, err := strconv.ParseInt(string(timestamp.Raw()), 10, 64); err == nil && ms > 0 {
		if t := time.UnixMilli(ms).UTC(); t.After(r.time) {
			r.time = t
		}
	}
}

// later advances the time by one second, so that calls of several rounds do not look simultaneous: older
// versions of VS Code store only the time of the request.
func (r *Reader) later() {
	if !r.time.IsZero() {
		r.time = r.time.Add(time.Second)
	}
}

// vscodeRounds reads the rounds of calls that led to a response, with arguments and results as the
// model saw them.
func (r *Reader) vscodeRounds(v View) {
	results := v.At("toolCallResults")
	for round := v.At("toolCallRounds").First(); round.Is(); round = round.Next() {
		if r.reach(round.At("timestamp")); !round.At("timestamp").Is() {
			r.later()
		}
		for c := round.At("toolCalls").First(); c.Is(); c = c.Next() {
			id := c.Str("id")
			r.emit(Item{Kind: Call, At: c, ID: id, Name: c.Str("name"), Args: c.At("arguments"), Turn: round.Str("id")})
			r.result(Item{At: results.At(id), ID: id, Content: results.At(id)})
		}
	}
	results.each(func(v View) { // including the results of calls that are no longer recorded
		r.emit(Item{Kind: Result, At: v, ID: v.Key(), Content: v})
	})
}

// vscodeInvocation reads a call in the form that the chat displays.
func (r *Reader) vscodeInvocation(v View) {
	details, server := v.At("resultDetails"), vscodeServer(v)
	r.emit(Item{Kind: Known, At: v, Server: server})
	r.result(Item{At: v, ID: "instructions of " + server, Server: server, Content: v.At("source").At("instructions")})
	r.emit(Item{Kind: Call, At: v, ID: v.Str("toolCallId"), Name: v.Str("toolId"), Server: server, Args: details.At("input"), Echo: true})
	r.result(Item{At: v, ID: v.Str("toolCallId"), Content: details.At("output"), Failed: details.is("isError"), Echo: true})
}

// vscodeServer returns the server that a call names.
func vscodeServer(call View) string {
	source := call.At("source")
	if label := source.Str("serverLabel"); label != "" || !source.says("type", "mcp") {
		return label
	}
	return source.Str("label")
}
