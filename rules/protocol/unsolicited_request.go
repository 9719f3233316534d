package protocol

import (
	"fmt"
	"slices"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// clientMethods are requests that only a client may send.
var clientMethods = map[string]bool{
	"initialize": true, "server/discover": true, "tools/list": true, "tools/call": true, "prompts/list": true, "prompts/get": true,
	"resources/list": true, "resources/read": true, "resources/templates/list": true, "resources/subscribe": true,
	"resources/unsubscribe": true, "completion/complete": true, "logging/setLevel": true, "subscriptions/listen": true,
}

// needed maps server requests to the client capability that they require.
var needed = map[string]string{"sampling/createMessage": "sampling", "elicitation/create": "elicitation", "roots/list": "roots"}

const (
	// lastWithRequests is the last protocol version in which servers send requests. Since
	// 2026-07-28, results contain them.
	lastWithRequests = "2025-11-25"
	// elicitationRequired is the error code with which a server asks the client to open a URL. It
	// was removed in 2026-07-28.
	elicitationRequired = "-32042"
)

var UnsolicitedRequest = scanner.Rule{
	ID:         "prt-unsolicited-request",
	Category:   "protocol",
	Title:      "A server sends a request that it is not allowed to send",
	Why:        "A request for a capability that the client did not declare can reach a person or a model although the client does not support it. In a log, a request that only clients may send can be mistaken for a client's call.",
	Fix:        "Treat the server as hostile, or have it fixed. Make the client refuse requests whose capability it did not declare.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The specification assigns each request to one side, and ties sampling, elicitation and roots to capabilities; a capability counts as missing only if the client's capabilities are known. A request that only clients may send, or that the protocol version does not define, is rated medium. Sampling or elicitation while no client request is open is rated low: versions before 2026-07-28 allow it, but its purpose is not evident.",
	Refs:       []string{"OWASP-MCP:MCP06", "OWASP-LLM:LLM06", "CWE-346"},
	On:         mcp.OnQuestion,
	Judge: func(p *scanner.JudgePass) {
		m := p.Message
		if p.Direction != mcp.ServerToClient {
			return
		}
		switch m.Kind {
		case mcp.Request:
			severity, why := unsolicited(p)
			reportRequest(p, severity, why, m.Method, "/method")
		case mcp.Response, mcp.Notification:
			at := "/result/inputRequests"
			if m.Kind == mcp.Notification {
				at = "/params/inputRequests"
			}
			for i := range m.Asks {
				if method := m.Asks[i].Method; undeclared(p.Server.Client, needed[method]) {
					reportRequest(p, scanner.High, "although the client did not declare the capability", method, at)
				}
			}
			if m.Code == elicitationRequired && undeclared(p.Server.Client, "elicitation") {
				reportRequest(p, scanner.High, "in an error, although the client did not declare the capability", "elicitation/create", "/error/code")
			}
		}
	},
}

func reportRequest(p *scanner.JudgePass, severity scanner.Severity, why, method, pointer string) {
	if why == "" {
		return
	}
	p.Report(scanner.JudgeIssue{Severity: severity, Subject: mcp.MessageSubject, Pointer: pointer, Offset: p.Message.Offset,
		Message: fmt.Sprintf("server %s sends the request %s, %s", text.QuoteName(p.Server.ID), text.QuoteName(method), why), Evidence: method, Key: method + why})
}

// unsolicited describes what is wrong with a server's request, or returns "" if nothing is.
func unsolicited(p *scanner.JudgePass) (scanner.Severity, string) {
	method, client := p.Message.Method, p.Server.Client
	spoken := p.Server.Info.Protocol
	if spoken == "" && client != nil {
		spoken = client.Protocol
	}
	switch {
	case clientMethods[method]:
		return scanner.Medium, "which only a client may send"
	case needed[method] == "":
		return 0, ""
	case undeclared(client, needed[method]):
		return scanner.High, "although the client did not declare the capability"
	case client != nil && version(spoken) && spoken > lastWithRequests:
		return scanner.Medium, "which its protocol version does not define"
	case method != "roots/list" && p.Server.Asked && !p.Asking():
		return scanner.Low, "while no client request is open"
	}
	return 0, ""
}

// undeclared reports whether the client is known and did not declare a capability.
func undeclared(c *mcp.ClientInfo, capability string) bool {
	return c != nil && capability != "" && !slices.Contains(c.Capabilities, capability)
}
