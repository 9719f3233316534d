package proxy

import (
	"slices"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// renew applies changed approvals before the next event. The caller must hold g.mu.
func (g *gate) renew(next *scanner.Event) {
	if g.Approvals == nil {
		return
	}
	engine, err := g.Approvals()
	e := &scanner.Event{Session: next.Session, Server: next.Server, Transport: next.Transport, Origin: next.Origin}
	var released map[string][]mcp.SubjectKind
	switch {
	case err != nil:
		e.Kind, e.Reason = scanner.SkippedEvent, "the lockfile changed and cannot be read; the approvals read before still apply: "+text.Visible(err.Error(), reasonChars)
	case engine != nil:
		released = g.Engine.Renew(engine)
		e.Kind, e.Reason = scanner.IgnoredEvent, "the lockfile changed: later messages are judged by its new approvals"
	default:
		return
	}
	g.stamp(e)
	g.Decided(e, g.Engine.Step(e), scanner.Forward)
	if g.lists != nil && !g.Observe {
		g.lists.announce(released[next.Server])
	}
}

// lists announces changed lists to a client. The server cannot know of these changes: it still sends
// the same definitions, but some of them are no longer withheld.
type lists struct {
	send      func(message []byte) // to the client, without waiting for it
	announced map[string]bool      // lists for which the server declares listChanged
}

// listOf returns the name of the list, and of the capability, for definitions of a kind. It is empty for
// instructions, which are only part of the answer to initialize.
func listOf(kind mcp.SubjectKind) string {
	switch kind {
	case mcp.ToolSubject:
		return "tools"
	case mcp.PromptSubject:
		return "prompts"
	case mcp.ResourceSubject, mcp.TemplateSubject:
		return "resources"
	}
	return ""
}

// learn reads from the answer to initialize which changes the client expects to be announced.
func (l *lists) learn(frame []byte, out *scanner.Outcome) {
	if !slices.ContainsFunc(out.Messages, func(m scanner.Judged) bool { return m.Answers == "initialize" && m.Offset == 0 }) {
		return
	}
	v, err := skimAny(frame)
	if err != nil {
		return
	}
	l.announced = map[string]bool{}
	for _, list := range [...]string{"tools", "prompts", "resources"} {
		declared := v.Get("result").Get("capabilities").Get(list).Get("listChanged")
		l.announced[list] = declared.Kind() == wire.Bool && string(declared.Raw()) == "true"
	}
}

// announce announces that the lists with these kinds of definitions changed.
func (l *lists) announce(kinds []mcp.SubjectKind) {
	sent := map[string]bool{}
	for _, kind := range kinds {
		if list := listOf(kind); l.announced[list] && !sent[list] {
			sent[list] = true
			l.send([]byte(`{"jsonrpc":"2.0","method":"notifications/` + list + `/list_changed"}`))
		}
	}
}
