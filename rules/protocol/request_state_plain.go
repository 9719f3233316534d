package protocol

import (
	"encoding/base64"
	"strings"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

// maxState is the maximum size, in bytes, of a state that is inspected.
const maxState = 64 << 10

var RequestStatePlain = scanner.Rule{
	ID:         "prt-request-state-plain",
	Category:   "protocol",
	Title:      "requestState is readable and unsigned",
	Why:        "The client returns requestState as the server sent it. If it contains an identity, permissions or a price in plain text, anyone who has it can change them.",
	Fix:        "Keep the state on the server, or sign it and bind it to the user.",
	Severity:   scanner.Low,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The state is reported if it is a JSON object, plain or encoded in base64, in which the name of a member refers to an identity, permissions or a price, and no name refers to a signature. The server may verify it in another way.",
	Refs:       []string{"OWASP-MCP:MCP07", "CWE-565"},
	Message: func(p *scanner.MessagePass) {
		node := p.Doc.Get(p.Doc.Get(p.Root, "result"), "requestState")
		if p.Doc.Kind(node) != wire.String || p.Direction == mcp.ClientToServer {
			return
		}
		var buf []byte
		var state wire.Doc
		if text := p.Doc.Text(node, &buf); len(text) > maxState || !opened(&state, text) {
			return
		}
		decides := false
		for i := range state.Nodes {
			for _, w := range names.Words(state.KeyString(i)) {
				if sealWords[w] {
					return
				}
				decides = decides || stateWords[w]
			}
		}
		if decides {
			p.Report(node, false, scanner.Low, "requestState contains an identity, permissions or a price in plain text, without a signature")
		}
	},
}

// opened parses a state that is a JSON object, either plain or in base64.
func opened(state *wire.Doc, text []byte) bool {
	if strings.HasPrefix(strings.TrimSpace(string(text)), "{") {
		return state.Parse(text) == nil
	}
	plain := strings.TrimRight(string(text), "=")
	for _, e := range [...]*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if decoded, err := e.DecodeString(plain); err == nil && len(decoded) > 0 && decoded[0] == '{' {
			return state.Parse(decoded) == nil
		}
	}
	return false
}

var (
	// stateWords are words for identity, permissions and prices.
	stateWords = names.Set(`user userid username account tenant email role roles scope scopes admin permission permissions price amount total
		discount balance currency approved authorized verified`)
	// sealWords are words for signatures.
	sealWords = names.Set(`sig signature mac hmac seal sealed tag digest checksum jws`)
)
