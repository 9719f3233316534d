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
	held     *Call  // the request, if it was blocked; nil if its server has it
	Sent     string // id as in ID, but of the request itself if it belongs to the call of a task
}

// ask returns the open request for a message. A request about a task of a call belongs to the call, and
// tasks/result is answered with the call's result.
func (srv *Server) ask(m *Message, from mcp.Direction, at time.Time) PendingCall {
	of, known := srv.tasks[m.Task]
	if !known || from != mcp.ClientToServer {
		return PendingCall{Method: m.Method, Target: m.Target, ID: cut(m.ID), Time: at, NoCursor: m.NoCursor, Sent: cut(m.ID)}
	}
	of.Sent, of.held = cut(m.ID), nil
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

// hold remembers that the open request with an id was blocked. If its server answers it nevertheless,
// the block was not enforced, as in a recording.
func (r requests) hold(id string, c *Call) {
	if open, ok := r[id]; ok && c != nil {
		open.held = c
		r[id] = open
	}
}

// key returns the id of the request that a response with this id answers. Some clients, such as the
// TypeScript SDK, compare ids as numbers.
func (r requests) key(id string) string {
	if _, open := r[id]; open || len(r) == 0 || id == "" {
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

// take removes the request that a response with an id answers, and reports whether there was one.
func (r requests) take(id string) (c PendingCall, open bool) {
	id = r.key(id)
	c, open = r[id]
	delete(r, id)
	return c, open
}
