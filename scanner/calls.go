package scanner

import (
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/capability"
	"github.com/mcpscan/mcpscan/internal/mcp"
)

// Call is one call of a tool by the client, or one reading of a resource, as those after
// it are compared with it.
type Call struct {
	Time     time.Time
	Category capability.Category
	Refused  bool // the recording says that it was blocked
	Server   string
	Tool     string // a long name is cut
	Request  string // of a model, that it was made in answer to; "" where the recording does not say
	ID       string // of the JSON-RPC request; "" where there was none
	Location Location
}

// The bounds of remembered calls. They apply to each server and category, so that no number of
// cheap calls pushes out reads on other servers.
const (
	maxCalls   = 32 // of a server in one category, the last of each tool among them
	maxCallers = 64 // servers with calls within the window
)

// The sources that a recording can have one call from, the surest last: the proxy of
// a model, an audit of the connection, the connection itself.
const (
	intercepted = 1 + iota
	audited
	framed
)

// callSource returns where a message reports a call from, 0 where it reports none.
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

// refusals are the words of audit logs for a call that did not take place.
var refusals = map[string]bool{"block": true, "blocked": true, "deny": true, "denied": true}

// Refuses reports a word of an audit log for a call that did not take place.
func Refuses(action string) bool { return refusals[strings.ToLower(action)] }

// call returns the call that a message reports, nil where it reports none, or of
// one that the recording also has from a surer source. It counts the call: the first from
// a surer source takes the place of those counted before, which may be the same ones.
func (j *judge) call(srv *Server, e *Event, from mcp.Direction, m *Judged) *Call {
	source := callSource(m.Message, from, e.Told)
	if source == 0 {
		return nil
	}
	refused := m.Kind == mcp.Audit && Refuses(m.Action)
	if refused && source < srv.source && e.Time.Equal(srv.called.at) && m.Target == srv.called.tool {
		return nil // what was decided about a call that is known
	}
	if !refused {
		if source < srv.source {
			return nil
		}
		if source > srv.source { // those before may be the same calls
			m.Calls -= srv.counted
			srv.source, srv.recent, srv.bucket, srv.counted = source, recent{}, bucket{}, 0
		}
		srv.counted++
		srv.called.at, srv.called.tool = e.Time, m.Target
	}
	m.Calls++
	j.current = Call{Server: srv.ID, Tool: m.Target, Category: m.Category, Time: e.Time, Request: cut(e.Request), ID: cut(m.ID),
		Refused: refused, Location: j.places.At(m.Offset)}
	if known := srv.Tools[m.Target]; known != nil {
		j.current.Category, m.Tool = known.Definition.Category, srv.Current(m.Target)
	}
	if said := j.engine.limits.Category; said != nil {
		if c, ok := said(srv.ID, m.Target); ok {
			j.current.Category = c
		}
	}
	return &j.current
}

// resource returns the reading of a resource as a call for later comparisons, nil if the
// message reads none. It does not count as a call: clients read many at once.
func (j *judge) resource(srv *Server, e *Event, from mcp.Direction, m *Judged) *Call {
	if from != mcp.ClientToServer || m.Kind != mcp.Request || m.Method != "resources/read" {
		return nil
	}
	j.current = Call{Server: srv.ID, Tool: m.Target, Category: capability.Read, Time: e.Time, Request: cut(e.Request), ID: cut(m.ID), Location: j.places.At(m.Offset)}
	return &j.current
}

// cut returns the remembered part of a long text.
func cut(s string) string {
	if len(s) > nameChars {
		return strings.Clone(s[:nameChars])
	}
	return s
}

// count counts a call against the limits of its server, and returns those it exceeds. Calls
// without a time are not counted.
func (srv *Server) count(c *Call, l *Limits) (broken broken) {
	if !c.Time.IsZero() {
		broken.over, broken.burst, broken.began = srv.recent.add(stamp{c.Time, c.Location}, l, c.Refused)
		broken.empty, broken.rate = srv.bucket.take(c.Time, l.of(srv.ID), c.Refused)
	}
	return broken
}

