package proxy

import (
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// allowed asks about a request from the client. Over HTTP it never asks through the client: the
// proxy has no stream that the client is sure to read.
func (x *exchange) allowed(body []byte, out *scanner.Outcome) bool {
	frame := frameOf(body)
	if x.at.mask != nil {
		frame = x.at.mask(frame)
	}
	q := questionOf(&x.at, mcp.ClientToServer, frame, out)
	allowed, _ := x.gate.wait(x.in.Context(), keyOf(&x.at, mcp.ClientToServer, out.Messages[0].ID), q, len(body), nil)
	return allowed
}
