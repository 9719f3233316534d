package llm

import (
	"time"

	"github.com/mcpscan/mcpscan/scanner"
)

// Kind is the kind of an item.
type Kind int

// The kinds of items.
const (
	Begin    Kind = iota // a request begins: its messages repeat the previous request's messages
	Declared             // a tool that is offered to the model
	Known                // a server that is named, without further data
	Call                 // the model calls a tool
	Result               // what a tool returned
	Skipped              // something unknown or unreadable
	Ignored              // something known that is not inspected, such as text from users
)

// Style is how a client combines the names of a server and its tool.
type Style int

// The styles.
const (
	Plain      Style = iota // tools have names of their own; mcp__SERVER__TOOL is recognised as well
	Underlined              // mcp_SERVER_TOOL, or SERVER__TOOL
)

// Item is one element of a body or line. Its views are valid until emit returns.
type Item struct {
	Kind    Kind
	Format  string // of the body
	At      View   // its location
	Session string // of the client; "" if the format has none
	Key     string // of a Begin: identifies the conversation
	First   string // of a Begin: the ID of its first call, "" for none
	Time    time.Time
	Turn    string // the request that the model answered with the call
	ID      string // of a call, and of its result
	Server  string // "" if the format does not name it
	Name    string // of the tool, as the format spells it
	Slot    string // of a call built from a stream: identifies it in the stream; "" for all others
	Style   Style
	History bool // part of a request, which repeats earlier messages
	Echo    bool // duplicates a call or a result with this ID, which takes precedence
	Clock   bool // the format has no times: each item is dated one second after the previous one
	Record  bool // it is in an events.jsonl record, which may also contain the MCP messages of the calls
	Failed  bool // the result is an error
	Foreign bool // the client rewrote the definition
	Free    bool // the arguments are text that need not be JSON
	Suite   bool // the tools belong to a benchmark
	Fresh   bool // the model says it now, so it is not a repetition, even if its ID or text was seen before

	Tool    View // of a Declared: the definition
	Args    View // of a call: an object, or a string that holds one
	Content View // of a result: a string, a list of blocks, or an object
	Media   View // of a result: a list of blocks in addition to Content
	Meta    View // of a result: metadata or an error that the client keeps with it

	Reason string // why the item is skipped or ignored
	origin *scanner.Origin
}

// Origin returns the location of the item.
func (i *Item) Origin() scanner.Origin {
	if i.origin != nil {
		return *i.origin
	}
	return i.At.Origin()
}

// Record holds what a log record states about the body that it contains.
type Record struct {
	Session string
	Turn    string // the request that the body is or answers
	Time    time.Time
	Answer  bool // the body is from the model
}
