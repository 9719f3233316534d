package proxy

import (
	"context"
	"slices"
	"strings"
	"time"

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
	if !g.Observe {
		g.lists.announce(released)
	}
}

// watch applies changed approvals while there are no messages, until ctx is done.
func (g *gate) watch(ctx context.Context, s scope) {
	tick := time.NewTicker(catchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			g.catchUp(&s)
		}
	}
}

// lists announces changed lists to clients. A server cannot know of these changes: it still sends the
// same definitions, but some of them are no longer withheld.
type lists struct {
	listeners map[*listener]bool
	declared  recent // lists for which a server declares listChanged, each with a space after it; by listener
}

// listener is a connection over which a client receives notifications.
type listener struct {
	session, server string
	send            func(message []byte) // to the client, without waiting for it
}

func (l *listener) key() string { return l.session + "\x00" + l.server }

// listen begins to send notifications over a connection, or continues after its session changed.
func (g *gate) listen(l *listener, session string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if l.session = session; g.lists.listeners == nil {
		g.lists.listeners = map[*listener]bool{}
	}
	g.lists.listeners[l] = true
}

// unlisten stops sending notifications over a connection.
func (g *gate) unlisten(l *listener) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.lists.listeners, l)
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
func (l *lists) learn(s *scope, frame []byte, out *scanner.Outcome) {
	if !slices.ContainsFunc(out.Messages, func(m scanner.Judged) bool { return m.Answers == "initialize" && m.Offset == 0 }) {
		return
	}
	v, err := skimAny(frame)
	if err != nil {
		return
	}
	names := ""
	for _, list := range [...]string{"tools", "prompts", "resources"} {
		declared := v.Get("result").Get("capabilities").Get(list).Get("listChanged")
		if declared.Kind() == wire.Bool && string(declared.Raw()) == "true" {
			names += list + " "
		}
	}
	l.declared.keep((&listener{session: s.session, server: s.server}).key(), names)
}

// announce tells clients that lists changed. released contains the kinds of their definitions by server.
func (l *lists) announce(released map[string][]mcp.SubjectKind) {
	for to := range l.listeners {
		names := l.declared.find(to.key())
		for _, kind := range released[to.server] {
			list := listOf(kind) + " "
			if before, after, found := strings.Cut(names, list); found {
				names = before + after // once
				to.send([]byte(`{"jsonrpc":"2.0","method":"notifications/` + listOf(kind) + `/list_changed"}`))
			}
		}
	}
}
