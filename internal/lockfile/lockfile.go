// Package lockfile reads and writes mcpscan.lock: what servers offered when
// somebody approved it, with the texts, so that a review can see what changed.
//
// It decides what becomes of an entry when a server is listed again: approved,
// pending or changed. It must never approve a change by itself, and never write a
// file that it did not understand.
package lockfile

import (
	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// Name is the usual name of the file.
const Name = "mcpscan.lock"

// Version is the value of the member "lockfile".
const Version = "mcpscan.lock/v1"

// MaxBytes bounds the file. Those of the largest published servers take 600 KiB.
const MaxBytes = 16 << 20

// maxNodes bounds the values of the file.
const maxNodes = 1_000_000

// File is a lockfile.
type File struct {
	Path    string
	Servers map[string]*Server

	data []byte // as it was read, nil for one that was not
}

// Server is one server of a lockfile.
type Server struct {
	Name     string
	Identity *baseline.LockedIdentity // nil where nobody said what the server is
	Info     mcp.ServerInfo
	Client   *mcp.ClientInfo // that it was listed to
	Entries  map[mcp.DefinitionKey]*Entry
	Place    scanner.Location

	start, end int // of its object in data
}

// Status is what became of an entry.
type Status string

// The statuses, as in the quarantine of MCPProxy.
const (
	Approved Status = "approved" // as it was listed last
	Pending  Status = "pending"  // nobody has approved it in any form
	Changed  Status = "changed"  // it was approved, and was listed as something else since
)

// Entry is one definition, or the instructions of a server.
type Entry struct {
	Status   Status
	Approval *Approval // nil for what is pending
	Shown              // what was approved; what was seen, of a pending one
	Seen     *Shown    // what was seen since; of a changed one only
	Gone     bool      // it was not listed the last time
	Place    scanner.Location
}

// Approval says who approved an entry, when and why.
type Approval = baseline.Approval

// Shown is a definition as a server showed it.
type Shown struct {
	Definition []byte // JSON
	Digest     mcp.Digest
	Parts      [len(mcp.DefinitionParts)]mcp.Digest
	AgentSH    string // the digest that agentsh makes of a tool
	MCPProxy   string // the digest that MCPProxy makes of a tool
}

// kinds are the members of a server with entries, in file order.
var kinds = []struct {
	member string
	kind   mcp.SubjectKind
	key    string // of the definition, that names it
}{
	{"prompts", mcp.PromptSubject, "name"},
	{"resourceTemplates", mcp.TemplateSubject, "uriTemplate"},
	{"resources", mcp.ResourceSubject, "uri"},
	{"tools", mcp.ToolSubject, "name"},
}

// says lists the data of the entry besides its definitions.
func (s *Server) says() baseline.Says {
	says := baseline.Says{}
	if l := s.Identity; l != nil {
		says = l.Identity.Says()
		says["identity.approved"] = l.Approval != nil
	}
	for _, member := range infoMembers(&s.Info) {
		if member.name != "title" { // a server need not have one, and one that differs is recognised by drift-identity
			says["serverInfo."+member.name] = *member.value != ""
		}
	}
	if c := s.Client; c != nil {
		says["client.name"], says["client.capabilities"] = c.Name != "", len(c.Capabilities) > 0
	}
	return says
}

// Events returns one event for each server, by name, with the definitions last seen or
// approved.
func (f *File) Events(approved bool) []*scanner.Event {
	var events []*scanner.Event
	at := scanner.NewPlaces(f.Path, f.data)
	for _, name := range f.Names() {
		s := f.Servers[name]
		identity := s.Identity.Last()
		if approved {
			identity = s.Identity.Approved()
		}
		events = append(events, &scanner.Event{Kind: scanner.LockEvent, Type: "lockfile", Session: "lockfile", Server: name, Approved: approved, Identity: identity, Locked: s.Identity, Says: s.says(),
			Direction: mcp.ServerToClient, Frame: f.data[s.start:s.end], Origin: at.Origin(s.start)})
	}
	return events
}
