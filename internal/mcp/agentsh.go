package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// AgentSH returns the digest by which agentsh pins the tool at node i: the hex SHA-256 of the
// name, the description and the schema in the compact form of Go's encoder. That form preserves
// member order, so the digest can be computed only from the original bytes. This package uses
// encoding/json for nothing else.
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

// auditAliases maps members of a flat audit event to their names in an envelope.
var auditAliases = map[string]string{"tool_name": "path", "server_id": "domain", "action": "effective_action"}

// AuditField returns a string member of an agentsh audit event, which is a flat object or an
// envelope with the details in "fields".
func AuditField(doc *wire.Doc, root int, key string) string {
	for _, object := range [...]int{root, doc.Get(root, "fields")} {
		if s, ok := doc.Str(object, key); ok {
			return s
		}
	}
	if s, ok := doc.Str(root, auditAliases[key]); ok {
		return s
	}
	s, _ := doc.Str(root, inReference(key))
	return s
}

// inReference returns the spelling of a key in agentsh's event reference, such as serverID for server_id.
func inReference(key string) string {
	words := strings.Split(key, "_")
	for i, word := range words[1:] {
		if words[i+1] = strings.ToUpper(word[:1]) + word[1:]; word == "id" {
			words[i+1] = "ID"
		}
	}
	return strings.Join(words, "")
}
