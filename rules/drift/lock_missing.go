package drift

import (
	"fmt"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

var LockMissing = scanner.Rule{
	ID:         "lock-missing",
	Category:   "version_pin",
	Title:      "A server is not in the lockfile",
	Why:        "Nobody has reviewed a server that is not in the lockfile, and mcpscan cannot detect its changes.",
	Fix:        "Run mcpscan lock --run-servers with the configuration, read what it writes, and commit it.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "That it is missing is a fact. Reported if there is a lockfile, or one was named. High if the lockfile before the change had it: somebody removed it and kept the server.",
	Refs:       []string{"OWASP-MCP:MCP09", "OWASP-MCP:MCP04", "CWE-494"},
	Configs: func(p *scanner.ConfigPass) {
		for i := range p.Entries {
			entry := &p.Entries[i]
			offer, compared := p.Approved(entry.Name)
			switch {
			case !compared || offer != nil || entry.SwitchesOff():
			case p.ApprovedBefore(entry.Name):
				p.Report(entry, "", scanner.High, fmt.Sprintf("server %q was in the lockfile before this change and is no longer; restore it", entry.Name), entry.Name)
			default:
				p.Report(entry, "", scanner.Medium, fmt.Sprintf("server %q is not in the lockfile; run: mcpscan lock --run-servers %s", entry.Name, p.Path), entry.Name)
			}
		}
	},
	On: mcp.OnList,
	Judge: func(p *scanner.JudgePass) {
		locked := p.Message.Kind == mcp.Lockfile
		if !p.Compared() || p.Approved() != nil || len(p.Message.Definitions) == 0 && !locked || p.Configured() || p.Message.Kind == mcp.Document {
			return
		}
		severity, message := scanner.Medium, fmt.Sprintf("server %q is not in the lockfile", p.Server.ID)
		switch {
		case locked:
			message = fmt.Sprintf("server %q was not in the lockfile before this change", p.Server.ID)
		case p.Before() != nil:
			severity, message = scanner.High, fmt.Sprintf("server %q was in the lockfile before this change and is no longer; restore it", p.Server.ID)
		}
		p.Report(scanner.JudgeIssue{Severity: severity, Subject: mcp.ServerSubject, Message: message, Evidence: p.Server.ID, Offset: p.Message.Offset})
	},
}
