package protocol

import (
	"fmt"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var HeaderBodyMismatch = scanner.Rule{
	ID:         "prt-header-body-mismatch",
	Category:   "protocol",
	Title:      "The headers of a request contradict its body",
	Why:        "Proxies and gateways make decisions based on the headers, but the server acts on the body. If the two differ, the server does something other than what was allowed.",
	Fix:        "Make the server reject such requests, as the specification requires (error -32020), and make the gateway compare headers and body.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The specification requires headers and body to agree, and libraries make them agree. The rule checks Mcp-Method, Mcp-Name, MCP-Protocol-Version, and Mcp-Param-* of a tool that was listed with a schema of up to 16 KiB, if the recording has HTTP headers (HAR, HTTP as text, recordings of `mcpscan proxy`).",
	Refs:       []string{"OWASP-MCP:MCP07", "CWE-436"},
	On:         mcp.OnHTTP,
	Arguments:  true,
	Judge: func(p *scanner.JudgePass) {
		head, m := p.HTTP(), p.Message
		if head == nil || p.Direction != mcp.ClientToServer || m.Kind != mcp.Request && m.Kind != mcp.Notification || m.Batch > 0 {
			return
		}
		report := func(field, said, does, pointer string) {
			p.Report(scanner.JudgeIssue{Severity: scanner.High, Subject: mcp.MessageSubject, Pointer: pointer, Offset: m.Offset,
				Message: fmt.Sprintf("the header %s is %s, but the body has %s", field, text.QuoteName(said), text.QuoteName(does)), Evidence: does, Key: field})
		}
		if head.Method != "" && head.Method != m.Method {
			report("Mcp-Method", head.Method, m.Method, "/method")
		}
		if name := mcp.HeadText(head.Name); name != "" && m.Target != "" && name != m.Target {
			report("Mcp-Name", name, m.Target, "/params")
		}
		if m.Client != nil && m.Method != "initialize" && head.Version != "" && m.Client.Protocol != "" && head.Version != m.Client.Protocol {
			report("MCP-Protocol-Version", head.Version, m.Client.Protocol, "/params/_meta")
		}
		for _, c := range contradictions(p, head) {
			p.Report(c)
		}
	},
}
