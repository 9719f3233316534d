package policy

import (
	"fmt"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var VersionPin = scanner.Rule{
	ID:         "version-pin",
	Category:   "version_pin",
	Title:      "A call uses a tool that changed since it was trusted",
	Why:        "A tool that was harmless when it was reviewed may do something else by the time it is called: a rug pull.",
	Fix:        "Compare the two definitions (mcpscan diff, mcpscan pins diff). If the change is legitimate, approve it, then repeat the call.",
	Severity:   scanner.Critical,
	Confidence: scanner.ConfidenceHigh,
	OptIn:      true,
	Basis:      "The rule is off unless version_pinning.enabled is set, because a legitimate upgrade changes definitions too, and the drift-* rules rate what a change can do. A user who enables pinning wants every change refused, so the severity is critical, as in the agentsh design. The trusted definition is the one that the lockfile approves, or else the one that the server listed first in the whole input; with auto_trust_first: false, only the lockfile counts. The finding is low if on_change is alert.",
	Refs:       []string{"OWASP-MCP:MCP04", "ATLAS:AML.T0109", "CWE-494"},
	On:         mcp.OnCall,
	Judge: func(p *scanner.JudgePass) {
		verdict := p.Pinning.OnChange
		if c := p.Call(); c == nil || c.Refused || verdict == scanner.Allow {
			return
		}
		trust, trusted, now := p.Trust()
		is := scanner.JudgeIssue{Severity: scanner.Critical, Subject: mcp.CallSubject, Name: p.Message.Target, Pointer: "/name",
			Evidence: p.Message.Target, Offset: p.Message.Offset}
		switch {
		case trust == scanner.Changed:
			is.Message = fmt.Sprintf("the tool %s of server %s changed since it was trusted", text.QuoteName(p.Message.Target), text.QuoteName(p.Server.ID))
			if trusted != (scanner.Location{}) {
				is.Related = append(is.Related, scanner.Related{Message: "trusted here", Location: trusted})
			}
			is.Related = append(is.Related, scanner.Related{Message: "changed here", Location: now.Location()})
			is.Key = now.Definition.Digest.String()
		case trust == scanner.Unpinned && p.Pinning.Reviewed:
			is.Message = fmt.Sprintf("nobody has approved the tool %s of server %s", text.QuoteName(p.Message.Target), text.QuoteName(p.Server.ID))
		default:
			return
		}
		if verdict != scanner.Block {
			is.Severity = scanner.Low
		}
		p.Refuse(scanner.PinCheck, verdict, is.Message)
		p.Report(is)
	},
}
