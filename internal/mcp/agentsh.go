package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// AgentSH is the digest that agentsh pins the tool at node i by: SHA-256 over the name,
// the description and the schema in the compact form of Go's encoder, in hex. It keeps
// the order of members, so it can be made only from what was sent. encoding/json
// is part of that definition, which is why it is used here and for no other thing.
func AgentSH(doc *wire.Doc, i int) string {
	name, _ := doc.Str(i, "name")
	description, _ := doc.Str(i, "description")
	var schema json.RawMessage
	if at := doc.Get(i, "inputSchema"); at >= 0 {
		schema = doc.Raw(at)
	}
	b, err := json.Marshal(struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"inputSchema"`
	}{name, description, schema})
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
