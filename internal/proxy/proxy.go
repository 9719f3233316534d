// Package proxy sits between an MCP client and its server. It forwards messages byte for byte after
// an engine has decided on them, and answers blocked ones itself.
//
// It must never drop a message silently: a sender that waits for an answer gets one. It must never
// change a byte of what it forwards, except to withhold parts of a message or to pass it on over
// another transport.
package proxy

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// Options configures a proxy.
type Options struct {
	Engine *scanner.Live
	Now    func() time.Time // provides the times of messages

	// MaxMessage is the maximum size, in bytes, of a message that is inspected. A longer message is
	// forwarded as it arrives, unless FailClosed is set or an HTTP proxy started the server: it is then
	// refused, which ends a stdio connection. With Observe, it is forwarded, up to maxObserved if
	// an HTTP proxy started the server.
	MaxMessage int64
	// FailClosed refuses what cannot be inspected, such as lines that are not JSON-RPC messages,
	// and messages above MaxMessage.
	FailClosed bool
	// Observe makes the proxy decide, report and record, but forward everything.
	Observe bool
	// Asking configures how to ask about messages that the policy prompts for; if nil, they are
	// refused at once.
	Asking *Asking
	// Approvals, if not nil, is called before each message, and regularly while there are none. If
	// the approvals changed since the last call, it returns an engine that differs from Engine's only in
	// its approvals, or an error if they cannot be read; otherwise nil.
	Approvals func() (*scanner.Engine, error)
	// Session is the session shared with other proxies; nil if this proxy is alone.
	Session Session

	// Record, if not nil, gets each event to be recorded before the engine does, and may set its origin.
	Record func(*scanner.Event)
	// Decided is called with each event, except additions by other proxies, and with the action taken,
	// in the order in which the engine judged the events. The event and the outcome are valid only
	// during the call.
	Decided func(*scanner.Event, *scanner.Outcome, scanner.Action)
	// OnDuration, if not nil, is called with the duration of each decision on a frame.
	OnDuration func(time.Duration)
}

// scope identifies a frame's connection and how the frame arrived.
type scope struct {
	session, server, transport string
	client                     string          // Mcp-Session-Id of the client, "" if it sends none
	origin                     scanner.Origin  // origin of events that are not recorded
	head                       *mcp.HTTPHead   // headers of the HTTP exchange; nil on stdio
	params                     []mcp.HeadParam // Params of head before secrets were masked
	given                      text.Secrets    // secrets of the server
	others                     *sessionSecrets // secrets of the other servers in the session; nil if it is not shared
	page                       bool            // the frame is an HTTP error page, which need not be a message
	ambiguous                  string          // why receivers may read different messages from the frame or the lines around it; "" if they do not
	more                       bool            // the frame is a stdio line with a line ending, so other lines may follow
}

// gate judges messages one at a time, so that the recording lists them in the order in which they
// were judged, and a replay gives the same findings.
type gate struct {
	Options
	mu     sync.Mutex
	last   time.Time // time of the last event
	closed bool      // nothing is judged or forwarded any more
	held   held
	shared *sharing // nil if no session is shared
	lists  lists
}

func newGate(o Options) *gate {
	g := &gate{Options: o}
	if o.Session != nil {
		g.shared = &sharing{Session: o.Session}
	}
	return g
}

// close stops judging: messages in transit when the connection ends are not reported.
func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
}

// judge decides on a frame and returns the action to take. pass is what to forward: the frame
// itself, unless parts of it are withheld.
func (g *gate) judge(s *scope, direction mcp.Direction, frame []byte) (pass []byte, out *scanner.Outcome, do scanner.Action) {
	if g.OnDuration != nil {
		defer func(start time.Time) { g.OnDuration(time.Since(start)) }(time.Now())
	}
	e := s.event(scanner.FrameEvent)
	e.Direction, e.Frame = direction, frame
	if e.Frame = s.mask(frame); !bytes.Equal(e.Frame, frame) {
		e.Unmasked, e.UnmaskedHTTP, e.Given = frame, s.unmaskedHead(), s.given
	}
	masked := e.Frame
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil, &scanner.Outcome{}, scanner.Refuse
	}
	g.renew(e)
	if g.shared != nil {
		out = g.judgeShared(s, e)
	} else {
		g.stamp(e)
		out = g.Engine.Step(e)
	}
	ambiguous := ambiguity(s, masked, out)
	switch do = out.Action(); {
	case g.Observe:
		do = scanner.Forward
	case out.Exceeds:
		do, out.Decision = scanner.Refuse, exceeding
	case ambiguous != "" && out.Decision.Verdict < scanner.Block:
		do, out.Decision = scanner.Refuse, scanner.Decision{Verdict: scanner.Block, Rule: "ambiguous-message", Reason: ambiguous}
	case do == scanner.Rewrite:
		if pass = out.Rewrite(masked, frame); pass == nil {
			do, out.Decision = scanner.Refuse, out.Withheld[0].Decision
		}
	case do == scanner.Forward && g.FailClosed && (contradicts(out) || unreadable(out) && !s.page):
		do = scanner.Refuse
	}
	if do == scanner.Forward {
		pass = frame
	}
	g.Decided(e, out, do)
	if do != scanner.Refuse {
		g.lists.learn(s, frame, out)
	}
	if out.Exceeds || do == scanner.Refuse && (ambiguous == severalMessages || ambiguous == partOfMessage) {
		out.Messages = outline(masked)
	}
	return pass, out, do
}

