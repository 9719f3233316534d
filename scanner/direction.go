package scanner

import "github.com/mcpscan/mcpscan/internal/mcp"

// direction returns d or, if it is unknown, the likely direction of the message: responses, and
// methods in fromServer, come from the server, and other requests and notifications come from the
// client.
func direction(d mcp.Direction, m *Message) mcp.Direction {
	if d != mcp.Unknown {
		return d
	}
	switch m.Kind {
	case mcp.Request, mcp.Notification:
		if fromServer[m.Method] {
			return mcp.ServerToClient
		}
		return mcp.ClientToServer
	}
	return mcp.ServerToClient
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
