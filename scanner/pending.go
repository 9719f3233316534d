package scanner

import (
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
)

// PendingCall is a request that has no response yet.
type PendingCall struct {
	Method   string
	Target   string
	ID       string // raw id; a long one is truncated
	Time     time.Time
	NoCursor bool // it requests a page with the empty cursor
}

// ask returns the open request for a message. A request about a task of a call belongs to the call, and
// tasks/result is answered with the call's result.
func (srv *Server) ask(m *Message, from mcp.Direction, at time.Time) PendingCall {
	of, known := srv.tasks[m.Task]
	if !known || from != mcp.ClientToServer {
		return PendingCall{m.Method, m.Target, cut(m.ID), at, m.NoCursor}
	}
	if m.Method != "tasks/result" {
		of.Method = m.Method
	}
	return of
}

// begin remembers the task that runs a call. It returns false if there are too many.
func (srv *Server) begin(task uint64, call PendingCall) bool {
	if _, again := srv.tasks[task]; !again && len(srv.tasks) >= maxPending {
		return false
	}
	set(&srv.tasks, task, call)
	return true
}

// maxPending bounds the open requests from each side of a connection, so that one side cannot crowd
// out the other. A typical client has a handful of them.
const maxPending = 4096

// requests holds one side's open requests by raw id.
type requests map[string]PendingCall

// put adds a request, replacing one with the same id. It returns false if there are too many.
func (r *requests) put(id string, c PendingCall) bool {
	if _, again := (*r)[id]; !again && len(*r) >= maxPending {
		return false
	}
	set((*map[string]PendingCall)(r), id, c)
	return true
}

// take removes the request with an id, and reports whether there was one.
func (r requests) take(id string) (c PendingCall, open bool) {
	c, open = r[id]
	delete(r, id)
	return c, open
}
