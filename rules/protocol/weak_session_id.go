package protocol

import (
	"fmt"
	"math"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// The minimum entropy of a session ID, in bits. The estimate from the alphabet must reach OWASP's
// minimum. The estimate from the character distribution is too low for short strings, so its
// minimum is lower.
const (
	sessionBits = 64
	spreadBits  = 32
)

var WeakSessionID = scanner.Rule{
	ID:         "prt-weak-session-id",
	Category:   "protocol",
	Title:      "A session ID can be guessed",
	Why:        "Anyone who guesses a session ID can send messages in the session and read what is meant for another client (CVE-2025-6515).",
	Fix:        "Generate IDs of 128 bits with a cryptographic random number generator, and bind them to the user.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "An ID can be guessed if its length and alphabet give it less than 64 bits of entropy, or if it repeats a few characters. An ID that the server issues a second time is also reported, because two clients may then share a session; a client that initializes its own session again may get the same ID. The recording must have HTTP headers (HAR, HTTP as text, recordings of `mcpscan proxy`). mcpscan cannot see how a long ID was generated.",
	Refs:       []string{"OWASP-MCP:MCP07", "CWE-330", "CWE-384"},
	On:         mcp.OnHTTP,
	Judge: func(p *scanner.JudgePass) {
		head, m := p.HTTP(), p.Message
		if head == nil || head.Session == "" || m.Kind != mcp.Response || p.Request == nil || p.Request.Method != "initialize" {
			return
		}
		id, why := head.Session, ""
		switch bits, spread := entropy(id); {
		case bits < sessionBits:
			why = fmt.Sprintf("has at most %.0f bits of entropy", bits)
		case spread < spreadBits:
			why = "repeats a few characters"
		case p.Server.Issued(id):
			why = "was already used"
		default:
			return
		}
		p.Report(scanner.JudgeIssue{Severity: scanner.Medium, Subject: mcp.MessageSubject, Offset: m.Offset,
			Message: fmt.Sprintf("the session ID issued by server %s %s", text.QuoteName(p.Server.ID), why), Key: why})
	},
}

// entropy estimates the entropy of a string, in bits, from its alphabet and from the distribution
// of its characters.
func entropy(s string) (bits, spread float64) {
	var count [256]int
	digits, hex, letters, others := false, false, false, false
	for i := range len(s) {
		count[s[i]]++
		switch c := s[i] | 0x20; {
		case '0' <= s[i] && s[i] <= '9':
			digits = true
		case 'a' <= c && c <= 'f':
			hex = true
		case 'g' <= c && c <= 'z':
			letters = true
		case s[i] != '-':
			others = true
		}
	}
	kinds := 64.0
	switch {
	case !hex && !letters && !others:
		kinds = 10
	case !letters && !others && digits:
		kinds = 16
	}
	for c, n := range count {
		if n > 0 {
			spread -= float64(n) * math.Log2(float64(n)/float64(len(s)))
		}
		if c == '-' {
			bits -= float64(n) * math.Log2(kinds)
		}
	}
	return bits + float64(len(s))*math.Log2(kinds), spread
}
