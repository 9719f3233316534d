package llm

import "fmt"

// This file contains the code shared by the readers of events that agents print in non-interactive runs
// or store for a session: Codex, Gemini CLI (--output-format stream-json), Copilot CLI, goose and Claude
// Managed Agents. readClaudeCode reads the events of Claude Code, which have the form of its
// transcripts.

// within sets the session of the lines that follow: only the first line of a run names it.
func (r *Reader) within(b *body, session string) {
	r.emit(Item{Kind: Begin, Session: session, origin: new(b.origin(b.root, ""))})
}

// speaks begins the next answer of the model if a line is from the model, unless the previous line was,
// too.
func (r *Reader) speaks(line View, own bool) {
	if own && !r.answering {
		r.answers++
	}
	r.answering = own
	r.turn = r.numbered(line, "answer")
}

// numbered names the current answer of the model. The name includes that of the file, because a session
// may continue in another file, in which the count begins again.
func (r *Reader) numbered(line View, what string) string {
	return fmt.Sprintf("%s/%s-%d", line.text.origin.File, what, r.answers)
}
