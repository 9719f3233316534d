package protocol

import "github.com/mcpscan/mcpscan/scanner"

var CachePublicAuth = scanner.Rule{
	ID:         "prt-cache-public-auth",
	Category:   "protocol",
	Title:      "What was read with credentials may be kept for anybody",
	Why:        "A gateway that keeps results hands a public one to the next who asks, whoever that is.",
	Fix:        `Have the server answer with cacheScope "private" where the answer depends on who asks.`,
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceLow,
	Basis:      "Told of resources that were read by a request with an Authorization header; lists are the same for everybody by the specification. Whether the resource belongs to one user cannot be seen, so the confidence is low. The recording must have HTTP headers (HAR, HTTP as text).",
	Refs:       []string{"OWASP-MCP:MCP10", "OWASP-LLM:LLM02", "CWE-524"},
	On:         scanner.OnHTTP,
	Judge: func(p *scanner.JudgePass) {
		head, m := p.HTTP(), p.Message
		if !m.Public || head == nil || !head.Authorized || p.Request == nil || p.Request.Method != "resources/read" {
			return
		}
		p.Report(scanner.JudgeIssue{Severity: scanner.Medium, Subject: scanner.ResultSubject, Name: p.Request.Target, Pointer: "/cacheScope", Offset: m.Offset,
			Message: "the result of a request with credentials may be kept for anybody", Evidence: "public"})
	},
}
