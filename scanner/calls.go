package scanner

import (
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/capability"
	"github.com/mcpscan/mcpscan/internal/mcp"
)

// Call is one tool call by the client, or one resource read, with the data needed to compare later
// calls with it.
type Call struct {
	Time     time.Time
	Undated  bool // as in Event
	Category capability.Category
	Refused  bool // the recording says that the call was blocked
	Awaited  bool // the server had answered before in the session, so the call has returned nothing until it is answered
	Server   string
	Tool     string // a long name is truncated
	Request  string // ID of the model request whose response contained the call; "" if not recorded
	ID       string // ID of the JSON-RPC request; "" if there is none
	Location Location
}

// Recorded returns the time that the input gives for the call, or the zero time if there is none.
func (c *Call) Recorded() time.Time {
	if c.Undated {
		return time.Time{}
	}
	return c.Time
}

// The bounds on the calls that a session remembers. Calls to one server do not evict calls to
// another, and calls of one category do not evict those of another; see calls.add.
const (
	maxCalls   = 32 // per server and category
	maxCallers = 64 // servers with calls within the window
)

// The sources that can record the same call, from least to most reliable: an LLM proxy, an audit
// log of the connection, and the connection itself.
const (
	intercepted = 1 + iota
	audited
	framed
)

// callSource returns the source of the call that a message reports, or 0 if it reports none.
func callSource(m *Message, from mcp.Direction, told bool) int {
	switch {
	case from != mcp.ClientToServer:
	case told && m.Method == "tools/call":
		return intercepted
	case m.Kind == mcp.Request && m.Method == "tools/call":
		return framed
	case m.Kind == mcp.Audit && m.Method == "mcp_tool_called":
		return audited
	case m.Kind == mcp.Audit && m.Method == "mcp_tool_call_intercepted":
		return intercepted
	}
	return 0
}

// refusals are the words that audit logs use for a call that did not take place.
var refusals = map[string]bool{"block": true, "blocked": true, "deny": true, "denied": true}

// Refuses reports whether an action is an audit log's word for a call that did not take place.
func Refuses(action string) bool { return refusals[strings.ToLower(action)] }

// call returns the call that a message reports, or nil if it reports none or the recording also has
// the call from a more reliable source. It counts the call. The first call from a more reliable
// source resets the count, because less reliable sources may have reported the same calls.
func (j *judge) call(srv *Server, e *Event, from mcp.Direction, m *Judged) *Call {
	source := callSource(m.Message, from, e.FromModelLog)
	if source == 0 {
		return nil
	}
	refused := m.Kind == mcp.Audit && Refuses(m.Action)
	if refused && source < srv.source && e.Time.Equal(srv.called.at) && m.Target == srv.called.tool {
		return nil // a decision about a call that was already reported
	}
	if !refused {
		if source < srv.source {
			return nil
		}
		if source > srv.source { // the calls counted so far may be the same as those from this source
			m.Calls -= srv.counted
			srv.source, srv.recent, srv.bucket, srv.counted = source, recent{}, bucket{}, 0
		}
		srv.counted++
		srv.called.at, srv.called.tool = e.Time, m.Target
	}
	m.Calls++
	j.current = Call{Server: srv.ID, Tool: m.Target, Category: m.Category, Time: e.Time, Undated: e.Undated, Request: cut(e.Request), ID: cut(m.ID),
		Refused: refused, Awaited: srv.answers.n > 0, Location: j.places.At(m.Offset)}
	if known := srv.Tools[m.Target]; known != nil {
		j.current.Category, m.Tool = known.Definition.Category, srv.Current(m.Target)
	}
	if said := j.engine.options.Limits.Category; said != nil {
		if c, ok := said(srv.ID, m.Target); ok {
			j.current.Category = c
		}
	}
	return &j.current
}

// resource returns a resources/read request as a Call, so that later calls can be compared with it,
// or nil for any other message. The request does not count towards the limits on calls, because
// clients read many resources at once.
func (j *judge) resource(srv *Server, e *Event, from mcp.Direction, m *Judged) *Call {
	if from != mcp.ClientToServer || m.Kind != mcp.Request || m.Method != "resources/read" {
		return nil
	}
	j.current = Call{Server: srv.ID, Tool: m.Target, Category: capability.Read, Time: e.Time, Undated: e.Undated, Request: cut(e.Request), ID: cut(m.ID),
		Awaited: srv.answers.n > 0, Location: j.places.At(m.Offset)}
	return &j.current
}

// cut truncates a long string to the part that is remembered.
func cut(s string) string {
	if len(s) > nameChars {
		return strings.Clone(s[:nameChars])
	}
	return s
}

// count counts a call against the limits of its server and returns the limits it exceeds. Calls
// without a time are not counted.
func (srv *Server) count(c *Call, l *Limits) (x Exceeded) {
	if !c.Time.IsZero() {
		alone := srv.answers.n == 0 || !srv.recent.busy(c.Time.Add(-l.BurstWindow)) // a recording may lack answers
		x.Burst, x.FirstBurst, x.Began = srv.recent.add(stamp{c.Time, c.Location, c.ID, c.ID != "", alone}, l, c.Refused)
		x.Parallel = x.Burst && srv.recent.parallel()
		x.Rate, x.FirstRate = srv.bucket.take(c.Time, l.of(srv.ID), c.Refused)
	}
	return x
}

// Exceeded describes which limits of its server a call exceeds.
type Exceeded struct {
	Burst      bool     // the call exceeds the burst limit within the window
	FirstBurst bool     // it is the first of consecutive calls to do so
	Began      Location // location of the first call in that window
	Parallel   bool     // at least half of the calls in that window began while another one was open
	Rate       bool     // the server's bucket has no token for the call
	FirstRate  bool     // it is the first such call since the bucket was last full
}

