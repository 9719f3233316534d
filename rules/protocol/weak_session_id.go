package protocol

import (
	"fmt"
	"math"

	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// The bits that the id of a session must have at least: those that OWASP asks for, by
// the characters that it is written with; and by how they are spread, which tells less
// of a short text than there is.
const (
	sessionBits = 64
	spreadBits  = 32
)

var WeakSessionID = scanner.Rule{
	ID:         "prt-weak-session-id",
	Category:   "protocol",
	Title:      "The id of a session can be guessed",
	Why:        "Whoever has the id of a session can send into it, and read what is meant for another client (CVE-2025-6515).",
	Fix:        "Have the server make ids with a generator for secrets, 128 bits long, and bind them to the user.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "An id with less than 64 bits for the characters that it is written with, or that repeats a few of them, can be tried out; an id that is given a second time is two clients' at once. Told where the recording has HTTP headers (HAR, HTTP as text). How a long id was made cannot be seen.",
	Refs:       []string{"OWASP-MCP:MCP07", "CWE-330", "CWE-384"},
	On:         scanner.OnHTTP,
	Judge: func(p *scanner.JudgePass) {
		head, m := p.HTTP(), p.Message
		if head == nil || head.Session == "" || m.Kind != scanner.Response || p.Request == nil || p.Request.Method != "initialize" {
			return
		}
		id, why := head.Session, ""
		switch bits, spread := entropy(id); {
		case bits < sessionBits:
			why = fmt.Sprintf("has %.0f bits at most", bits)
		case spread < spreadBits:
			why = "repeats a few characters"
		case p.Server.Info.Protocol != "":
			why = "was given before"
		default:
			return
		}
		p.Report(scanner.JudgeIssue{Severity: scanner.Medium, Subject: scanner.MessageSubject, Offset: m.Offset,
			Message: fmt.Sprintf("the id of the session that server %s gives %s", text.QuoteName(p.Server.ID), why), Key: why})
	},
}

// entropy returns how many bits a text has by the kinds of its characters, and by how
// often each of them stands in it.
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
