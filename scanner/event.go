package scanner

import (
	"time"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// EventKind is the kind of an event.
type EventKind uint8

// The kinds of events.
const (
	FrameEvent      EventKind = iota // one frame of an MCP connection
	DefinitionEvent                  // a document of definitions: a dump, a manifest
	AuditEvent                       // what another engine reported, without its frame
	SkippedEvent                     // something that could not be read; Reason says why
	IgnoredEvent                     // something that is none of our business, and is counted
	LockEvent                        // what a lockfile holds of one server
	ConfigEvent                      // a client configuration, as Config; it belongs to no session
	SettingsEvent                    // a change of what decides about findings, as Settings; it belongs to no session and is no input
	SharedEvent                      // what a message of another connection adds to the session, as Shared
	StartedEvent                     // what a server that was asked turned out to be, as Identity; no recording has it
)

// Event is one unit of input. Whoever observed it stamped its time; no later code uses another
// clock.
type Event struct {
	Seq       int64 // place in the input, from 1; given by the engine
	Time      time.Time
	Session   string
	Server    string
	Transport string // stdio, http, sse
	Request   string // the model's, that a call was made in answer to, where the recording says
	Direction mcp.Direction
	Kind      EventKind
	Type      string                   // the type by name, as in events.jsonl
	Reason    string                   // why the event is skipped or ignored, or its frame is none of a record, in words for a report
	Frame     []byte                   // the exact bytes; valid until the event has been judged
	HTTP      *mcp.HTTPHead            // of the exchange that the frame came in, nil where the recording has no heads
	Identity  *baseline.Identity       // of a LockEvent or StartedEvent: what the server is, nil where the lockfile does not say
	Locked    *baseline.LockedIdentity // of a LockEvent: all that the lockfile holds of that
	Says      baseline.Says            // of a LockEvent: what the lockfile says about the server besides its definitions
	Approved  bool                     // of a LockEvent: shows what was approved, not what was seen since
	Config    *configfile.ClientConfig
	Settings  *configfile.ChangedSettings
	Shared    *Shared // belongs to the judge
	Origin    Origin
	Parts     []Part // of a frame that was put together: what of it stands where in the file, in order
	Dialect   string // of the LLM API that told of the frame, as in an llm_message; "" for one that was seen on its connection
	Told      bool   // the frame says what the log of a model told: a recording that has the connection shows the same call there
	Projected bool   // the definitions are as a client hands them to a model: some members of each, and some of a list
	Rewritten bool   // the client has also changed them, so that they compare only with others of its making

	tree *wire.Doc
	root int
}

// SetTree hands over the parse of the frame where the reader has it already:
// root is the node of doc whose span is Frame.
func (e *Event) SetTree(doc *wire.Doc, root int) { e.tree, e.root = doc, root }

// Origin is where an event was found.
type Origin struct {
	File   string // path as the user gave it, or a label such as mcp://server
	Line   int    // line of the first byte of the frame, from 1
	Column int    // column of that byte in code points, from 1
	Exact  bool   // the frame is in the file byte for byte from there on

	Pointer string // JSON Pointer of what the frame was made of, from the root of the document or line; "" where the frame stands as it is
}

// Part is a stretch of a frame that was made of something in the file.
type Part struct {
	Start, End int // in the frame
	Origin     Origin
}

// Location is a place in a file.
type Location struct {
	File    string
	Line    int
	Column  int
	Pointer string // JSON Pointer from the root of the document or line, where the message was put together of parts of it
}

// At returns the place of byte off of the frame. If the file has the frame in another form
// (base64, an escaped string), it is the frame's own place.
func (o Origin) At(frame []byte, off int) Location {
	loc := Location{o.File, o.Line, o.Column, o.Pointer}
	if !o.Exact || off > len(frame) {
		return loc
	}
	head := frame[:off]
	start := 0
	for i, b := range head {
		if b == '\n' {
			loc.Line++
			start = i + 1
			loc.Column = 1
		}
	}
	loc.Column += utf8.RuneCount(head[start:])
	return loc
}
