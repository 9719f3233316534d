package scanner

import (
	"slices"

	"github.com/mcpscan/mcpscan/internal/mcp"
)

// direction returns who sent a message. If the event has no direction, it follows from what the log
// calls sent and received, as far as that is known, then from the open requests that a response can
// answer, and then from the method.
func (srv *Server) direction(e *Event, m *Message) mcp.Direction {
	switch {
	case e.Direction != mcp.Unknown:
		return e.Direction
	case srv.sideGivesDirection(e):
		if e.Side == mcp.Sent {
			return srv.sentDirection
		}
		return opposite(srv.sentDirection)
	case m.Kind == mcp.Response && srv.clientAnswers(e.Side, m.ID):
		return mcp.ClientToServer
	}
	return likelyDirection(m)
}

// sideGivesDirection reports whether the direction of an event follows from what its log calls sent and received.
func (srv *Server) sideGivesDirection(e *Event) bool {
	return e.Side != mcp.NoSide && srv.sentDirection != mcp.Unknown
}

// likelyDirection returns the direction that a message by itself suggests: responses, and methods in
// fromServer, come from the server, and other requests and notifications come from the client.
func likelyDirection(m *Message) mcp.Direction {
	if m.Kind == mcp.Request || m.Kind == mcp.Notification {
		if !fromServer[m.Method] {
			return mcp.ClientToServer
		}
	}
	return mcp.ServerToClient
}

// clientAnswers reports whether a response without a direction can only answer a request of the
// server. A response with the ID of a request of the client counts as the server's, even if the
// server has sent a request with that ID too; so does the next one.
func (srv *Server) clientAnswers(side mcp.Side, id string) bool {
	asked, open := srv.pending[mcp.ServerToClient].find(id)
	if !open || asked.disputed || !asked.answeredBy(side) {
		return false
	}
	own, open := srv.pending[mcp.ClientToServer].find(id)
	return !open || !own.answeredBy(side)
}

// answeredBy reports whether a response on the given side of the log can answer the request.
func (c PendingCall) answeredBy(side mcp.Side) bool { return side == mcp.NoSide || side != c.side }

// learnSide determines what the log of a server calls sent, from the result of a request that only one side
// sends. A request alone is no proof: a server can send a request of the client, but the client does
// not answer it with a result.
func (srv *Server) learnSide(e *Event, m *Message, asked PendingCall) {
	if e.Side == mcp.NoSide || asked.side == mcp.NoSide || e.Side == asked.side || m.IsError || srv.sentDirection != mcp.Unknown {
		return
	}
	switch {
	case fromServer[asked.Method]:
		srv.sentDirection = mcp.ServerToClient
	case fromClient[asked.Method] || listMethods[asked.Method]:
		srv.sentDirection = mcp.ClientToServer
	default:
		return
	}
	if asked.side == mcp.Received {
		srv.sentDirection = opposite(srv.sentDirection)
	}
}

// dispute marks the server's open request with the ID of a response that answered the client's request
// with the same ID. If the response answered none, it removes the marked request.
func (srv *Server) dispute(id string, answered bool) {
	theirs := &srv.pending[mcp.ServerToClient]
	asked, open := theirs.find(id)
	switch {
	case open && answered:
		asked.disputed = true
		theirs.open[theirs.key(id)] = asked
	case open && asked.disputed:
		theirs.remove(theirs.key(id))
	}
}

// Disputed reports whether the current response, whose sender was not recorded, may be the client's: both
// sides had an open request with its ID.
func (p *JudgePass) Disputed() bool {
	asked, open := p.Server.pending[mcp.ServerToClient].find(p.Message.ID)
	return open && asked.disputed && p.event.Direction == mcp.Unknown
}

// dropResultFindings drops the findings in the result or error of a response that turned out to be the client's,
// except those of rules that inspect what a client sends.
func (j *judge) dropResultFindings(message int) {
	before := len(j.found.all)
	j.found.all = slices.DeleteFunc(j.found.all, func(f Finding) bool {
		return f.message == message && !f.Rule.Client && (f.Subject == mcp.ResultSubject || f.Subject == mcp.ErrorSubject)
	})
	j.found.own -= before - len(j.found.all)
}

// listMethods lists the requests without free text that only a client sends.
var listMethods = map[string]bool{
	"server/discover": true, "tools/list": true, "prompts/list": true, "resources/list": true, "resources/templates/list": true,
}

// fromServer lists the methods that are attributed to the server if the direction is unknown.
var fromServer = map[string]bool{
	"sampling/createMessage": true, "elicitation/create": true, "roots/list": true,
	"notifications/message": true, "notifications/tools/list_changed": true,
	"notifications/prompts/list_changed": true, "notifications/resources/list_changed": true,
	"notifications/resources/updated": true, "notifications/elicitation/complete": true,
	"notifications/tasks": true, "notifications/tasks/status": true,
	"notifications/subscriptions/acknowledged": true,
}

func opposite(d mcp.Direction) mcp.Direction {
	switch d {
	case mcp.ClientToServer:
		return mcp.ServerToClient
	case mcp.ServerToClient:
		return mcp.ClientToServer
	}
	return mcp.Unknown
}
