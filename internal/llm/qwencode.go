package llm

import "github.com/mcpscan/mcpscan/internal/wire"

// qwenCode recognises a line of a Qwen Code chat. Its lines resemble Claude Code's, with messages in
// Gemini form.
func qwenCode(v View) bool {
	return v.Str("uuid") != "" && v.Str("sessionId") != "" && (v.At("message").has("parts", wire.Array) || v.has("systemPayload", wire.Object))
}

func readQwenCode(r *Reader, b *body) {
	r.style, r.clock = Underlined, false
	r.session, r.time, r.turn = b.str("sessionId"), stamp(b.str("timestamp")), b.str("uuid")
	if v, ok := r.member(b, "message"); ok {
		r.geminiContent(v)
	}
}
