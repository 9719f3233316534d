package protocol

import (
	"fmt"

	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var ResponseMismatch = scanner.Rule{
	ID:         "prt-response-mismatch",
	Category:   "protocol",
	Title:      "A response answers no request",
	Why:        "A client that matches answers loosely takes it for the answer to something else. Of two answers to one request a checker may see the first, and the client act on the second.",
	Fix:        "Check that the recording is complete. If it is, the server answers what it was not asked, or answers twice.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "A second answer that says something else is no slip of a recorder, and high. The answer to a request that another session of the server has open is high where its id is no small number, which two sessions have by chance. The same answer twice, or one to an unknown id, is low: recordings start late, lack a direction or have lines twice, and only servers that were asked something before are reported.",
	Refs:       []string{"OWASP-MCP:MCP06", "CWE-345"},
	On:         scanner.OnResponse,
	Judge: func(p *scanner.JudgePass) {
		m := p.Message
		if m.Kind != scanner.Response || p.Direction != scanner.ServerToClient || p.Request != nil || m.ID == "" || !p.Server.Asked {
			return
		}
		severity, why := scanner.Low, "answers no open request"
		before, same := p.Answered()
		switch {
		case before && same:
			why = "was given before, word for word"
		case before:
			severity, why = scanner.High, "is a second one, and says something else than the first"
		case len(m.ID) >= chosenID && p.OpenElsewhere():
			severity, why = scanner.High, "answers a request that is open in another session of the server"
		}
		p.Report(scanner.JudgeIssue{Severity: severity, Subject: scanner.MessageSubject, Pointer: "/id", Offset: m.Offset,
			Message: fmt.Sprintf("the response to id %s of server %s %s", m.ID, text.QuoteName(p.Server.ID), why), Evidence: m.ID})
	},
}

// chosenID is the length from which two ids are not the same by chance. Clients count
// from 1, or take something random.
const chosenID = 8
