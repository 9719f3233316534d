// Package mcp models MCP messages: their kind and direction, the subjects of findings,
// definitions and their digests. It does no I/O and never reads the clock.
package mcp

import (
	"encoding/base64"
	"slices"
	"strings"
)

// Direction is the direction in which a frame was sent.
type Direction uint8

// The directions. Unknown is for logs that do not record the direction.
const (
	Unknown Direction = iota
	ClientToServer
	ServerToClient
)

// Side says whether a frame was sent or received by the side (client or server) that wrote the log.
type Side uint8

// The sides. NoSide is for logs that do not say.
const (
	NoSide Side = iota
	Sent
	Received
)

var directionNames = [...]string{"unknown", "client_to_server", "server_to_client"}

func (d Direction) String() string { return directionNames[d] }

// MessageKind is the kind of a message.
type MessageKind uint8

// The kinds of messages. Request, Notification and Response are JSON-RPC messages.
const (
	Malformed MessageKind = iota // JSON that is not a message in any protocol version
	Request
	Notification
	Response
	Document // a set of definitions outside a message
	Audit    // a report by another engine
	Lockfile // a server's entry in a lockfile
	Started  // the identity of a started server
	Removed  // the statement that a server was removed
)

var messageKindNames = [...]string{"malformed", "request", "notification", "response", "document", "audit", "lockfile", "started", "removed"}

func (k MessageKind) String() string { return messageKindNames[k] }

// SubjectKind is the kind of a finding's subject.
type SubjectKind uint8

// The subjects. Those from ToolSubject to ServerSubject are definitions, which a model reads as
// documentation.
const (
	NoSubject SubjectKind = iota
	ToolSubject
	PromptSubject
	ResourceSubject
	TemplateSubject
	ServerSubject // serverInfo, instructions, capabilities
	CallSubject   // the arguments of a call
	ResultSubject // the result of a call, a read or a get
	ErrorSubject
	NotificationSubject
	SamplingSubject
	ElicitationSubject
	MessageSubject // anything else sent on a connection
	ConfigSubject  // the contents of a client configuration
)

var subjectNames = [...]string{"", "tool", "prompt", "resource", "template", "server", "call", "result",
	"error", "notification", "sampling", "elicitation", "message", "configuration"}

func (k SubjectKind) String() string { return subjectNames[k] }

// Definition reports whether the subject is a definition that a model reads.
func (k SubjectKind) Definition() bool { return k >= ToolSubject && k <= ServerSubject }

// RawArguments is the location of a call's arguments in its frame.
type RawArguments struct {
	Start, End int // offsets in the frame; both are 0 if there are none
	Digest     Digest
}

// ServerInfo is what a server reports about itself.
type ServerInfo struct {
	Name, Title, Version, Protocol string
	Website                        string
	Icons                          []string // sources of its icons, at most maxIcons
}

// MetaServerInfo is the _meta key of the server information. Since the 2026-07-28 specification,
// servers send it with every result instead of in the result of initialize.
const MetaServerInfo = "io.modelcontextprotocol/serverInfo"

// ClientInfo is what a client reports about itself. A server may list different definitions for
// different clients.
type ClientInfo struct {
	Name         string
	Protocol     string   // version requested or spoken; "" if not stated
	Capabilities []string // names, sorted
}

// HTTPHead contains the protocol headers of an HTTP exchange, as sent.
type HTTPHead struct {
	Method     string // Mcp-Method of the request
	Name       string // Mcp-Name of the request
	Version    string // MCP-Protocol-Version of the request
	Session    string // MCP-Session-Id that the response issues; "" if the request already has it
	Authorized bool   // the request has credentials, which are not kept
	within     string // MCP-Session-Id of the request

	Params []HeadParam // Mcp-Param-* of the request, at most MaxHeadParams
}

// HeadParam is an Mcp-Param-* header, in which a client repeats an argument of a call. The name is
// the part after Mcp-Param-, in lower case.
type HeadParam struct{ Name, Value string }

// Update sets the values that a later message contains and keeps the others.
func (i *ServerInfo) Update(by *ServerInfo) {
	for _, f := range [...]struct{ now, next *string }{{&i.Name, &by.Name}, {&i.Title, &by.Title}, {&i.Version, &by.Version},
		{&i.Protocol, &by.Protocol}, {&i.Website, &by.Website}} {
		if *f.next != "" {
			*f.now = *f.next
		}
	}
	if by.Icons != nil {
		i.Icons = by.Icons
	}
}

// HeadBytes is how many bytes of a header field are kept, and MaxHeadParams is the maximum number
// of Mcp-Param-* headers.
const (
	HeadBytes     = 4096
	MaxHeadParams = 64
)

// paramField is the prefix of headers that repeat arguments.
const paramField = "mcp-param-"

// Field records a header field of a request or a response. The values of a repeated Mcp-Param-*
// header are joined.
func (h *HTTPHead) Field(request bool, name, value string) {
	if len(value) > HeadBytes {
		value = value[:HeadBytes]
	}
	switch name = strings.ToLower(name); {
	case request && name == "mcp-method":
		h.Method = value
	case request && name == "mcp-name":
		h.Name = value
	case request && name == "mcp-protocol-version":
		h.Version = value
	case request && name == "authorization":
		h.Authorized = true
	case request && name == "mcp-session-id":
		h.within = value
	case !request && name == "mcp-session-id" && value != h.within:
		h.Session = value
	case request && strings.HasPrefix(name, paramField):
		h.param(name[len(paramField):], value)
	}
}

func (h *HTTPHead) param(name, value string) {
	i := slices.IndexFunc(h.Params, func(p HeadParam) bool { return p.Name == name })
	switch {
	case i >= 0:
		all := h.Params[i].Value + ", " + value
		h.Params[i].Value = all[:min(len(all), HeadBytes)]
	case len(h.Params) < MaxHeadParams:
		h.Params = append(h.Params, HeadParam{name, value})
	}
}

// HeadText decodes the value of a header, which may be base64-encoded.
func HeadText(value string) string {
	coded, marked := strings.CutPrefix(value, "=?base64?")
	coded, ended := strings.CutSuffix(coded, "?=")
	text, err := base64.StdEncoding.DecodeString(coded)
	if !marked || !ended || err != nil {
		return value
	}
	return string(text)
}

// Traits are message properties by which rules select messages. Most rules concern few
// messages, and each message is passed only to the rules that select it, so the cost of a call
// does not depend on the rules about lists.
type Traits uint16

// The traits of a message.
const (
	OnCall         Traits = 1 << iota // it is, or reports, a tool call by the client
	OnRequest                         // it is a client request, including calls
	OnValues                          // it contains client values by which flows are recognised
	OnResponse                        // it is a response from either side
	OnQuestion                        // the server asks for something, in a request, result or notification, or sends an error
	OnNotification                    // it is a notification from either side
	OnList                            // it contains definitions, ends a list, or reports a change
	OnIntroduction                    // it introduces the server
	OnNewServer                       // it is one of its server's first messages in the session
	OnIdentity                        // it contains its server's identity: from a lockfile, a started or removed server, or a bundle
	OnHTTP                            // the HTTP headers of its exchange are known
	OnNoise                           // it does not start like a JSON-RPC message
	OnBatch                           // it came in a batch
	AllTraits      = OnBatch<<1 - 1
)
