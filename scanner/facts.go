package scanner

import (
	"github.com/mcpscan/mcpscan/internal/capability"
	"github.com/mcpscan/mcpscan/internal/mcp"
)

// Facts is the result of Inspect for one event. It contains no reference to the frame, so it may
// move to another goroutine. It never changes; what the event's session adds is in the Outcome.
type Facts struct {
	Messages []Message
	Findings []Finding // findings of rules that need only the event
	Skips    []string  // reasons why parts of the event could not be inspected
	Noise    bool      // the frame does not start like a JSON-RPC message, so clients skip it
	Exceeds  bool      // the frame exceeds a limit of the JSON parser
	Invalid  bool      // the frame is not valid JSON, but lenient parsers accept it

	full            bool // the event reached its maximum number of findings
	structureMasked bool // masking secrets changed the structure of a message, not only texts
}

// reset empties the facts but keeps the memory for one message. It does not keep what the message refers
// to, such as its definitions, which the judge may remember.
func (f *Facts) reset() {
	messages := f.Messages[:0]
	if cap(messages) > 1 {
		messages = nil
	}
	clear(f.Messages)
	*f = Facts{Messages: messages}
}

// Message is one JSON-RPC message, reduced to the data that sessions need.
type Message struct {
	// The fields that judging reads for each message come first, to share cache lines.
	Kind     mcp.MessageKind
	IsError  bool
	Public   bool                // of a result: caches may store it for all users
	NoCursor bool                // the cursor with which a list continues, or is requested, is the empty string
	More     bool                // the list continues on another page
	Partial  bool                // Arguments is incomplete
	Category capability.Category // of a call: category of its tool, by its name alone
	traits   mcp.Traits          // traits of the message itself
	Method   string
	ID       string // raw JSON of the id: 1, "1" and 1.0 are different ids
	Target   string // name of the tool called or prompt fetched, or URI of the resource read
	Offset   int    // offset of the message in the frame

	OtherMethods []string         // further methods that some parsers read, up to one more than maxOtherMethods
	OtherTargets []string         // further targets that some parsers read, up to one more than maxOtherNames
	Values       []Value          // values for detecting flows, if a rule needs them
	Arguments    []Argument       // of a request, if a policy or rule needs them
	Client       *mcp.ClientInfo  // how the client identifies itself, if it does
	Roots        []string         // of a client's answer, or of a request with one: the URIs of the listed roots
	Answer       uint64           // of a response: hash of its raw JSON
	Task         uint64           // hash of the ID of the task that a result creates, or that a request concerns; 0 if there is none
	RawArguments mcp.RawArguments // of a call: its arguments

	Structured []Structured // of a result: its structured content, unless larger than structuredBytes

	Code        string                   // of an error: the raw JSON of its code, truncated
	Asks        []Ask                    // of a result or notification: its requests to the client, up to one more than maxAsks
	Batch       int                      // position in its batch, from 1; 0 outside a batch
	Action      string                   // of an audit event: the decision of the other engine
	Lists       [mcp.MessageSubject]bool // kinds of definitions that it lists
	Definitions []mcp.Definition         // in frame order
	Changed     *mcp.Definition          // of a report that a tool changed: the current definition
	Server      *mcp.ServerInfo
	IdentityAt  int // of a Lockfile: offset of the server's identity

	compared map[int]any // results of Compare checks by definition offset
	sent     *Message    // the message before masking; nil if it contained no secrets
}

// Structured is the structured content of the result of a call.
type Structured struct {
	JSON    []byte
	Pointer string // relative to the result
	Offset  int    // offset in the frame
}

// structuredBytes bounds the size of a structured result passed to the judge.
const structuredBytes = 64 << 10

// maxOtherMethods bounds the number of further methods that are judged per message.
const maxOtherMethods = 8

// maxIcons bounds the number of inspected icons per server.
const maxIcons = 8

// maxAsks bounds the number of judged requests per message.
const maxAsks = 16

// Ask is a request to the client in a result or a notification.
type Ask struct {
	Method    string
	Offset    int        // offset of the request in the frame
	Arguments []Argument // if a policy needs them
	Partial   bool       // Arguments is incomplete
}

// Listing is a tool that its server lists for the first time in a session, or with a different
// definition than before.
type Listing struct {
	Definition *mcp.Definition
	Before     *mcp.Definition // previous definition; nil for the first listing
	Again      bool            // the tool had changed before
}

// descriptionBytes bounds the length of the remembered part of a description.
const descriptionBytes = 2048

// schemaBytes bounds the size of a remembered schema. No input schema of the published servers
// examined is larger, and only one of their 162 output schemas is.
const schemaBytes = 16 << 10
