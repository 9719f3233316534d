package llm

// readOllamaResponse reads a response, or a piece of one. A piece contains only complete calls.
func readOllamaResponse(r *Reader, b *body) {
	const stream = "ollama"
	r.streamed(stream, `"done":true`, b.origin(b.root, ""))
	if v, ok := r.member(b, "message"); ok {
		r.chatMessage(v)
	}
	if string(b.members["done"].Raw()) == "true" {
		r.streams.stop(stream)
	}
}
