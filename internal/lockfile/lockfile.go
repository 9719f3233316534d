// Package lockfile reads and writes mcpscan.lock, which records the approved definitions of servers
// in full, so that a review can see what changed.
//
// It determines whether an entry is approved, pending or changed when its server is listed again.
// It must never approve a change on its own, and never overwrite a file that it could not parse.
package lockfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// Name is the usual name of the file.
const Name = "mcpscan.lock"

// Version is the value of the member "lockfile".
const Version = "mcpscan.lock/v1"

// MaxBytes is the maximum size of the file. A lockfile of the largest published servers examined is
// 600 KiB long.
const MaxBytes = 16 << 20

// maxNodes is the maximum number of JSON values in the file.
const maxNodes = 1_000_000

// File is a lockfile.
type File struct {
	Path    string
	Servers map[string]*Server

	data []byte // as read; nil for a new file
}

// Server is a server's entry in a lockfile.
type Server struct {
	Name     string
	Identity *baseline.LockedIdentity // nil if unknown
	Info     mcp.ServerInfo           // as last reported, except the name if Identity has an approved one
	Client   *mcp.ClientInfo          // the client to which the server listed its definitions
	Entries  map[mcp.DefinitionKey]*Entry
	Place    scanner.Location

	start, end int // offsets of its object in data
}

// Status is the status of an entry.
type Status string

// The statuses, as in MCPProxy's quarantine.
const (
	Approved Status = "approved" // approved, and unchanged when last listed
	Pending  Status = "pending"  // never approved in any form
	Changed  Status = "changed"  // approved, but since listed with a different definition
)

// Entry is one definition, or the instructions of a server.
type Entry struct {
	Status   Status
	Approval *Approval // nil if pending
	Shown              // the approved definition or, if pending, the last one seen
	Seen     *Shown    // the last definition seen, if changed
	Gone     bool      // the server no longer lists it
	Place    scanner.Location
}

// Approval records who approved an entry, when and why.
type Approval = baseline.Approval

// Shown is a definition as sent by a server.
type Shown struct {
	Definition []byte // JSON
	Digest     mcp.Digest
	Parts      [len(mcp.DefinitionParts)]mcp.Digest
	AgentSH    string // agentsh's digest of a tool
	MCPProxy   string // MCPProxy's digest of a tool
}

// kinds are the members of a server's object that contain entries, in file order.
var kinds = []struct {
	member string
	kind   mcp.SubjectKind
	key    string // member of the definition that identifies it
}{
	{"prompts", mcp.PromptSubject, "name"},
	{"resourceTemplates", mcp.TemplateSubject, "uriTemplate"},
	{"resources", mcp.ResourceSubject, "uri"},
	{"tools", mcp.ToolSubject, "name"},
}

// members reports which data the server's entry contains besides its definitions.
func (s *Server) members() baseline.Members {
	members := baseline.Members{}
	if l := s.Identity; l != nil {
		members = l.Identity.Members()
		members["identity.approved"] = l.Approval != nil
	}
	// The title is left out: it is optional, and drift-identity detects its changes.
	members["serverInfo.name"], members["serverInfo.protocol"], members["serverInfo.version"] = s.Info.Name != "", s.Info.Protocol != "", s.Info.Version != ""
	if c := s.Client; c != nil {
		members["client.name"], members["client.capabilities"] = c.Name != "", len(c.Capabilities) > 0
	}
	return members
}

// Events returns one event per server, sorted by name, with the approved definitions if approved is
// true, otherwise with the definitions last seen.
func (f *File) Events(approved bool) []*scanner.Event {
	var events []*scanner.Event
	at := scanner.NewPlaces(f.Path, f.data)
	for _, name := range f.Names() {
		s := f.Servers[name]
		identity := s.Identity.Last()
		if approved {
			identity = s.Identity.Approved()
		}
		events = append(events, &scanner.Event{Kind: scanner.LockEvent, Type: "lockfile", Session: "lockfile", Server: name, Approved: approved, Identity: identity, Locked: s.Identity, Members: s.members(),
			Direction: mcp.ServerToClient, Frame: f.data[s.start:s.end], Origin: at.Origin(s.start)})
	}
	return events
}

// Same reports whether both files have the same entry for a server, or neither has one.
func (f *File) Same(other *File, server string) bool {
	a, b := f.Servers[server], other.Servers[server]
	return a == b || a != nil && b != nil && bytes.Equal(f.data[a.start:a.end], other.data[b.start:b.end])
}

// describe computes the digests of a definition as sent.
func describe(kind mcp.SubjectKind, sent []byte) Shown {
	s := Shown{Definition: sent}
	var doc wire.Doc
	if doc.Parse(sent) != nil {
		return s
	}
	s.Digest, s.Parts = mcp.DigestOf(&doc, 0)
	if kind == mcp.ToolSubject {
		s.AgentSH, s.MCPProxy = mcp.AgentSH(&doc, 0), mcpProxy(&doc)
	}
	return s
}

// mcpProxy returns the digest by which MCPProxy approves a tool: the hex SHA-256 of name,
// description and schemas, separated by bars. MCPProxy decodes the schemas and encodes them
// again with encoding/json, so this function does too.
func mcpProxy(doc *wire.Doc) string {
	name, _ := doc.Str(0, "name")
	description, _ := doc.Str(0, "description")
	parts := []string{name, description, "{}"}
	if i := doc.Get(0, "inputSchema"); i >= 0 {
		parts[2] = normal(doc.Raw(i))
	}
	if i := doc.Get(0, "outputSchema"); i >= 0 {
		parts = append(parts, normal(doc.Raw(i)))
	}
	return hexSum([]byte(strings.Join(parts, "|")))
}

// hasZero reports whether a definition contains the number 0. The server may have sent -0:
// MCPProxy distinguishes it from 0, and a lockfile does not.
func hasZero(definition []byte) bool {
	var doc wire.Doc
	if doc.Parse(definition) != nil {
		return false
	}
	for i := range doc.Nodes {
		if doc.Kind(i) == wire.Number && string(doc.Raw(i)) == "0" {
			return true
		}
	}
	return false
}

func normal(schema []byte) string {
	var v any
	if json.Unmarshal(schema, &v) != nil {
		return string(schema)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return string(schema)
	}
	return string(b)
}

func hexSum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func toValid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
