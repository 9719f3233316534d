package replay

import (
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// audit decodes an audit event, flat or in agentsh's envelope.
func (d *jsonLines) audit(b *lineBuffers, e *scanner.Event, kind string, data []byte) {
	e.Kind, e.Type = scanner.AuditEvent, b.str([]byte(kind))
	if e.Server == "" {
		for _, key := range []string{"server_id", "blocked_server_id", "new_server_id"} {
			if s := mcp.AuditField(&b.doc, 0, key); s != "" {
				e.Server = b.str([]byte(s))
				break
			}
		}
	}
	if e.Request == "" {
		e.Request = mcp.AuditField(&b.doc, 0, "request_id")
	}
	switch kind {
	case "mcp_tool_called", "mcp_tool_call_intercepted":
		e.Direction = mcp.ClientToServer
	default:
		e.Direction = mcp.ServerToClient
	}
	d.embedded(b, e, 0, data)
}
