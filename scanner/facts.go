package scanner

import (
	"github.com/mcpscan/mcpscan/internal/capability"
	"github.com/mcpscan/mcpscan/internal/mcp"
)

// Facts are the result of Inspect for one event. They have no reference into the frame, so
// they may move to another goroutine, and they never change: what the session adds is in the
// Outcome.
type Facts struct {
	Messages []Message
	Findings []Finding // of rules that need nothing but the event
	Skips    []string  // parts of the event that could not be inspected, and why
	Noise    bool      // the frame starts like no JSON-RPC message: a client passes over it

	full bool // there are as many findings as are kept of the event
}

// Message is one JSON-RPC message, as far as the session needs it.
type Message struct {
	// The fields that judging reads for each message come first, to share cache lines.
	Kind     mcp.MessageKind
	IsError  bool
	Public   bool                // of a result: anybody may keep it in a cache
	NoCursor bool                // the cursor that a list names, or is asked for by, is the empty text
	More     bool                // the list goes on on another page
	Partial  bool                // there are more arguments than these
	Category capability.Category // of a call: what its tool does, by its name alone
	traits   mcp.Traits          // those that it has by itself
	Method   string
	ID       string // the id as written: 1 and "1" and 1.0 are three ids
	Target   string // what is called, read or got: a tool's name, a prompt's name, a URI
	Offset   int    // of the message in the frame

	Values    []Value         // that flows are recognised by, where a rule asks for them
	Arguments []Argument      // of a request, where a policy or a rule asks for them
	Client    *mcp.ClientInfo // what the client says of itself, where it does
	Roots     []string        // of a client's answer, or of a request with one: the URIs of the roots that it lists
	Answer    uint64          // of a response: stands for its text
	Given     mcp.Given       // of a call: its arguments

	Structured   []byte // of a result: its structuredContent, where it is not larger than structuredBytes
	StructuredAt int    // its offset in the frame

	Code        string                   // of an error, as written
	Asks        []string                 // of a result: the methods of the requests that it makes of the client, maxAsks of them
	Batch       int                      // place in the batch that it came in, from 1; 0 outside of one
	Action      string                   // for audit events: what the other engine decided
	Lists       [mcp.MessageSubject]bool // the kinds of definitions that it lists
	Definitions []mcp.Definition         // in the order of the text
	Changed     *mcp.Definition          // of a report that a tool changed: what it is by now
	Server      *mcp.ServerInfo
	IdentityAt  int // of a Lockfile: where it says what the server is

	compared map[int]any // what the rule that compares returned of definitions, by their offsets

	node int
}

// structuredBytes bounds the structured results that are carried to the judge.
const structuredBytes = 64 << 10

// maxIcons bounds the icons of a server that are looked at.
const maxIcons = 8

// maxAsks bounds the requests in a result that are looked at.
const maxAsks = 16

// Listing is a tool that its server lists for the first time in a session, or as
// another definition than the last time.
type Listing struct {
	Definition *mcp.Definition
	Before     *mcp.Definition // the last time; nil for the first
	Again      bool            // the tool had changed before
}

// descriptionBytes bounds the remembered part of a description.
const descriptionBytes = 2048

// schemaBytes bounds a remembered schema. One of 162 output schemas of published servers is
// larger, and no input schema.
const schemaBytes = 16 << 10
