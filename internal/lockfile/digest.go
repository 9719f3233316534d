package lockfile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
)

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

// hasZero reports whether a definition contains the number 0. The server may have sent -0,
// which MCPProxy distinguishes from 0, but a lockfile does not.
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
