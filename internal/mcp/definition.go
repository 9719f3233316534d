package mcp

import (
	"cmp"
	"strings"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/capability"
	"github.com/mcpscan/mcpscan/internal/wire"
)

// Definition is the declaration of a tool, prompt, resource or template, or a server's
// instructions, which have the kind ServerSubject and no name.
type Definition struct {
	Kind        SubjectKind
	Name        string
	OtherNames  []string // further names that some parsers read, because the key occurs more than once
	Title       string
	Description string // its first 2,048 bytes
	Input       []byte // of a tool: the raw inputSchema, unless too large to keep
	Output      []byte // the raw outputSchema, unless too large to keep
	Digest      Digest // of the whole declaration
	Parts       [len(DefinitionParts)]Digest
	AgentSH     string              // of a tool: its agentsh digest, if requested
	Can         capability.Set      // of a tool: what it contributes to a data flow
	Category    capability.Category // of a tool: what a call does
	Foreign     bool                // another engine computed the digest, which is comparable only to others from that engine
	Offset      int                 // offset of the declaration in the frame

	// Sent is the whole declaration as sent; if only part of it is known, the rest is from the
	// approved definition. The engine keeps it if asked to, or if it differs from every approved
	// definition, so that messages can describe the change.
	Sent []byte

	// Status is the status in a lockfile: approved, pending or changed. It is ""
	// outside a lockfile. StatusAt is its position.
	Status   string
	StatusAt int
	Approval *baseline.Approval // from the lockfile; nil if there is none
	Unlisted bool               // according to the lockfile, the server no longer lists the definition
	Accepted string             // the approved definition's digest, from the lockfile
	Others   string             // that definition's agentsh and MCPProxy digests, from the lockfile

	// Node is the declaration's node in its frame's tree, while the frame is being
	// inspected.
	Node int
}

// DefinitionParts are the members with their own digests, so that messages can name a
// changed part.
var DefinitionParts = [...]string{"description", "inputSchema", "outputSchema", "annotations", "_meta"}

// DefinitionKey identifies a definition within a server.
type DefinitionKey struct {
	Kind SubjectKind
	Name string
}

// Key identifies the definition within its server.
func (d *Definition) Key() DefinitionKey { return DefinitionKey{d.Kind, d.Name} }

// Compare orders definitions by kind, then by name.
func (k DefinitionKey) Compare(other DefinitionKey) int {
	return cmp.Or(cmp.Compare(k.Kind, other.Kind), strings.Compare(k.Name, other.Name))
}

// described lists the members of a tool definition that other documents may have as well.
var described = map[string]bool{"name": true, "title": true, "description": true, "outputSchema": true, "annotations": true,
	"execution": true, "icons": true, "_meta": true}

// BareTool reports whether an object is a tool definition: it has a name and either an input schema, or a
// description and no member that a tool definition does not have. Many documents have a name and a
// description, such as a package.json.
func BareTool(doc *wire.Doc, n int) bool {
	if doc.Kind(doc.Get(n, "name")) != wire.String {
		return false
	}
	if doc.Get(n, "inputSchema") >= 0 || doc.Get(n, "input_schema") >= 0 {
		return true
	}
	for c := doc.First(n); c >= 0; c = doc.Next(c) {
		if !described[string(doc.Key(c, new([]byte)))] {
			return false
		}
	}
	return doc.Get(n, "description") >= 0
}
