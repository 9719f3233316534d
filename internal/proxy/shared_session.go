package proxy

import (
	"fmt"
	"slices"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/sessionlog"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// Blind describes the rules that find less, or nothing, if a proxy sees only one server.
const Blind = "shadow-tool, value-flow, read-then-send, cross-server-flow, burst and the rules whose IDs begin with xs- see only this server"

// Session is a session shared by several proxies: a log of what each message adds to it.
type Session interface {
	// Take waits for this proxy's turn, and returns what others have added since its last turn and
	// how many additions were lost. Unless it returns an error, the turn lasts until End.
	Take(wait time.Duration) (news [][]byte, lost int64, err error)
	// Again waits for another turn, but returns no additions.
	Again(wait time.Duration) error
	// Write adds entries to the session during a turn.
	Write(...sessionlog.Entry) error
	End()
}

const (
	maxInTurn  = 64 << 10         // largest message, in bytes, judged within one turn; other proxies wait meanwhile
	maxBacklog = 256              // additions waiting for a turn
	maxAhead   = 10 * time.Second // how far another proxy's clock may be ahead
	perEntry   = 64               // tools per entry, to fit MaxEntry
	perValues  = 4096             // values per entry, likewise
	catchEvery = time.Second      // how often an idle proxy reads new approvals, and what others have added
)

// sharing is the state of a gate in a shared session.
type sharing struct {
	Session
	waited  bool // a turn was missed: the next message does not wait
	backlog []sessionlog.Entry
	doc     wire.Doc
	secrets sessionSecrets
}

// judgeShared judges an event during a turn, so that all proxies judge in one order. A message that
// is larger than maxInTurn is judged between two turns. If no turn comes in time, judgeShared
// judges the event anyway.
func (g *gate) judgeShared(s *scope, e *scanner.Event) *scanner.Outcome {
	wait := sessionlog.Wait
	if g.shared.waited {
		wait = 0
	}
	news, lost, missed := g.shared.Take(wait)
	g.shared.waited = missed != nil
	if missed == nil {
		g.heard(s, news, lost)
	}
	g.stamp(e)
	held := missed == nil && len(e.Frame) <= maxInTurn
	if missed == nil && !held {
		g.shared.End()
	}
	out := g.Engine.Step(e)
	additions, tooLong := entries(out.Shared)
	if missed == nil && !held {
		missed = g.shared.Again(sessionlog.Wait)
	}
	if missed == nil {
		if missed = g.shared.Write(append(g.shared.backlog, additions...)...); missed == nil {
			g.shared.backlog, additions = nil, nil
		}
		g.shared.End()
	}
	if missed != nil && (len(additions) > 0 || asks(out)) {
		g.skipped(s, fmt.Sprintf("no access to the shared session (%v): %s", missed, Blind))
	}
	tooLong += g.keep(additions)
	if tooLong > 0 {
		g.skipped(s, "what a message adds to the shared session exceeds a limit, so other proxies do not see all of it")
	}
	return out
}

// catchUp reads new approvals and the other proxies' additions while there are no messages: the client
// learns what was approved, and little is left to read when a message arrives.
func (g *gate) catchUp(s *scope) {
	if !g.mu.TryLock() { // a message is being judged
		return
	}
	defer g.mu.Unlock()
	if g.closed {
		return
	}
	if g.renew(s.event(scanner.FrameEvent)); g.shared == nil {
		return
	}
	news, lost, err := g.shared.Take(0)
	if err != nil {
		return // the next message reports it
	}
	g.shared.End()
	g.heard(s, news, lost)
}

// heard passes the other proxies' additions to the engine, and reports lost ones.
func (g *gate) heard(s *scope, news [][]byte, lost int64) {
	if lost += g.learn(s, news); lost > 0 {
		g.skipped(s, "additions by other proxies to the shared session were lost: "+Blind)
	}
}

// keep queues additions for the next turn, and returns how many did not fit.
func (g *gate) keep(additions []sessionlog.Entry) (lost int) {
	most := max(0, maxBacklog-len(g.shared.backlog))
	if len(additions) > most {
		lost, additions = len(additions)-most, additions[:most]
	}
	g.shared.backlog = append(g.shared.backlog, additions...)
	return lost
}

// learn passes the other proxies' additions to the engine, and returns how many cannot be read.
func (g *gate) learn(s *scope, news [][]byte) (unread int64) {
	for _, text := range news {
		if g.shared.secrets.learn(text) {
			continue
		}
		shared := g.parse(s, s.mask(text))
		if shared == nil {
			unread++
			continue
		}
		e := s.event(scanner.SharedEvent)
		e.Server, e.Shared = shared.Server, shared
		if shared.Time.After(g.last) {
			g.last = shared.Time // so that later messages have a later time
		}
		g.stamp(e)
		g.Engine.Step(e)
	}
	return unread
}

// parse reads an addition, and returns nil if no proxy can have written it.
func (g *gate) parse(s *scope, text []byte) *scanner.Shared {
	if g.shared.doc.Parse(text) != nil {
		return nil
	}
	shared, err := scanner.ParseShared(&g.shared.doc, 0)
	latest := g.Now().Add(maxAhead)
	if err != nil || shared.Session == s.session || shared.Time.After(latest) || shared.Call != nil && shared.Call.Time.After(latest) {
		return nil
	}
	return shared
}

// skipped emits an event that says why something was not fully inspected. The caller must hold g.mu.
func (g *gate) skipped(s *scope, reason string) {
	e := s.event(scanner.SkippedEvent)
	e.Reason = reason
	g.stamp(e)
	g.Decided(e, g.Engine.Step(e), scanner.Forward)
}

// asks reports whether an outcome includes a request that cross-server rules may judge.
func asks(out *scanner.Outcome) bool {
	return slices.ContainsFunc(out.Messages, func(m scanner.Judged) bool { return m.Kind == mcp.Request })
}

// entries splits a message's additions into entries of bounded size. tooLong is the number of parts
// that do not fit into an entry.
func entries(all []scanner.Shared) (list []sessionlog.Entry, tooLong int) {
	for i := range all {
		for rest := &all[i]; rest != nil; {
			part := *rest
			part, rest = cut(part)
			data := part.AppendJSON(nil)
			if len(data) > sessionlog.MaxEntry {
				tooLong++
				continue
			}
			list = append(list, sessionlog.Entry{Data: data, Keep: len(part.Tools) > 0 || part.Call == nil && part.Answered == "" && len(part.Values) == 0})
		}
	}
	return list, tooLong
}

// cut splits off the part of an addition that fits into one entry; rest is nil if all of the
// addition fits.
func cut(s scanner.Shared) (part scanner.Shared, rest *scanner.Shared) {
	part = s
	tools, values := min(len(s.Tools), perEntry), min(len(s.Values), perValues)
	if tools == len(s.Tools) && values == len(s.Values) {
		return part, nil
	}
	part.Tools, part.Values = s.Tools[:tools], s.Values[:values]
	return part, &scanner.Shared{Session: s.Session, Server: s.Server, Time: s.Time, Tools: s.Tools[tools:], From: s.From, Values: s.Values[values:]}
}
