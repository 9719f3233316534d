package policy

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

// Hash is a rule's content_hash: either the digest of a whole definition, or agentsh's digest of
// name, description and schema.
type Hash struct {
	digest  mcp.Digest
	agentsh string // lower case, without prefix
	partial bool   // not a complete digest, so no tool matches it
}

// ErrPartial is returned, wrapped, for a placeholder or a truncated digest, both of which are
// common in documentation. The hash returned with it matches no tool.
var ErrPartial = errors.New("mcpscan pins list --json shows the full digest")

// ParseHash parses a hash in any of its notations.
func ParseHash(s string) (h Hash, err error) {
	if strings.HasPrefix(s, "sha256-") {
		return h, h.digest.Parse(s)
	}
	h.agentsh = strings.ToLower(strings.TrimPrefix(s, "sha256:"))
	b, err := hex.DecodeString(h.agentsh)
	switch {
	case strings.Contains(s, "...") || strings.Contains(s, "…"):
		return Hash{partial: true}, fmt.Errorf("a placeholder: write the full digest, or remove the key to allow any definition; %w", ErrPartial)
	case strings.Trim(h.agentsh, "0123456789abcdef") == "" && h.agentsh != "" && len(h.agentsh) < 2*len(h.digest):
		return Hash{partial: true}, fmt.Errorf("%d of 64 hexadecimal digits: a truncated digest proves nothing; %w", len(h.agentsh), ErrPartial)
	case err != nil || len(b) != len(h.digest):
		return Hash{}, fmt.Errorf("expected 64 hexadecimal digits, optionally after sha256:, or sha256- and 43 characters of base64url")
	}
	return h, nil
}

// IsZero reports whether the rule has no hash.
func (h Hash) IsZero() bool { return h == Hash{} }

// Is reports whether a tool has the hash. A tool that its server did not list has no hash.
func (h Hash) Is(k *scanner.Known) bool {
	if k == nil || h.partial {
		return false
	}
	d := k.Definition
	if h.agentsh != "" {
		return strings.TrimPrefix(strings.ToLower(d.AgentSH), "sha256:") == h.agentsh
	}
	return !d.Foreign && d.Digest == h.digest
}