// record remembers a call for the duration of the window, using the call's own timestamp. It
// ignores refused calls and calls without a time. lost is the reason why the call could not be
// remembered, or "" if it was remembered or ignored.
func (s *Session) record(srv *Server, c *Call, window time.Duration) (lost string) {
	if c.Refused || c.Time.IsZero() {
		return ""
	}
	if s.newest.IsZero() || c.Time.After(s.newest) {
		s.newest = c.Time
	}
	from := s.newest.Add(-window)
	if c.Time.Before(from) {
		return "a call is older than its session's window: later calls are not compared with it"
	}
	if !srv.calls.within && !s.admit(srv, from) {
		return "more servers with calls in the window than the limit: reads on this server are not compared with later calls"
	}
	if latest := &s.latest[c.Category]; c.Time.After(*latest) {
		*latest = c.Time
	}
	c.Tool = cut(c.Tool)
	srv.calls.add(c, from)
	return ""
}

// admit adds a server to those with calls within the window, and reports whether there was room.
func (s *Session) admit(srv *Server, from time.Time) bool {
	if len(s.callers) == maxCallers {
		s.callers = slices.DeleteFunc(s.callers, func(o *Server) bool {
			gone := o.calls.newest.Before(from)
			if gone {
				o.calls = calls{}
			}
			return gone
		})
	}
	if len(s.callers) == maxCallers {
		return false
	}
	s.callers = append(s.callers, srv)
	srv.calls.within = true
	return true
}

// calls holds the remembered calls to one server, each category sorted by time.
type calls struct {
	within  bool // the server is in Session.callers
	newest  time.Time
	of      [capability.Categories]queue[Call]
	suspect *suspect // the last suspicious read; nil if none
}

// add records a call and drops those before the window. If there are too many, it evicts an earlier
// call to the same tool, or else the earlier of two calls to another tool, or else the oldest.
func (cs *calls) add(c *Call, from time.Time) {
	if cs.newest.IsZero() || c.Time.After(cs.newest) {
		cs.newest = c.Time
	}
	q := &cs.of[c.Category]
	for len(q.all()) > 0 && q.all()[0].Time.Before(from) {
		q.drop()
	}
	if of := q.all(); len(of) == maxCalls {
		if same := slices.IndexFunc(of, func(o Call) bool { return o.Tool == c.Tool }); same >= 0 {
			if of[same].Time.After(c.Time) {
				return
			}
			q.remove(same)
		} else if i := repeated(of); i >= 0 {
			q.remove(i)
		}
	}
	q.insert(*c, maxCalls, func(o Call) bool { return o.Time.After(c.Time) })
}

// repeated returns the index of the first call whose tool also has a later one, or -1.
func repeated(of []Call) int {
	for i := range of {
		if slices.ContainsFunc(of[i+1:], func(o Call) bool { return o.Tool == of[i].Tool }) {
			return i
		}
	}
	return -1
}

// Call returns the call that the message reports, or nil if it reports none.
func (p *JudgePass) Call() *Call { return p.call }

// Earlier returns the calls of a category to the session's other servers within the window before
// the current call, including calls at either end of the window, except those that cannot have
// returned anything yet. If sameTurn is set, it returns
// only those made in the same turn. The servers are in the order of their first call; a server's
// calls are in order from last to first.
func (p *JudgePass) Earlier(category capability.Category, window time.Duration, sameTurn bool) iter.Seq[*Call] {
	return func(yield func(*Call) bool) {
		if p.call == nil || p.Now.IsZero() {
			return
		}
		from := p.Now.Add(-window)
		if p.Session.latest[category].Before(from) {
			return
		}
		for _, srv := range p.Session.callers {
			if srv == p.Server || sameTurn && p.call.Request == "" && len(srv.pending[mcp.ClientToServer].open) == 0 {
				continue
			}
			of := srv.calls.of[category].all()
			for i := len(of) - 1; i >= 0 && !of[i].Time.Before(from); i-- {
				if of[i].Time.After(p.Now) || srv.unanswered(&of[i]) || sameTurn && !p.sameTurn(srv, &of[i]) {
					continue
				}
				if !yield(&of[i]) {
					return
				}
			}
		}
	}
}

// unanswered reports whether a call still waits for its answer. It is false for calls with a model
// request, which the agentsh design compares by their order alone, and for calls made before the
// server's first answer, because a recording may lack answers. It is also false once a message was
// not read, because that message could be the answer.
func (srv *Server) unanswered(c *Call) bool {
	return c.Awaited && c.Request == "" && !srv.unread && srv.open(c)
}

// unread notes that a server may have answered in a message that was not read, such as one that is too
// long.
func (j *judge) unread(e *Event) {
	if s := j.sessions[e.Session]; s != nil && s.Servers[e.Server] != nil {
		s.Servers[e.Server].unread = true
	}
}

// open reports whether a call's request is open.
func (srv *Server) open(c *Call) bool {
	asked, ok := srv.pending[mcp.ClientToServer].open[c.ID]
	return ok && c.ID != "" && asked.Time.Equal(c.Time)
}

// sameTurn reports whether an earlier call and the current one were made in the same model turn:
// in the response to the same model request or, if no request is recorded for either call, before
// the earlier call was answered.
func (p *JudgePass) sameTurn(srv *Server, earlier *Call) bool {
	if p.call.Request != "" || earlier.Request != "" {
		return p.call.Request == earlier.Request
	}
	return srv.open(earlier)
}

// RateLimit returns the current server's rate limit.
func (p *JudgePass) RateLimit() RateLimit { return p.Limits.of(p.Server.ID) }
