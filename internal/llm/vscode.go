package llm

import (
	"strconv"
	"time"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// vscode recognises a chat session, or a line of its change log.
func vscode(v View) bool {
	return v.str("sessionId") != "" && v.has("requests", wire.Array) || v.has("kind", wire.Number) && (v.has("k", wire.Array) || v.at("v").has("requests", wire.Array)) ||
		v.has("requests", wire.Array) && v.at("responderUsername").Is()
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
	value := v.at("v")
	if id := value.str("sessionId"); id != "" {
		r.changes = id
	}
	r.session = r.changes
	if value.has("requests", wire.Array) {
		for q := value.at("requests").First(); q.Is(); q = q.Next() {
			r.vscodeRequest(q)
		}
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
	case v.str("requestId") != "" && v.at("message").Is():
		r.vscodeRequest(v)
	case v.says("kind", "toolInvocationSerialized", "toolInvocation"):
		r.vscodeInvocation(v)
	case v.at("toolCallRounds").Is():
		r.vscodeRounds(v)
	case v.at("metadata").Kind() == wire.Object:
		r.vscodeRounds(v.at("metadata"))
	default:
		r.text(v)
	}
}

func (r *Reader) vscodeRequest(v View) {
	r.turn = v.str("requestId")
	if ms, err := strconv.ParseInt(string(v.at("timestamp").Raw()), 10, 64); err == nil && ms > 0 {
		r.time = time.UnixMilli(ms).UTC()
	}
	r.text(v)
	r.vscodeRounds(v.at("result").at("metadata"))
	for c := v.at("response").First(); c.Kind() != wire.Invalid; c = c.Next() {
		if c.says("kind", "toolInvocationSerialized", "toolInvocation") {
			r.vscodeInvocation(c)
		}
	}
}

// vscodeRounds reads the rounds of calls that led to a response, with arguments and results as the
// model saw them.
func (r *Reader) vscodeRounds(v View) {
	results := v.at("toolCallResults")
	for round := v.at("toolCallRounds").First(); round.Is(); round = round.Next() {
		for c := round.at("toolCalls").First(); c.Is(); c = c.Next() {
			id := c.str("id")
			r.emit(Item{Kind: Call, At: c, ID: id, Name: c.str("name"), Args: c.at("arguments"), Turn: round.str("id")})
			if result := results.at(id); result.Is() {
				r.emit(Item{Kind: Result, At: result, ID: id, Content: result})
			}
		}
	}
	for result := results.First(); result.Is(); result = result.Next() { // also of calls that are no longer recorded
		r.emit(Item{Kind: Result, At: result, ID: result.Key(), Content: result})
	}
}

// vscodeInvocation reads a call in the form that the chat displays.
func (r *Reader) vscodeInvocation(v View) {
	details := v.at("resultDetails")
	server := v.at("source").str("serverLabel")
	if server == "" && v.at("source").says("type", "mcp") {
		server = v.at("source").str("label")
	}
	if instructions := v.at("source").at("instructions"); instructions.Is() {
		r.emit(Item{Kind: Result, At: v, ID: "instructions of " + server, Server: server, Content: instructions})
	}
	r.emit(Item{Kind: Call, At: v, ID: v.str("toolCallId"), Name: v.str("toolId"), Server: server, Args: details.at("input"), Echo: true})
	if out := details.at("output"); out.Is() {
		r.emit(Item{Kind: Result, At: v, ID: v.str("toolCallId"), Content: out, Failed: details.is("isError"), Echo: true})
	}
}
