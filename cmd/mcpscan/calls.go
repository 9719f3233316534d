package main

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

type callsCmd struct {
	queryFlags
	Action string `help:"Only calls with this outcome or decision: ok, error, pending, allow, block." default:"" enum:",ok,error,pending,allow,block"`
}

// callRow is one row of the output of mcpscan calls.
type callRow struct {
	Time     time.Time `json:"timestamp,omitzero"`
	Session  string    `json:"session"`
	Server   string    `json:"server"`
	Tool     string    `json:"tool"`
	ID       string    `json:"id"`
	Action   string    `json:"action"`   // ok, error or pending; in an audit log without the result, allow or block, as the engine decided
	Decision string    `json:"decision"` // allow or block, according to the session rules, the policy, the answer to a question, or the engine that wrote the log
	Rule     string    `json:"rule"`     // rule that decided, if any
	Reason   string    `json:"reason"`
	Took     string    `json:"took"`              // from the call to its result; empty if either has no timestamp
	Address  string    `json:"address,omitempty"` // address of the connection made for the call, if the log reports one
	File     string    `json:"file"`
	Line     int       `json:"line"`

	told string // type of the audit event; "" for a frame, or after the second event about the call
}

func (r callRow) when() time.Time { return r.Time }

// Run lists the calls.
func (c *callsCmd) Run(ctx context.Context, std streams) error {
	calls := callList{open: map[string]int{}, last: map[string]int{}}
	err := c.run(ctx, std, sink{event: func(e *scanner.Event, out *scanner.Outcome) {
		for i := range out.Messages {
			calls.see(e, &out.Messages[i])
		}
	}})
	if err != nil {
		return err
	}
	rows := []callRow{}
	for _, r := range calls.rows {
		if c.has(r.Session, r.Server, r.Tool) && (c.Action == "" || c.Action == r.Action || c.Action == r.Decision) {
			rows = append(rows, r)
		}
	}
	return show(&c.queryFlags, std, rows, func(rows []callRow) *table {
		head := []string{"time", "session", "server", "tool", "id", "action", "took", "decision", "line"}
		connections := slices.ContainsFunc(rows, func(r callRow) bool { return r.Address != "" })
		if connections {
			head = append(head, "connection")
		}
		t := newTable(head...)
		for _, r := range rows {
			decision := r.Decision
			if r.Rule != "" {
				decision += " (" + r.Rule + ")"
			}
			cells := []string{stamp(r.Time), r.Session, r.Server, r.Tool, r.ID, r.Action, r.Took, decision, strconv.Itoa(r.Line)}
			if connections {
				cells = append(cells, r.Address)
			}
			t.add(cells...)
		}
		return t
	})
}

// callList holds the calls in a recording.
type callList struct {
	rows []callRow
	open map[string]int // calls without a result, by session, server and id
	last map[string]int // the last call reported by an audit log, by session and server
}

// see processes a message.
func (l *callList) see(e *scanner.Event, m *scanner.Judged) {
	key := e.Session + "\x00" + e.Server + "\x00" + m.ID
	switch {
	case isCall(e, m) && m.Kind == mcp.Audit:
		l.audited(e, m, key)
	case isCall(e, m):
		l.open[key] = l.add(e, m, "pending", "")
	case m.Kind == mcp.Audit && m.Method == "mcp_approval":
		if i, ok := l.open[key]; ok && m.ID != "" {
			l.rows[i].Action, l.rows[i].Decision = m.Action, m.Action
		}
	case m.Kind == mcp.Audit && m.Method == "mcp_network_connection":
		l.connected(e)
	case m.Kind == mcp.Response && e.Direction != mcp.ClientToServer, m.Kind == mcp.Audit && m.Method == "mcp_output_inspection" && m.ID != "":
		if i, ok := l.open[key]; ok {
			l.rows[i].finish(e, m)
			delete(l.open, key)
		}
	}
}

// isCall reports whether a message calls a tool, or is an audit event about a call.
func isCall(e *scanner.Event, m *scanner.Judged) bool {
	switch m.Kind {
	case mcp.Request:
		return m.Method == "tools/call" && e.Direction != mcp.ServerToClient
	case mcp.Audit:
		return m.Method == "mcp_tool_called" || m.Method == "mcp_tool_call_intercepted"
	}
	return false
}

func (l *callList) add(e *scanner.Event, m *scanner.Judged, action, told string) int {
	r := callRow{Time: e.Recorded(), Session: e.Session, Server: e.Server, Tool: m.Target, ID: m.ID, Action: action, Decision: "allow",
		File: e.Origin.File, Line: e.Origin.Line, told: told}
	r.decide(m)
	l.rows = append(l.rows, r)
	return len(l.rows) - 1
}

func (r *callRow) decide(m *scanner.Judged) {
	switch d := &m.Decision; {
	case d.Verdict == scanner.Block || d.Verdict == scanner.Prompt:
		r.Decision, r.Rule, r.Reason = "block", d.Rule, text.Visible(text.Mask(d.Reason), 400)
	case m.Kind == mcp.Audit && scanner.Refuses(m.Action):
		r.Decision = "block"
	}
}

// sameCall is the maximum time between two audit events that report the same call.
const sameCall = 100 * time.Millisecond

// audited adds a call from an audit log, which may report it twice: when the client made it, and when
// the engine decided on it.
func (l *callList) audited(e *scanner.Event, m *scanner.Judged, key string) {
	of := e.Session + "\x00" + e.Server
	if i, ok := l.last[of]; ok && l.rows[i].reportsSameCall(e, m) {
		r := &l.rows[i]
		r.told, r.ID = "", max(r.ID, m.ID)
		if m.Action != "" {
			r.Action = m.Action
		}
		r.decide(m)
		return
	}
	i := l.add(e, m, cmp.Or(m.Action, "allow"), m.Method) // an engine that logs no decision allowed the call
	l.last[of] = i
	if m.ID != "" {
		l.open[key] = i
	}
}

// connected adds the address of a connection to the server's last call, if that call came just before.
func (l *callList) connected(e *scanner.Event) {
	for i := len(l.rows) - 1; i >= 0; i-- {
		r := &l.rows[i]
		if r.Session != e.Session || r.Server != e.Server {
			continue
		}
		if apart := e.Time.Sub(r.Time); r.Address == "" && apart >= 0 && apart <= sameCall {
			var doc wire.Doc
			if doc.Parse(e.Frame) == nil {
				r.Address = text.Visible(cmp.Or(mcp.AuditField(&doc, 0, "remote_addr"), mcp.AuditField(&doc, 0, "remote")), 200)
			}
		}
		return
	}
}

// reportsSameCall reports whether a message is the second audit event about the row's call.
func (r *callRow) reportsSameCall(e *scanner.Event, m *scanner.Judged) bool {
	apart := e.Time.Sub(r.Time).Abs()
	return r.told != "" && r.told != m.Method && apart <= sameCall && (r.ID == m.ID || r.ID == "" || m.ID == "") &&
		(r.Tool == m.Target || strings.HasSuffix(m.Target, "__"+r.Tool) || strings.HasSuffix(r.Tool, "__"+m.Target))
}

// finish sets the outcome of a call. A call with a result took place, even if the decision is block: in
// the audit log of a replay, the decision is made after the call.
func (r *callRow) finish(e *scanner.Event, m *scanner.Judged) {
	r.Action = "ok"
	if m.IsError {
		r.Action = "error"
	}
	if now := e.Recorded(); !r.Time.IsZero() && !now.IsZero() {
		r.Took = now.Sub(r.Time).Round(time.Microsecond).String() // a proxy advances equal times by nanoseconds
	}
}
