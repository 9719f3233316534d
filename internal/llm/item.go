package llm

import (
	"time"

	"github.com/mcpscan/mcpscan/scanner"
)

// Kind is the kind of an item.
type Kind int

// The kinds of items.
const (
	Begin    Kind = iota // a request begins: its messages repeat those of the one before it
	Declared             // a tool that is offered to the model
	Known                // a server that is named, and nothing of it
	Call                 // the model calls a tool
	Result               // what a tool returned
	Skipped              // something that no reader knows, or that cannot be read
	Ignored              // something that no tool and no server has said
)

// Style is how a client makes one name of those of a server and of its tool.
type Style int

// The styles.
const (
	Plain      Style = iota // tools have names of their own; mcp__SERVER__TOOL is read all the same
	Underlined              // mcp_SERVER_TOOL, or SERVER__TOOL
)

// Item is one thing that a body or a line says. Its views are valid until emit returns.
type Item struct {
	Kind    Kind
	Format  string // of the body
	At      View   // where it is said
	Session string // of the client; "" where the format has none
	Key     string // of a Begin: stands for the conversation
	First   string // of a Begin: the ID of the first call in it, "" for none
	Time    time.Time
	Turn    string // the request that the model answered with a call
	ID      string // of a call, and of what answers it
	Server  string // "" where the format does not say
	Name    string // of the tool, as the format has it
	Slot    string // of a call that a stream built: its place among those of the stream, "" for all others
	Style   Style
	History bool // part of a request, which repeats what was said before
	Echo    bool // said beside a call or a result with this ID, which counts
	Clock   bool // the format has no times: each item is a second behind the one before it
	Record  bool // it is in a record of events.jsonl, which can have the connections as well
	Failed  bool // the result is an error
	Foreign bool // the client has rewritten the definition
	Free    bool // the arguments are text, which need not be JSON
	Suite   bool // the tools are those of a benchmark
	Fresh   bool // the model says it now: that an ID or a text was there before makes it no repetition

	Tool    View // of a Declared: the definition
	Args    View // of a call: an object, or a string that holds one
	Content View // of a result: a string, a list of blocks, or an object
	Meta    View // of a result: what the client keeps beside it

	Reason string // why something is skipped or ignored
	origin *scanner.Origin
}

// Origin returns where the item is said.
func (i *Item) Origin() scanner.Origin {
	if i.origin != nil {
		return *i.origin
	}
	return i.At.Origin()
}
