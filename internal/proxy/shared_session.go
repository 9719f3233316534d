package proxy

import (
	"fmt"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/sessionlog"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// Blind are the rules that find less, or nothing, where a proxy sees one server alone.
const Blind = "shadow-tool, value-flow, read-then-send, cross-server-flow, burst and the rules whose names begin with xs- judged by this server alone"

// Session is a session that several proxies share, as a log of what their messages add to it.
type Session interface {
	// Take waits for the turn of this proxy, and returns what others have added since the last
	// one, with how many additions are lost. Where there is no error, End ends the turn.
	Take(wait time.Duration) (news [][]byte, lost int64, err error)
	// Again waits for a turn without any news.
	Again(wait time.Duration) error
	// Write adds to the session in a turn.
	Write(...sessionlog.Entry) error
	End()
}

const (
	maxInTurn  = 64 << 10         // bytes of a message that is judged within one turn: less than a millisecond
	maxBacklog = 256              // additions that wait for a turn
	maxAhead   = 10 * time.Second // that the clock of another proxy may be ahead
	perEntry   = 64               // tools in one entry, which then fit into it
	perValues  = 4096             // values in one entry, likewise
	catchEvery = time.Second      // how often a proxy without messages learns what others have added
)

// sharing is what a gate remembers of a session that it shares.
type sharing struct {
	Session
	waited  bool // for a turn that did not come: the next message does not wait
	backlog []sessionlog.Entry
	doc     wire.Doc
}

// judgeShared has an event judged in a turn of its proxy: after all that others have judged
// before, and ahead of all that they judge later. It goes on without a turn that does not come.
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
		g.skipped(s, fmt.Sprintf("no turn in the shared session (%v): %s", missed, Blind))
	}
	tooLong += g.keep(additions)
	if tooLong > 0 {
		g.skipped(s, "a message has more for the shared session than the limit: other proxies do not know of it")
	}
	return out
}

// catchUp learns what others have added where no message asks for it, so that little is left
// to be learned when one does.
func (g *gate) catchUp(s *scope) {
	if g.shared == nil || !g.mu.TryLock() { // a message is being judged
		return
	}
	defer g.mu.Unlock()
	if g.closed {
		return
	}
	news, lost, err := g.shared.Take(0)
	if err != nil {
		return // the next message says so
	}
	g.shared.End()
	g.heard(s, news, lost)
}

// heard hands what others have added to the engine, and says what of it is lost.
func (g *gate) heard(s *scope, news [][]byte, lost int64) {
	if lost += g.learn(s, news); lost > 0 {
		g.skipped(s, "additions of other proxies to the shared session are lost: "+Blind)
	}
}

// keep lets additions wait for the next turn, and returns how many are too many.
func (g *gate) keep(additions []sessionlog.Entry) (lost int) {
	most := max(0, maxBacklog-len(g.shared.backlog))
	if len(additions) > most {
		lost, additions = len(additions)-most, additions[:most]
	}
	g.shared.backlog = append(g.shared.backlog, additions...)
	return lost
}

// learn hands the additions of others to the engine, and returns how many cannot be read.
func (g *gate) learn(s *scope, news [][]byte) (unread int64) {
	for _, text := range news {
		if s.mask != nil {
			text = s.mask(text)
		}
		shared := g.parse(s, text)
		if shared == nil {
			unread++
			continue
		}
		e := s.event(scanner.SharedEvent)
		e.Server, e.Shared = shared.Server, shared
		if shared.Time.After(g.last) {
			g.last = shared.Time // what is judged after it has a later time
		}
		g.stamp(e)
		g.Engine.Step(e)
	}
	return unread
}

// parse reads an addition, and returns nil for what no proxy writes.
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

// skipped takes in a reason why something was not judged in full, while a message is judged.
func (g *gate) skipped(s *scope, reason string) {
	e := s.event(scanner.SkippedEvent)
	e.Reason = reason
	g.stamp(e)
	g.Decided(e, g.Engine.Step(e), scanner.Forward)
}

// asks reports a message of the client that rules about several servers may judge.
func asks(out *scanner.Outcome) bool {
	for i := range out.Messages {
		if out.Messages[i].Kind == mcp.Request {
			return true
		}
	}
	return false
}

// entries are the additions of a message in the form that others read, each of a bounded size.
// tooLong is how many have none.
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

// cut takes as much of an addition as one entry holds, and returns the rest, nil for none.
func cut(s scanner.Shared) (part scanner.Shared, rest *scanner.Shared) {
	part = s
	tools, values := min(len(s.Tools), perEntry), min(len(s.Values), perValues)
	if tools == len(s.Tools) && values == len(s.Values) {
		return part, nil
	}
	part.Tools, part.Values = s.Tools[:tools], s.Values[:values]
	return part, &scanner.Shared{Session: s.Session, Server: s.Server, Time: s.Time, Tools: s.Tools[tools:], From: s.From, Values: s.Values[values:]}
}
