// Package proxy stands between an MCP client and its server. It passes messages on byte
// for byte, after an engine has decided about them, and answers for those that are
// blocked.
//
// It must never drop a message in silence: whoever waits for an answer gets one. It must
// never change a byte of what it forwards, but for definitions that are withheld.
package proxy

import (
	"bytes"
	"sync"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// Options say what a proxy decides by, and what it makes of it.
type Options struct {
	Engine *scanner.Live
	Now    func() time.Time // stamps messages

	// MaxMessage bounds a message that is judged, in bytes. What follows it in a longer
	// one is passed on as it comes, or ends the connection where FailClosed is set.
	MaxMessage int64
	// FailClosed refuses what cannot be judged: lines that are no JSON-RPC message, and
	// those above MaxMessage.
	FailClosed bool
	// Observe decides, reports and records, and passes everything on.
	Observe bool
	// Asking has somebody asked about what the policy prompts for; nil refuses that at once.
	Asking *Asking
	// Session is shared with other proxies; nil where this one is alone.
	Session Session

	// Record is given each event ahead of the engine, and may give it a place; nil for none.
	Record func(*scanner.Event)
	// Decided is told of each event in the order in which the engine judged them, with
	// what becomes of it. The event and the outcome are valid during the call.
	Decided func(*scanner.Event, *scanner.Outcome, scanner.Action)
	// Took is told how long a decision took; nil for nobody.
	Took func(time.Duration)
}

// scope says where a frame belongs: to which connection, and how it came.
type scope struct {
	session, server, transport string
	origin                     scanner.Origin // of what is not recorded
	head                       *mcp.HTTPHead  // of the HTTP exchange, nil on stdio
	mask                       func([]byte) []byte
	page                       bool // it is the page of an HTTP error, which need not be a message
}

// gate judges messages, one after the other: what is recorded has the order in which it was
// judged, so a replay finds the same.
type gate struct {
	Options
	mu     sync.Mutex
	last   time.Time // of the events
	closed bool      // nothing is judged any more, nor passed on
	held   held
	shared *sharing // nil where no session is shared
}

func newGate(o Options) *gate {
	g := &gate{Options: o}
	if o.Session != nil {
		g.shared = &sharing{Session: o.Session}
	}
	return g
}

// close ends judging: what is on its way when the connection is over belongs to no report.
func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
}

// judge decides about a frame and says what is to be done with it. It returns what is to
// be passed on, which is the frame itself unless something is withheld of it.
func (g *gate) judge(s *scope, direction mcp.Direction, frame []byte) (pass []byte, out *scanner.Outcome, do scanner.Action) {
	if g.Took != nil {
		defer func(start time.Time) { g.Took(time.Since(start)) }(time.Now())
	}
	e := s.event(scanner.FrameEvent)
	e.Direction, e.Frame = direction, frame
	if s.mask != nil {
		e.Frame = s.mask(frame)
	}
	masked := e.Frame
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil, &scanner.Outcome{}, scanner.Refuse
	}
	if g.shared != nil {
		out = g.judgeShared(s, e)
	} else {
		g.stamp(e)
		out = g.Engine.Step(e)
	}
	switch do = out.Action(); {
	case g.Observe:
		do = scanner.Forward
	case do == scanner.Rewrite:
		if pass = out.Rewrite(masked); pass == nil {
			do = scanner.Refuse
		}
	case do == scanner.Forward && g.FailClosed && (contradicts(out) || unreadable(out) && !s.page):
		do = scanner.Refuse
	}
	if do == scanner.Forward {
		pass = frame
	}
	g.Decided(e, out, do)
	return pass, out, do
}

// skip counts what was passed on or refused without being judged.
func (g *gate) skip(s *scope, reason string, do scanner.Action) {
	g.note(s, scanner.SkippedEvent, reason, do)
}

// note takes in an event that has no frame.
func (g *gate) note(s *scope, kind scanner.EventKind, reason string, do scanner.Action) {
	e := s.event(kind)
	e.Reason = reason
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.stamp(e)
		g.Decided(e, g.Engine.Step(e), do)
	}
}

func (s *scope) event(kind scanner.EventKind) *scanner.Event {
	return &scanner.Event{Kind: kind, Session: s.session, Server: s.server, Transport: s.transport, Origin: s.origin, HTTP: s.head}
}

// stamp gives an event its time, and its place in the recording.
func (g *gate) stamp(e *scanner.Event) {
	e.Time = g.now()
	if g.Record != nil {
		g.Record(e)
	}
}

// now is the time for the next event. It always advances: a replay puts events in the order of
// their times.
func (g *gate) now() time.Time {
	now := g.Now().UTC()
	if !now.After(g.last) {
		now = g.last.Add(1)
	}
	g.last = now
	return now
}

// unreadable reports a frame that is no JSON-RPC message, or holds something that is none.
func unreadable(out *scanner.Outcome) bool {
	if out.Noise || len(out.Messages) == 0 {
		return true
	}
	for i := range out.Messages {
		if out.Messages[i].Kind == mcp.Malformed {
			return true
		}
	}
	return false
}

// contradiction is the rule that compares the headers of a request with its body.
const contradiction = "prt-header-body-mismatch"

// contradicts decides to block a request whose headers say something else than its body:
// whoever routes by the one and whoever acts on the other do not do the same.
func contradicts(out *scanner.Outcome) bool {
	for i := range out.Findings {
		if f := &out.Findings[i]; f.Rule.ID == contradiction {
			out.Decision = scanner.Decision{Verdict: scanner.Block, Rule: contradiction, Reason: f.Message}
			return true
		}
	}
	return false
}

// frameOf is the message in a line: without the line end, and without a byte order mark.
func frameOf(line []byte) []byte {
	return bytes.TrimPrefix(line[:len(line)-len(lineEnd(line))], []byte("\xEF\xBB\xBF"))
}
