package llm

import (
	"cmp"
	"strconv"
	"time"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// goose recognises what goose prints or stores: an exported session, a run in one document, a printed
// event, or a line of a stored session.
func goose(v View) bool {
	switch {
	case v.has("conversation", wire.Array):
		return v.Str("working_dir") != ""
	case v.has("messages", wire.Array):
		return gooseMessage(v.At("messages").First())
	case v.says("type", "message"):
		return gooseMessage(v.At("message"))
	case v.says("type", "complete"):
		return v.At("total_tokens").Kind() != wire.Invalid
	case v.says("type", "notification"):
		return v.Str("extension_id") != ""
	}
	return gooseMessage(v) || v.Str("working_dir") != "" && v.has("description", wire.String) && v.has("message_count", wire.Number)
}

// gooseMessage recognises a message by its time, which messages in requests do not have.
func gooseMessage(v View) bool {
	return v.says("role", "user", "assistant") && v.has("created", wire.Number) && v.has("content", wire.Array)
}

func readGoose(r *Reader, b *body) {
	r.style, r.clock = Underlined, false
	message := func(_ int, v View) { r.gooseMessage(v) }
	switch {
	case b.members["conversation"].Kind() == wire.Array:
		r.session = b.str("id")
		r.each(b, "conversation", message)
	case b.members["messages"].Kind() == wire.Array:
		r.each(b, "messages", message)
	case b.str("type") == "message":
		if v, ok := r.member(b, "message"); ok {
			r.gooseMessage(v)
		}
	case b.str("type") == "notification":
		if v, ok := r.view(b, b.root, ""); ok {
			r.result(Item{At: v, Server: v.Str("extension_id"), Content: v.either("log", "progress")})
		}
	case b.members["content"].Kind() == wire.Array:
		if v, ok := r.view(b, b.root, ""); ok {
			r.gooseMessage(v)
		}
	}
}

func (r *Reader) gooseMessage(v View) {
	if n, err := strconv.ParseInt(string(v.At("created").Raw()), 10, 64); err == nil {
		r.time = time.Unix(n, 0).UTC()
	}
	r.speaks(v, v.says("role", "assistant") && !v.At("content").First().says("type", "toolResponse"))
	for c := v.At("content").First(); c.Is(); c = c.Next() {
		switch kind := c.Str("type"); kind {
		case "toolRequest", "frontendToolRequest":
			call := c.At("toolCall").either("value", "Ok")
			if !call.Is() { // what the model wrote is not a valid call
				r.text(c)
				continue
			}
			server := c.At("_meta").Str("goose_extension")
			r.emit(Item{Kind: Call, At: c, ID: c.Str("id"), Server: server, Name: call.Str("name"), Args: call.At("arguments")})
		case "toolResponse":
			result := c.either("toolResult", "tool_result")
			content := result.either("value", "Ok", "error", "Err")
			failed := result.says("status", "error") || result.At("Err").Is()
			if blocks := content.At("content"); blocks.Is() && !content.At("structuredContent").Is() {
				content, failed = blocks, failed || content.is("isError")
			}
			r.result(Item{At: c, ID: c.Str("id"), Content: content, Failed: failed})
		case "actionRequired":
			if data := c.At("data"); data.says("actionType", "elicitation") { // a server's request to the user
				r.result(Item{At: c, Content: data})
			} else {
				r.text(c)
			}
		case "text", "thinking", "redactedThinking", "reasoning", "image", "toolConfirmationRequest", "systemNotification",
			"contextLengthExceeded", "summarizationRequested":
			r.text(c)
		default:
			r.unknown(c, "a block", cmp.Or(kind, c.Kind().String()))
		}
	}
}
