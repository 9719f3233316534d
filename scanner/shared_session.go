package scanner

import (
	"cmp"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
)

// Shared contains what one message adds to its session for rules that compare servers. After a
// call to [Live.Sharing], a Live adds Shared values to its outcomes. Another Live that receives such a
// Shared in a SharedEvent judges its own server as if it had judged the message itself. State that
// matters only for the message's own server, such as approvals and answers, is not shared.
type Shared struct {
	Session  string // session of the connection that carried the message; request IDs are unique only within it
	Server   string
	Time     time.Time // time of the message
	Tools    []*Known  // tools that the server lists for the first time
	Call     *Call     // call that the message reports; nil if there is none
	Counts   bool      // the call counts towards bursts and rates
	Answered string    // ID of the call that the message answers, or of Call if it was blocked; "" if there is none
	Suspect  *sharedSuspect
	From     Outflow // result that contained the values, if any
	Values   []Value
}

// sharedSuspect is a read that returned a suspicious answer.
type sharedSuspect struct {
	ID   string // ID of the request
	Time time.Time
	Suspicion
}

// Sharing makes l add to its outcomes what other connections need to know about the messages. It
// returns l.
func (l *Live) Sharing() *Live {
	l.judge.sharing = true
	return l
}

// share adds to the outcome what other connections need to know about the message. first means that
// the message is the first of its server.
func (j *judge) share(p *JudgePass, took *Call, first bool) {
	m, s := p.Message, j.adds
	s.Session, s.Server, s.Time = p.event.Session, p.Server.ID, p.Now
	if call := cmp.Or(took, p.call); call != nil && !call.Refused {
		s.Call, s.Counts = new(*call), p.call != nil
	}
	if s.Counts && m.Decision.Verdict == Block {
		s.Answered = s.Call.ID
	}
	if p.Request != nil && p.Direction == mcp.ServerToClient && callMethods[p.Request.Method] {
		s.Answered = p.Request.ID
	}
	for i := range m.Listings {
		if l := &m.Listings[i]; l.Before == nil {
			s.Tools = append(s.Tools, p.Server.Tools[l.Definition.Name])
		}
	}
	if first && m.Kind != mcp.Started || s.Call != nil || s.Answered != "" || s.Suspect != nil || len(s.Tools) > 0 || len(s.Values) > 0 {
		j.out.Shared = append(j.out.Shared, s)
	}
}

// callMethods lists the methods of the requests that are remembered as a [Call].
var callMethods = map[string]bool{"tools/call": true, "resources/read": true}

// learn applies what a message on another connection adds to the session, in the same order as
// judging the message itself.
func (j *judge) learn(e *Event) {
	in := e.Shared
	session := j.session(e)
	srv := session.server(in.Server)
	if srv.forgotten {
		j.coverage.skip("more servers in a session than the limit: data about this server from other connections is not compared", e.Origin)
		return
	}
	call, limits := in.Call, &j.engine.options.Limits
	if call != nil && call.ID != "" {
		call.ID = in.elsewhere(call.ID)
	}
	if call != nil && in.Counts {
		srv.count(call, limits)
	}
	if lost := j.remember(session, srv, mcp.ServerToClient, in.Values, func() *Outflow { return &in.From }); lost != "" {
		j.coverage.skip(lost, e.Origin)
	}
	if call != nil && (!in.Counts || in.Answered == "") { // it was not blocked
		j.learnCall(session, srv, call, e)
	}
	if s := in.Suspect; s != nil {
		srv.suspected(in.elsewhere(s.ID), s.Time, s.Suspicion)
	}
	if in.Answered != "" {
		srv.pending[mcp.ClientToServer].take(in.elsewhere(in.Answered))
		srv.recent.settle(in.elsewhere(in.Answered))
	}
	if len(in.Tools) > 0 {
		j.learnTools(session, srv, in.Tools)
	}
}

// learnCall remembers a call on another connection, so that later calls can be compared with it.
func (j *judge) learnCall(session *Session, srv *Server, call *Call, e *Event) {
	if call.ID != "" {
		if !srv.pending[mcp.ClientToServer].put(call.ID, PendingCall{Method: "tools/call", Target: call.Tool, Time: call.Time}) {
			j.coverage.skip("more open requests than the limit: calls on other connections are not matched with their answers", e.Origin)
		}
	}
	if lost := session.record(srv, call, j.engine.options.Limits.window()); lost != "" {
		j.coverage.skip(lost, e.Origin)
	}
}

// learnTools remembers tools that a server has listed on another connection. It does not add them
// to the server's own tools, because only lists from the same connection are compared with each
// other.
func (j *judge) learnTools(session *Session, srv *Server, tools []*Known) {
	for _, k := range tools {
		if srv.listedElsewhere[k.Definition.Name] {
			continue
		}
		if len(j.pins)+j.learned >= maxPins {
			j.coverage.skip("more definitions than the limit: tools listed on other connections are not compared", Origin{File: k.file, Line: int(k.at.line), Column: int(k.at.column)})
			return
		}
		j.learned++
		set(&srv.listedElsewhere, k.Definition.Name, true)
		srv.Trifecta.Add(k)
		session.indexTool(k)
		session.shadow(srv, k)
	}
	if !srv.Trifecta.Complete() {
		session.Trifecta.merge(&srv.Trifecta)
	}
}

// elsewhere returns a key for the ID of a request on another connection. No ID on this connection
// can equal it, because the raw JSON of an ID contains no NUL.
func (s *Shared) elsewhere(id string) string { return s.Session + "\x00" + id }

// keepValue records a value that is new to the session, that another server has now returned as well,
// or that now has a more specific kind.
func (s *Shared) keepValue(v *Value, said bool, from *Outflow) {
	s.Values = append(s.Values, Value{digest: v.digest, Kind: v.Kind, said: said, base: v.base, at: v.at, Via: v.Via})
	if !said {
		s.From = *from
	}
}
