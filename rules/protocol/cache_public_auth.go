package protocol

import (
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

var CachePublicAuth = scanner.Rule{
	ID:         "prt-cache-public-auth",
	Category:   "protocol",
	Title:      "A response to a request with credentials may be cached for everyone",
	Why:        "A caching gateway may serve any other client a result that is marked as public.",
	Fix:        `Make the server answer with cacheScope "private" if the answer depends on the caller.`,
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceLow,
	Basis:      "The rule reports only resources read by a request with an Authorization header: according to the specification, lists are the same for every client. mcpscan cannot see whether the resource belongs to one user, so the confidence is low. The recording must have HTTP headers (HAR, HTTP as text, recordings of `mcpscan proxy`).",
	Refs:       []string{"OWASP-MCP:MCP10", "OWASP-LLM:LLM02", "CWE-524"},
	On:         mcp.OnHTTP,
	Judge: func(p *scanner.JudgePass) {
		head, m := p.HTTP(), p.Message
		if !m.Public || head == nil || !head.Authorized || p.Request == nil || p.Request.Method != "resources/read" {
			return
		}
		p.Report(scanner.JudgeIssue{Severity: scanner.Medium, Subject: mcp.ResultSubject, Name: p.Request.Target, Pointer: "/cacheScope", Offset: m.Offset,
			Message: "the result of a request with credentials is marked as cacheable for everyone", Evidence: "public"})
	},
}
