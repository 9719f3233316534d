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

	"github.com/mcpscan/mcpscan/scanner"
)

// Options say what a proxy decides by, and what it makes of it.
type Options struct {
	Engine          *scanner.Live
	Session, Server string           // as events name them
	Origin          scanner.Origin   // of what is not recorded
	Now             func() time.Time // stamps messages

	// MaxMessage bounds a message that is judged, in bytes. What follows it in a longer
	// one is passed on as it comes, or ends the connection where FailClosed is set.
	MaxMessage int64
	// FailClosed refuses what cannot be judged: lines that are no JSON-RPC message, and
	// those above MaxMessage.
	FailClosed bool
	// Observe decides, reports and records, and passes everything on.
	Observe bool

	// Mask replaces secrets that the server was given, ahead of the engine; nil for none.
	Mask func([]byte) []byte
	// Record is given each event ahead of the engine, and may give it a place; nil for none.
	Record func(*scanner.Event)
	// Decided is told of each event in the order in which the engine judged them, with
	// what becomes of it. The event and the outcome are valid during the call.
	Decided func(*scanner.Event, *scanner.Outcome, scanner.Action)
}

// gate judges the messages of one connection, one after the other: what is recorded has
// the order in which it was judged, so a replay finds the same.
type gate struct {
	Options
	mu sync.Mutex
}

// judge decides about a frame and says what is to be done with it. It returns what is to
// be passed on, which is the frame itself unless something is withheld of it.
func (g *gate) judge(direction scanner.Direction, frame []byte) (pass []byte, out *scanner.Outcome, do scanner.Action) {
	e := g.event(scanner.FrameEvent)
	e.Direction, e.Frame = direction, frame
	if g.Mask != nil {
		e.Frame = g.Mask(frame)
	}
	masked := e.Frame
	g.mu.Lock()
	defer g.mu.Unlock()
	out = g.step(e)
	switch do = out.Action(); {
	case g.Observe:
		do = scanner.Forward
	case do == scanner.Rewrite:
		if pass = out.Rewrite(masked); pass == nil {
			do = scanner.Refuse
		}
	case do == scanner.Forward && g.FailClosed && unreadable(out):
		do = scanner.Refuse
	}
	if do == scanner.Forward {
		pass = frame
	}
	g.Decided(e, out, do)
	return pass, out, do
}

// skip counts what was passed on or refused without being judged.
func (g *gate) skip(reason string, do scanner.Action) {
	e := g.event(scanner.SkippedEvent)
	e.Reason = reason
	g.mu.Lock()
	defer g.mu.Unlock()
	g.Decided(e, g.step(e), do)
}

func (g *gate) event(kind scanner.EventKind) *scanner.Event {
	return &scanner.Event{Kind: kind, Session: g.Session, Server: g.Server, Transport: "stdio", Origin: g.Origin, Time: g.Now()}
}

func (g *gate) step(e *scanner.Event) *scanner.Outcome {
	if g.Record != nil {
		g.Record(e)
	}
	return g.Engine.Step(e)
}

// unreadable reports a frame that is no JSON-RPC message, or holds something that is none.
func unreadable(out *scanner.Outcome) bool {
	if out.Noise || len(out.Messages) == 0 {
		return true
	}
	for i := range out.Messages {
		if out.Messages[i].Kind == scanner.Malformed {
			return true
		}
	}
	return false
}

// frameOf is the message in a line: without the line end, and without a byte order mark.
func frameOf(line []byte) []byte {
	return bytes.TrimPrefix(line[:len(line)-len(lineEnd(line))], []byte("\xEF\xBB\xBF"))
}
