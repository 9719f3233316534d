package scanner

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/internal/baseline"

	"github.com/mcpscan/mcpscan/internal/capability"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
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

// MessageKind is the kind of a JSON-RPC message.
type MessageKind uint8

// The kinds of messages. Document is a set of definitions outside a message, Audit a report of
// another engine, Lockfile a server's entry in a lockfile, Started a started server's
// identity; Malformed is JSON that is not a message in any protocol version.
const (
	Malformed MessageKind = iota
	Request
	Notification
	Response
	Document
	Audit
	Lockfile
	Started
)

var messageKindNames = [...]string{"malformed", "request", "notification", "response", "document", "audit", "lockfile", "started"}

func (k MessageKind) String() string { return messageKindNames[k] }

// Message is one JSON-RPC message, as far as the session needs it.
type Message struct {
	// The fields that judging reads for each message come first, to share cache lines.
	Kind     MessageKind
	IsError  bool
	Public   bool                // of a result: anybody may keep it in a cache
	NoCursor bool                // the cursor that a list names, or is asked for by, is the empty text
	More     bool                // the list goes on on another page
	Partial  bool                // there are more arguments than these
	Category capability.Category // of a call: what its tool does, by its name alone
	traits   Traits              // those that it has by itself
	Method   string
	ID       string // the id as written: 1 and "1" and 1.0 are three ids
	Target   string // what is called, read or got: a tool's name, a prompt's name, a URI
	Offset   int    // of the message in the frame

	Values    []Value     // that flows are recognised by, where a rule asks for them
	Arguments []Argument  // of a request, where a policy or a rule asks for them
	Client    *ClientInfo // what the client says of itself, where it does
	Roots     []string    // of a client's answer, or of a request with one: the URIs of the roots that it lists
	Answer    uint64      // of a response: stands for its text
	Given     Given       // of a call: its arguments

	Structured   []byte // of a result: its structuredContent, where it is not larger than structuredBytes
	StructuredAt int    // its offset in the frame

	Code        string               // of an error, as written
	Asks        []string             // of a result: the methods of the requests that it makes of the client, maxAsks of them
	Batch       int                  // place in the batch that it came in, from 1; 0 outside of one
	Action      string               // for audit events: what the other engine decided
	Lists       [MessageSubject]bool // the kinds of definitions that it lists
	Definitions []Definition         // in the order of the text
	Changed     *Definition          // of a report that a tool changed: what it is by now
	Server      *ServerInfo
	IdentityAt  int // of a Lockfile: where it says what the server is

	compared map[int]any // what the rule that compares returned of definitions, by their offsets

	node int
}

// Given are the arguments of a call as they are in its frame.
type Given struct {
	Start, End int // in the frame; both are 0 where there are none
	Digest     Digest
}

// structuredBytes bounds the structured results that are carried to the judge.
const structuredBytes = 64 << 10

// ServerInfo is what a server says about itself at the start.
type ServerInfo struct {
	Name, Title, Version, Protocol string
	Website                        string
	Icons                          []string // where its icons are, maxIcons of them
}

// maxIcons bounds the icons of a server that are looked at.
const maxIcons = 8

// maxAsks bounds the requests in a result that are looked at.
const maxAsks = 16

// ClientInfo is what a client says about itself: a server's list can depend on it.
type ClientInfo struct {
	Name         string
	Protocol     string   // that it asks for, or speaks; "" where it does not say
	Capabilities []string // by name, in order
}

// Definition is the declaration of a tool, prompt, resource or template, or the
// instructions of a server: a ServerSubject without a name.
type Definition struct {
	Kind        SubjectKind
	Name        string
	Title       string
	Description string // at most descriptionBytes of it
	Input       []byte // of a tool: the inputSchema as it stands, where it is not larger than schemaBytes
	Output      []byte // the outputSchema as it stands, where it is not larger than schemaBytes
	Digest      Digest // over the whole declaration
	Parts       [len(DefinitionParts)]Digest
	AgentSH     string              // of a tool: its digest by the formula of agentsh, where it was asked for
	Can         capability.Set      // of a tool: what it adds to a flow of data
	Category    capability.Category // of a tool: what a call of it does
	Foreign     bool                // the digest is of another engine's making and compares only with its like
	Offset      int                 // of the declaration in the frame

	// Sent is the whole declaration as it was sent. The engine keeps it where it
	// was asked to, or where nothing like it was approved: so a change can be told.
	Sent []byte

	// Status is the status in a lockfile: approved, pending or changed; "" outside a lockfile.
	// StatusAt is its place.
	Status   string
	StatusAt int
	Approval *baseline.Approval // of the lockfile; nil where it names none
	Unlisted bool               // the lockfile says that its server does not list it any more
	Others   string             // the digests that other systems make of it, as the lockfile has them

	node int
}

// DefinitionParts are the members with their own digest, so that a change can be named.
var DefinitionParts = [...]string{"description", "inputSchema", "outputSchema", "annotations", "_meta"}

// Listing is a tool that its server lists for the first time in a session, or as
// another definition than the last time.
type Listing struct {
	Definition *Definition
	Before     *Definition // the last time; nil for the first
	Again      bool        // the tool had changed before
}

// descriptionBytes bounds the remembered part of a description.
const descriptionBytes = 2048

// schemaBytes bounds a remembered schema. One of 162 output schemas of published servers is
// larger, and no input schema.
const schemaBytes = 16 << 10

// Digest is a SHA-256 over a canonical form; zero where there was nothing.
type Digest [sha256.Size]byte

// String writes the digest as the lockfile does: sha256- and base64url.
func (d Digest) String() string {
	if d == (Digest{}) {
		return ""
	}
	return "sha256-" + base64.RawURLEncoding.EncodeToString(d[:])
}

// Parse reads what String writes.
func (d *Digest) Parse(s string) error {
	coded, ok := strings.CutPrefix(s, "sha256-")
	b, err := base64.RawURLEncoding.Strict().DecodeString(coded)
	if !ok || err != nil || len(b) != len(d) {
		return fmt.Errorf("invalid digest %q: expected sha256- and 43 characters of base64url", text.Visible(s, nameChars))
	}
	*d = Digest(b)
	return nil
}

// DigestOf returns the digests of the declaration at node i: of all of it, and of
// its parts.
func DigestOf(doc *wire.Doc, i int) (Digest, [len(DefinitionParts)]Digest) {
	var g digester
	var d Definition
	g.definition(doc, i, &d)
	return d.Digest, d.Parts
}

// digester computes the digests of declarations. It keeps its buffer.
type digester struct{ buf []byte }

// definition fills in the digests of the declaration at node i: SHA-256 over
// its RFC 8785 form, and over that of each part.
func (g *digester) definition(doc *wire.Doc, i int, def *Definition) {
	if doc.Kind(i) != wire.Object {
		g.buf = doc.AppendCanonical(g.buf[:0], i)
		def.Digest = sha256.Sum256(g.buf)
		return
	}
	buf := append(g.buf[:0], '{')
	for k, c := range doc.SortedMembers(i) {
		if k > 0 {
			buf = append(buf, ',')
		}
		buf = doc.AppendCanonicalKey(buf, c)
		buf = append(buf, ':')
		from := len(buf)
		buf = doc.AppendCanonical(buf, c)
		for p, key := range DefinitionParts {
			if doc.KeyIs(c, key) {
				def.Parts[p] = sha256.Sum256(buf[from:])
			}
		}
	}
	buf = append(buf, '}')
	def.Digest = sha256.Sum256(buf)
	g.buf = buf
}
