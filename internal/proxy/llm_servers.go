package proxy

import (
	"fmt"
	"maps"
	"slices"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/replay"
	"github.com/mcpscan/mcpscan/scanner"
)

// maxServerTools is the maximum number of a server's tools whose calls are attributed to it by
// name.
const maxServerTools = 16 << 10

// Later handles an event from a server after its first listing: an announcement that its tools have
// changed, mcpscan's request for them and the response, or the end of the server. Sessions in progress
// receive messages at once. New sessions receive LLMOptions.Listed and each server's last changed list,
// so that memory does not grow with the number of changes. An event without a message, such as the end
// of a server, is passed only to the first session.
func (l *LLM) Later(e *scanner.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e.Kind != scanner.FrameEvent {
		l.give(e, firstSession)
		return
	}
	if announcesChange(e) {
		delete(l.changed, e.Server)
	}
	l.changed[e.Server] = append(l.changed[e.Server], e)
	if names := l.learn(e); len(names) > 0 {
		l.inspectMessage(&replay.LLMMessage{Session: firstSession, Servers: map[string][]string{e.Server: names}}, text.Secrets{})
	}
	for _, session := range slices.Sorted(maps.Keys(l.fed)) {
		l.give(e, session)
	}
}

// learn remembers the tools that a server lists, so that calls can be attributed to it by name, and
// returns the new names.
func (l *LLM) learn(e *scanner.Event) (names []string) {
	if e.Kind != scanner.FrameEvent {
		return nil
	}
	servers := l.talks.Servers
	has := map[string]bool{}
	for _, tool := range servers[e.Server] {
		has[tool] = true
	}
	for _, tool := range toolsIn(e) {
		if has[tool] {
			continue
		}
		if len(has) >= maxServerTools {
			l.gate.skip(&scope{session: firstSession, server: e.Server, transport: e.Transport, origin: e.Origin},
				fmt.Sprintf("server %s lists more than %d tools; calls to its other tools are attributed to it only if the name of the tool contains the server's name", text.Visible(e.Server, nameChars), maxServerTools), scanner.Forward)
			break
		}
		has[tool] = true
		names = append(names, tool)
	}
	servers[e.Server] = append(servers[e.Server], names...)
	return names
}

// toolsIn returns the names of the tools that a frame lists.
func toolsIn(e *scanner.Event) (names []string) {
	v, err := wire.Skim(e.Frame, wire.MaxNodes)
	if err != nil || e.Direction != mcp.ServerToClient {
		return nil
	}
	for c := v.Get("result").Get("tools").Children(); c.Next(); {
		if name, ok := c.Value.Str("name"); ok {
			names = append(names, name)
		}
	}
	return names
}

// announcesChange reports whether a frame announces that the tools have changed.
func announcesChange(e *scanner.Event) bool {
	v, err := wire.Skim(e.Frame, wire.MaxNodes)
	if err != nil {
		return false
	}
	method, _ := v.Str("method")
	return method == "notifications/tools/list_changed"
}