// skip counts data that was forwarded or refused without being inspected.
func (g *gate) skip(s *scope, reason string, do scanner.Action) {
	g.note(s, scanner.SkippedEvent, reason, do)
}

// refuses counts data that the proxy cannot read but its receiver might, and reports whether the data is
// refused. It is, unless the proxy only observes.
func (g *gate) refuses(s *scope, reason string) bool { return g.skipIf(s, reason, !g.Observe) }

// passes counts data that cannot be inspected, and reports whether the data is forwarded. It is
// refused only if FailClosed is set and Observe is not.
func (g *gate) passes(s *scope, reason string) bool {
	return !g.skipIf(s, reason, g.FailClosed && !g.Observe)
}

// skipIf counts data that is refused, or forwarded without being inspected, and returns refused.
func (g *gate) skipIf(s *scope, reason string, refused bool) bool {
	do := scanner.Forward
	if refused {
		do = scanner.Refuse
	}
	g.skip(s, reason, do)
	return refused
}

// note records an event without a frame.
func (g *gate) note(s *scope, kind scanner.EventKind, reason string, do scanner.Action) {
	e := s.event(kind)
	e.Reason = reason
	g.take(e, do)
}

// take inspects an event without sending answers.
func (g *gate) take(e *scanner.Event, do scanner.Action) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.renew(e)
		g.stamp(e)
		g.Decided(e, g.Engine.Step(e), do)
	}
}

// started inspects the event with a started server's identity.
func (g *gate) started(e *scanner.Event) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.Decided(e, g.Engine.Step(e), scanner.Forward)
	}
}

// unmaskedHead returns the headers of the exchange before secrets were masked.
func (s *scope) unmaskedHead() *mcp.HTTPHead {
	if s.head == nil {
		return nil
	}
	head := *s.head
	head.Params = s.params
	return &head
}

// mask masks the secrets that the servers of the session were given.
func (s *scope) mask(message []byte) []byte {
	message = s.given.MaskMessage(message)
	if s.others != nil {
		message = s.others.mask(message)
	}
	return message
}

func (s *scope) event(kind scanner.EventKind) *scanner.Event {
	return &scanner.Event{Kind: kind, Session: s.session, Server: s.server, Transport: s.transport, Origin: s.origin, HTTP: s.head}
}

// stamp sets the time of an event, and its origin in the recording.
func (g *gate) stamp(e *scanner.Event) {
	e.Time = g.now()
	if g.Record != nil {
		g.Record(e)
	}
}

// now returns the time for the next event. It always advances, because a replay orders events by
// time.
func (g *gate) now() time.Time {
	now := g.Now().UTC()
	if !now.After(g.last) {
		now = g.last.Add(1)
	}
	g.last = now
	return now
}

// unreadable reports whether a frame is not a JSON-RPC message, or contains an element that is not
// one.
func unreadable(out *scanner.Outcome) bool {
	return out.Noise || out.Invalid || len(out.Messages) == 0 || slices.ContainsFunc(out.Messages, func(m scanner.Judged) bool { return m.Kind == mcp.Malformed })
}

// The reasons for refusing a frame that some receivers would split into several messages, or join with
// the lines that follow.
const (
	severalMessages = "some receivers read this message as several messages"
	partOfMessage   = "some receivers read this message and the next lines as one message"
)

// ambiguity returns why receivers may read different messages from a frame, or "" if they do not:
//   - Python, Java and .NET end lines at carriage returns, and go-sdk accepts these between messages.
//   - Node.js also ends lines at U+2028 and U+2029.
//   - Streaming decoders, such as Go's, need no separator between two messages, and read a message that
//     extends over several lines.
func ambiguity(s *scope, frame []byte, out *scanner.Outcome) string {
	unparsed := unreadable(out) && !out.Invalid && !s.page
	switch {
	case s.ambiguous != "":
		return s.ambiguous
	case s.transport == "stdio" && wire.ObjectAfter(frame, "\r") || unparsed && wire.ObjectAfter(frame, "}\u2028\u2029"):
		return severalMessages
	case s.more && unparsed && wire.Unfinished(frame):
		return partOfMessage
	}
	return ""
}

// contradiction is the rule that compares a request's headers with its body.
const contradiction = "prt-header-body-mismatch"

// contradicts blocks a request whose headers contradict its body: a router that reads the headers
// and a server that reads the body would act differently.
func contradicts(out *scanner.Outcome) bool {
	for i := range out.Findings {
		if f := &out.Findings[i]; f.Rule.ID == contradiction {
			out.Decision = scanner.Decision{Verdict: scanner.Block, Rule: contradiction, Reason: f.Message}
			return true
		}
	}
	return false
}

// frameOf returns the message in a line, without the line ending or a byte order mark.
func frameOf(line []byte) []byte {
	return bytes.TrimPrefix(line[:len(line)-len(lineEnd(line))], []byte("\xEF\xBB\xBF"))
}