// broken are the limits that a call breaks.
type broken struct {
	over, empty bool     // the call is beyond a limit
	burst, rate bool     // and the first that is
	began       Location // of the burst
}

// record remembers a call that took place for as long as the window lasts, by its own
// time. It returns why it was not remembered, "" where there is nothing to tell.
func (s *Session) record(srv *Server, c *Call, window time.Duration) (lost string) {
	if c.Refused || c.Time.IsZero() {
		return ""
	}
	if s.newest.IsZero() || c.Time.After(s.newest) {
		s.newest = c.Time
	}
	from := s.newest.Add(-window)
	if c.Time.Before(from) {
		return "a call is older than the window of its session: later calls are not compared with it"
	}
	if !srv.calls.within && !s.admit(srv, from) {
		return "more servers with calls in the window than the limit: reads on this one are not compared with later calls"
	}
	if latest := &s.latest[c.Category]; c.Time.After(*latest) {
		*latest = c.Time
	}
	c.Tool = cut(c.Tool)
	srv.calls.add(c, from)
	return ""
}

// admit makes place for a server among those with calls within the window.
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

// calls are those of one server that are remembered, each category by time.
type calls struct {
	within  bool // the server is among those with calls within the window
	newest  time.Time
	of      [capability.Categories]queue[Call]
	suspect *suspect // nil for none
}

// add remembers a call, and forgets those before the window. Where there are too many,
// an earlier one of the same tool makes place, or else the oldest.
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
		}
	}
	q.insert(*c, maxCalls, func(o Call) bool { return o.Time.After(c.Time) })
}

// Call returns the call that the message reports, nil where it reports none.
func (p *JudgePass) Call() *Call { return p.call }

// Earlier visits the calls of a category on other servers of the session that were
// made in the time before the call at hand, its own instant and the first of the
// window included, or those of them that were made in the same turn: by server, in the
// order of their first calls, the last call first.
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
			if srv == p.Server || sameTurn && p.call.Request == "" && srv.pending[mcp.ClientToServer].len() == 0 {
				continue
			}
			of := srv.calls.of[category].all()
			for i := len(of) - 1; i >= 0 && !of[i].Time.Before(from); i-- {
				if of[i].Time.After(p.Now) || sameTurn && !p.sameTurn(srv, &of[i]) {
					continue
				}
				if !yield(&of[i]) {
					return
				}
			}
		}
	}
}

// sameTurn reports whether an earlier call and the one at hand were made in one turn
// of the model: in answer to the same request, or, where the recording does not say
// that of either, before the earlier one had its answer.
func (p *JudgePass) sameTurn(srv *Server, earlier *Call) bool {
	if p.call.Request != "" || earlier.Request != "" {
		return p.call.Request == earlier.Request
	}
	open, ok := srv.pending[mcp.ClientToServer].get(earlier.ID)
	return ok && earlier.ID != "" && open.Time.Equal(earlier.Time)
}

// Bursting reports whether the call at hand is more than the limit of its server allows
// within the window.
func (p *JudgePass) Bursting() bool { return p.broken.over }

// Burst reports whether the call at hand is the first of its server that is more than
// the limit allows within the window, and where the calls of that window begin.
func (p *JudgePass) Burst() (bool, Location) { return p.broken.burst, p.broken.began }

// OverRate reports whether the bucket of its server has no token for the call at hand.
func (p *JudgePass) OverRate() bool { return p.broken.empty }

// RateExceeded reports whether the call at hand is the first for which the bucket of
// its server has no token, since that was full.
func (p *JudgePass) RateExceeded() bool { return p.broken.rate }

// RateLimit returns the limit of the server at hand.
func (p *JudgePass) RateLimit() RateLimit { return p.Limits.of(p.Server.ID) }
