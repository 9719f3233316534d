package live

import (
	"cmp"
	"encoding/json"
)

const (
	versionModern = "2026-07-28"
	versionLegacy = "2025-11-25" // the newest version with an initialize handshake

	// The client capabilities that some servers require before they offer all their tools.
	capabilitiesLegacy = `{"roots":{"listChanged":true},"sampling":{},"elicitation":{}}`
	capabilitiesModern = `{"roots":{},"sampling":{},"elicitation":{}}`

	codeNotFound   = -32601 // JSON-RPC: method not found
	codeVersion    = -32022 // MCP 2026-07-28: UnsupportedProtocolVersion
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

func quoted(s string) string {
	b, _ := json.Marshal(s) // a string always marshals
	return string(b)
}

func (o Options) clientInfo() string {
	return `{"name":` + quoted(o.ClientName) + `,"version":` + quoted(o.ClientVersion) + `}`
}

// meta returns the _meta of a modern request, which repeats what initialize states once in a legacy
// session.
func (o Options) meta() string {
	return `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + versionModern +
		`","io.modelcontextprotocol/clientInfo":` + o.clientInfo() +
		`,"io.modelcontextprotocol/clientCapabilities":` + capabilitiesModern + `}`
}

func (o Options) initializeParams(version string) string {
	return `{"protocolVersion":` + quoted(version) + `,"capabilities":` + capabilitiesLegacy + `,"clientInfo":` + o.clientInfo() + `}`
}

// request returns a request, or a notification if id is empty.
func request(id, method, params string) []byte {
	s := `{"jsonrpc":"2.0"`
	if id != "" {
		s += `,"id":` + id
	}
	s += `,"method":"` + method + `"`
	if params != "" {
		s += `,"params":` + params
	}
	return []byte(s + "}")
}

// answers are our answers to a server's requests. They disclose no data and decline requests for
// input.
var answers = map[string]string{
	"ping":               `"result":{}`,
	"roots/list":         `"result":{"roots":[]}`,
	"elicitation/create": `"result":{"action":"decline"}`,
	// -1 is the code that the specification uses in its example of a refused sampling request.
	"sampling/createMessage": `"error":{"code":-1,"message":"sampling is refused: this client only lists definitions"}`,
}

// answerTo returns our answer to a server's request. Without one, the server might wait for ever.
func answerTo(m message) []byte {
	body := cmp.Or(answers[m.method], `"error":{"code":-32601,"message":"method not found: this client only lists definitions"}`)
	return []byte(`{"jsonrpc":"2.0","id":` + m.id + `,` + body + `}`)
}
