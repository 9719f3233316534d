package scanner

import (
	"slices"

	"github.com/mcpscan/mcpscan/internal/mcp"
)

// direction returns the direction of a message. If the event has none, direction uses the first of
// these that determines it: the side that sent the frame according to the log (if it is known whether
// the client or the server wrote the log), the open requests that a response can answer, the method.
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

// sideGivesDirection reports whether the direction of an event follows from its side, because it is
// known whether the client or the server wrote the log.
func (srv *Server) sideGivesDirection(e *Event) bool {
	return e.Side != mcp.NoSide && srv.sentDirection != mcp.Unknown
}

// likelyDirection guesses the direction from the message alone: responses, and methods in fromServer,
// come from the server, and other requests and notifications from the client.
func likelyDirection(m *Message) mcp.Direction {
	if m.Kind == mcp.Request || m.Kind == mcp.Notification {
		if !fromServer[m.Method] {
			return mcp.ClientToServer
		}
	}
	return mcp.ServerToClient
}

// clientAnswers reports whether a response without a direction can answer a request of the server, but
// none of the client. If both have an open request with its ID, the response counts as the server's, and
// so does the next response with this ID (see dispute).
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

// learnSide determines from an answered request which side wrote the log, if only one side may send this
// request. A request alone proves nothing: a server can send a request that only a client may send, but
// the client does not answer it with a result.
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

// dispute is called for a response of unknown direction that was attributed to the server. If it
// answered a request of the client, dispute marks the server's open request with the same ID, because
// the response may belong to that one. If it answered none, dispute removes a marked request with that
// ID: one of the two responses answered it.
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

// Disputed reports whether the current response, whose sender was not recorded, may be the client's,
// because client and server both had an open request with its ID.
func (p *JudgePass) Disputed() bool {
	asked, open := p.Server.pending[mcp.ServerToClient].find(p.Message.ID)
	return open && asked.disputed && p.event.Direction == mcp.Unknown
}

// dropResultFindings drops the findings in the result or error of a message that turned out to be the
// client's response, except those of rules that inspect the client's messages: Inspect assumed that the
// server sent the message.
func (j *judge) dropResultFindings(message int) {
	before := len(j.found.all)
	j.found.all = slices.DeleteFunc(j.found.all, func(f Finding) bool {
		return f.message == message && !f.Rule.Client && (f.Subject == mcp.ResultSubject || f.Subject == mcp.ErrorSubject)
	})
	j.found.own -= before - len(j.found.all)
}

// listMethods lists the methods that only a client sends, and whose requests contain no free text.
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
