package scanner

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// PendingCall is a request that has no response yet.
type PendingCall struct {
	Method   string
	Target   string
	ID       string // raw id; a long one is truncated
	Time     time.Time
	NoCursor bool   // it requests a page with the empty cursor
	Sent     string // id of this request; it differs from ID, the id of a call, if the request is about the call's task
	held     *Call  // the request, if it is a blocked call or read; nil if the server received it
	side     mcp.Side
	disputed bool // of a server's request: a response that may have answered it counts as the server's own
	refused  bool // it was refused, and no other open request has its ID
	count    int  // open requests with the same ID, such as those of two clients in one session
}

// ask returns the open request for a message. A request about a task of a call belongs to the call, and
// tasks/result is answered with the call's result.
func (srv *Server) ask(m *Message, from mcp.Direction, e *Event) PendingCall {
	of, known := srv.tasks[m.Task]
	if !known || from != mcp.ClientToServer {
		return PendingCall{Method: m.Method, Target: m.Target, ID: cut(m.ID), Time: e.Time, NoCursor: m.NoCursor, Sent: cut(m.ID), side: e.Side}
	}
	of.Sent, of.held, of.refused, of.side = cut(m.ID), nil, false, e.Side
	if m.Method != "tasks/result" {
		of.Method = m.Method
	}
	return of
}

// begin remembers the task that runs a call. It returns false if the server has too many tasks.
func (srv *Server) begin(task uint64, call PendingCall) bool {
	if _, again := srv.tasks[task]; !again && len(srv.tasks) >= maxPending {
		return false
	}
	set(&srv.tasks, task, call)
	return true
}

// maxPending bounds the open requests from each side of a connection, so that one side cannot crowd
// out the other, and a server's tasks. A typical client has a handful of each.
const maxPending = 4096

// requests holds one side's open requests by raw id.
type requests struct {
	open    map[string]PendingCall
	refused queue[string] // ids of the requests refused last
}

// put adds a request. An earlier request with the same id remains open, unless it was refused. put
// returns false if too many requests are open.
func (r *requests) put(id string, c PendingCall) bool {
	before, again := r.open[id]
	if !again && len(r.open) >= maxPending {
		return false
	}
	if c.count = 1; !before.refused {
		c.count += before.count
	}
	set(&r.open, id, c)
	return true
}

// refuse remembers that the open request with an id was refused. If the request is a call or read
// that was blocked, c is that call; otherwise, c is nil. If the server answers the request
// nevertheless, the refusal was not enforced, as in a replay. At most maxPending/2 refused
// requests are kept, because most of them are never answered.
func (r *requests) refuse(id string, c *Call) {
	open, ok := r.open[id]
	if open.count > 1 || !ok {
		r.remove(id)
		return
	}
	open.refused, open.held = true, c
	r.open[id] = open
	if of := r.refused.all(); len(of) == maxPending/2 {
		oldest := of[0]
		r.refused.drop()
		if r.open[oldest].refused {
			delete(r.open, oldest)
		}
	}
	r.refused.insert(id, maxPending/2, func(string) bool { return false })
}

// remove removes one of the open requests with the given id.
func (r *requests) remove(id string) {
	c, ok := r.open[id]
	if c.count--; c.count > 0 {
		r.open[id] = c
	} else if ok {
		delete(r.open, id)
	}
}

// key returns the id of the request that a response with this id answers. Some clients, such as the
// TypeScript SDK, compare ids as numbers.
func (r *requests) key(id string) string {
	if _, open := r.open[id]; open || len(r.open) == 0 || id == "" {
		return id
	}
	text := id
	if strings.HasPrefix(id, `"`) {
		text = strings.TrimSpace(string(wire.AppendUnquoted(nil, []byte(id))))
	}
	if n, err := strconv.ParseFloat(cmp.Or(text, "0"), 64); err == nil && n == math.Trunc(n) && math.Abs(n) < 1<<53 {
		return strconv.FormatInt(int64(n), 10)
	}
	if n, err := strconv.ParseInt(text, 0, 64); err == nil { // 0x, 0o or 0b
		return strconv.FormatInt(n, 10)
	}
	return id
}

// find returns the open request that a response with the given id answers.
func (r *requests) find(id string) (c PendingCall, open bool) {
	c, open = r.open[r.key(id)]
	return c, open
}

// take removes the request that a response with an id answers, and reports whether there was one.
func (r *requests) take(id string) (c PendingCall, open bool) {
	id = r.key(id)
	c, open = r.open[id]
	r.remove(id)
	return c, open
}
