package live

import (
	"encoding/json"
	"strconv"
	"strings"
)

const (
	versionModern = "2026-07-28"
	versionLegacy = "2025-11-25" // the newest version with an initialize handshake

	// All client capabilities, so that servers hide no tools.
	capabilitiesLegacy = `{"roots":{"listChanged":true},"sampling":{},"elicitation":{}}`
	capabilitiesModern = `{"roots":{},"sampling":{},"elicitation":{}}`

	codeNotFound   = -32601 // JSON-RPC: method not found
	codeVersion    = -32022 // MCP 2026-07-28: UnsupportedProtocolVersion
	refusedByUser  = -1     // the code that the specification uses in its example of a refused sampling request
	methodDiscover = "server/discover"
	methodStart    = "initialize"
	methodStarted  = "notifications/initialized"
)

// outgoing is one message that we send.
type outgoing struct {
	id      string // the raw token, "" for notifications and responses
	method  string // "" for responses
	version string // for the MCP-Protocol-Version header, "" for none
	data    []byte
}

// knownLegacy returns the versions that a server may choose in initialize.
func knownLegacy() []string {
	return []string{versionLegacy, "2025-06-18", "2025-03-26", "2024-11-05"}
}

// object returns a JSON object with the given JSON members.
func object(members ...string) string { return "{" + strings.Join(members, ",") + "}" }

// member returns one object member: a quoted name and a raw JSON value.
func member(name, raw string) string { return quoted(name) + ":" + raw }

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""` // a string always marshals
	}
	return string(b)
}

func (o Options) clientInfo() string {
	return object(member("name", quoted(o.ClientName)), member("version", quoted(o.ClientVersion)))
}

// meta returns the _meta of a modern request, which carries what a legacy session
// would remember.
func (o Options) meta() string {
	const prefix = "io.modelcontextprotocol/"
	return member("_meta", object(
		member(prefix+"protocolVersion", quoted(versionModern)),
		member(prefix+"clientInfo", o.clientInfo()),
		member(prefix+"clientCapabilities", capabilitiesModern),
	))
}

func (o Options) initializeParams(version string) string {
	return object(
		member("protocolVersion", quoted(version)),
		member("capabilities", capabilitiesLegacy),
		member("clientInfo", o.clientInfo()),
	)
}

// request returns a request, or a notification if id is empty.
func request(id, method, params string) []byte {
	parts := []string{`"jsonrpc":"2.0"`}
	if id != "" {
		parts = append(parts, member("id", id))
	}
	parts = append(parts, member("method", quoted(method)))
	if params != "" {
		parts = append(parts, member("params", params))
	}
	return []byte(object(parts...))
}

// answerTo answers a server's request so that the server does not wait for us. It reveals nothing
// and agrees to nothing.
func answerTo(m message) []byte {
	body := ""
	switch m.method {
	case "ping":
		body = `"result":{}`
	case "roots/list":
		body = `"result":{"roots":[]}`
	case "elicitation/create":
		body = `"result":{"action":"decline"}`
	case "sampling/createMessage":
		body = refusal(refusedByUser, "sampling is refused: this client only lists definitions")
	default:
		body = refusal(codeNotFound, "method not found: this client only lists definitions")
	}
	return []byte(object(`"jsonrpc":"2.0"`, member("id", m.id), body))
}

func refusal(code int, words string) string {
	return member("error", object(member("code", strconv.Itoa(code)), member("message", quoted(words))))
}
