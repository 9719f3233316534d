package mcp

import (
	"cmp"
	"strings"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/capability"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// Definition is the declaration of a tool, prompt, resource or template, or the
// instructions of a server: a ServerSubject without a name.
type Definition struct {
	Kind        SubjectKind
	Name        string
	Title       string
	Description string // at most 2,048 bytes of it
	Input       []byte // of a tool: the inputSchema as it stands, where it is not too large to keep
	Output      []byte // the outputSchema as it stands, where it is not too large to keep
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

	// Node is the node of the declaration in the tree of its frame, while that is inspected.
	Node int
}

// DefinitionParts are the members with their own digest, so that a change can be named.
var DefinitionParts = [...]string{"description", "inputSchema", "outputSchema", "annotations", "_meta"}

// DefinitionKey identifies a definition among those of a server.
type DefinitionKey struct {
	Kind SubjectKind
	Name string
}

// Key identifies the definition among those of its server.
func (d *Definition) Key() DefinitionKey { return DefinitionKey{d.Kind, d.Name} }

// Compare orders definitions by kind, then by name.
func (k DefinitionKey) Compare(other DefinitionKey) int {
	return cmp.Or(cmp.Compare(k.Kind, other.Kind), strings.Compare(k.Name, other.Name))
}

// toolMembers are all members of a tool definition.
var toolMembers = map[string]bool{"name": true, "title": true, "description": true, "inputSchema": true, "input_schema": true,
	"outputSchema": true, "annotations": true, "execution": true, "icons": true, "_meta": true}

// BareTool reports whether an object is a tool definition: it has a name, says what the tool
// is, and has no other members.
func BareTool(doc *wire.Doc, n int) bool {
	for c := doc.First(n); c >= 0; c = doc.Next(c) {
		if !toolMembers[string(doc.Key(c, new([]byte)))] {
			return false
		}
	}
	return doc.Kind(n) == wire.Object && doc.Kind(doc.Get(n, "name")) == wire.String &&
		(doc.Get(n, "description") >= 0 || doc.Get(n, "inputSchema") >= 0 || doc.Get(n, "input_schema") >= 0)
}
