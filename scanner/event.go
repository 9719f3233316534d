package scanner

import (
	"bytes"
	"time"
	"unicode/utf8"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// EventKind is the kind of an event.
type EventKind uint8

// The kinds of events.
const (
	FrameEvent      EventKind = iota // one frame of an MCP connection
	DefinitionEvent                  // a document of definitions, such as a dump or manifest
	AuditEvent                       // a report from another engine, without the frame that it is about
	SkippedEvent                     // unreadable input; Reason says why
	IgnoredEvent                     // input that is out of scope, but counted
	LockEvent                        // the entry of one server in a lockfile
	ConfigEvent                      // a client configuration in Config; belongs to no session
	SettingsEvent                    // changed settings that affect findings, in Settings; belongs to no session and does not count as input
	SharedEvent                      // what a message on another connection adds to the session, in Shared
	StartedEvent                     // the identity of a queried server, in Identity; never part of a recording
	RemovedEvent                     // a server in the compared state that the input no longer names; never part of a recording
)

// sent reports whether the messages of an event of this kind come from the input; mcpscan itself creates
// those of the other kinds.
func (k EventKind) sent() bool { return k != StartedEvent && k != RemovedEvent }

// Event is one unit of input. The reader or proxy that creates it sets Time; the engine uses no
// other clock.
type Event struct {
	Seq          int64 // position in the input, from 1; set by the engine
	Time         time.Time
	Undated      bool // the input has no time for the event: Time only orders it, and must not be shown
	Session      string
	Server       string
	Transport    string // stdio, http, sse
	Request      string // ID of the model request whose response contained the call, if recorded
	Direction    mcp.Direction
	Side         mcp.Side // if Direction is unknown: whether the logging side sent or received the frame
	Kind         EventKind
	Type         string                   // type name, as in events.jsonl
	Reason       string                   // why the event is skipped or ignored, or why its frame is not a valid message, worded for a report
	Frame        []byte                   // the exact bytes; valid until the event has been judged
	HTTP         *mcp.HTTPHead            // headers of the exchange that carried the frame; nil if not recorded
	Unmasked     []byte                   // the frame before secrets in it were masked; nil if there are none. See inspectUnmasked
	UnmaskedHTTP *mcp.HTTPHead            // HTTP before secrets in it were masked, if Unmasked is set
	Given        text.Secrets             // the secrets that were masked, if Unmasked is set
	Identity     *baseline.Identity       // of a LockEvent, a StartedEvent or the DefinitionEvent of a bundle: identity of the server; nil if unknown
	Locked       *baseline.LockedIdentity // of a LockEvent: complete identity entry in the lockfile
	Members      baseline.Members         // of a LockEvent: members that the lockfile has for the server besides its definitions
	Absent       []string                 // of a StartedEvent: lists that the server says it does not have, each named by its member, such as "tools"
	Unlisted     bool                     // of a StartedEvent: the server did not return all lists that it declares
	Approved     bool                     // of a LockEvent: contains the approved definitions, not those seen since
	Config       *configfile.ClientConfig
	Settings     *configfile.ChangedSettings
	Shared       *Shared // of a SharedEvent; the judge may change it
	Origin       Origin
	Parts        []Part // of an assembled frame: the origin of each part in the file, in order
	Dialect      string // LLM API whose log contained the frame, named as in an llm_message; "" for a frame seen on its connection
	FromModelLog bool   // the frame comes from a model's log, so a recording of the connection would contain the same call
	Unreadable   string // why a part other than the frame could not be read, worded for a report; "" if none
	Unattributed bool   // the recording does not name the frame's server; Server is a placeholder
	Unasked      bool   // the frame was assembled from a part of a transcript that belongs to no call
	Projected    bool   // the definitions are in the form that a client passes to a model: incomplete, and possibly only part of a list
	Rewritten    bool   // the client has also changed the definitions, so they are comparable only with others that it changed

	tree *wire.Doc
	root int
}

// Recorded returns the time that the input gives for the event, or the zero time if there is none.
func (e *Event) Recorded() time.Time {
	if e.Undated {
		return time.Time{}
	}
	return e.Time
}

// SetTree sets the parsed frame, if the reader has it. root is the node of doc whose span
// is Frame.
func (e *Event) SetTree(doc *wire.Doc, root int) { e.tree, e.root = doc, root }

// Origin is the position where an event was found.
type Origin struct {
	File   string // path as given by the user, or a label such as mcp://server
	Line   int    // line of the first byte of the frame, from 1
	Column int    // column of that byte in code points, from 1
	Exact  bool   // the file contains the frame byte for byte from here on

	Pointer string // JSON Pointer of the frame's source, from the root of the document or line; "" if the frame appears verbatim
}

// Part is a range, within a frame, that was built from a value in the file.
type Part struct {
	Start, End int // offsets in the frame
	Origin     Origin
}

// Location is a position in a file.
type Location struct {
	File    string
	Line    int
	Column  int
	Pointer string // JSON Pointer from the root of the document or line, if the message was assembled from parts of it
}

// At returns the location of the frame's byte at off. If the file contains the frame in a different
// form (base64, an escaped string), it returns the location of the start of the frame.
func (o Origin) At(frame []byte, off int) Location {
	loc := Location{o.File, o.Line, o.Column, o.Pointer}
	if !o.Exact || off > len(frame) {
		return loc
	}
	head := frame[:off]
	if last := bytes.LastIndexByte(head, '\n'); last >= 0 {
		loc.Line += bytes.Count(head, []byte("\n"))
		loc.Column, head = 1, head[last+1:]
	}
	loc.Column += utf8.RuneCount(head)
	return loc
}
