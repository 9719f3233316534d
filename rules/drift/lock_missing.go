package drift

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var LockMissing = scanner.Rule{
	ID:         "lock-missing",
	Category:   "version_pin",
	Title:      "A server is not in the lockfile",
	Why:        "No approval of the server is recorded, and mcpscan cannot detect changes to it.",
	Fix:        "If the change under review removed the entry, restore it. Otherwise, lock the server (mcpscan lock --run-servers CONFIGURATION, or mcpscan lock -- COMMAND), review the new lockfile, and commit it.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "A server is reported only if a lockfile exists or was specified. The finding is high if the lockfile before the change contained the server: someone removed the entry and kept the server. A server that is new in the lockfile but was probably renamed is compared with its old entry, and the drift rules rate what changed. With mcpscan approve and a reason, a person can accept a server that is new in the lockfile, even if it was approved at first use.",
	Refs:       []string{"OWASP-MCP:MCP09", "OWASP-MCP:MCP04", "CWE-494"},
	Configs: func(p *scanner.ConfigPass) {
		for i := range p.Entries {
			entry := &p.Entries[i]
			offer, compared := p.Approved(entry.Name)
			switch {
			case !compared || offer != nil || !entry.Compared():
			case p.LockedBefore(entry.Name) != nil:
				evidence, _ := missingServer(p, entry)
				p.Report(entry, "", scanner.High, fmt.Sprintf("this change removed server %q from the lockfile; restore its entry", entry.Name), evidence)
			default:
				reportMissing(p, entry)
			}
		}
	},
	On: mcp.OnList,
	Judge: func(p *scanner.JudgePass) {
		locked, offer := p.Message.Kind == mcp.Lockfile, p.Approved()
		renamed := p.Revises() && offer != nil && offer.Server != p.Server.ID
		if p.ComparedWith() == "" || offer != nil && !renamed || len(p.Message.Definitions) == 0 && !locked || p.Configured() || p.Message.Kind == mcp.Document {
			return
		}
		severity, message := scanner.Medium, fmt.Sprintf("server %q is not in %s", p.Server.ID, p.ComparedWith())
		accept := fmt.Sprintf("; to accept the new server, run: mcpscan approve %s --reason \"…\"", text.ShellWord(text.Visible(p.Server.ID, 200)))
		switch {
		case renamed && offer.Renamed:
			message = fmt.Sprintf("server %q was not in the lockfile before this change; its definitions are compared with those of server %q, which ran the same program with different arguments and was removed or disabled", p.Server.ID, offer.Server) + accept
		case renamed:
			message = fmt.Sprintf("server %q was not in the lockfile before this change; it is compared with server %q, which is started or reached in the same way", p.Server.ID, offer.Server) + accept
		case locked:
			message = fmt.Sprintf("server %q was not in the lockfile before this change", p.Server.ID) + accept
		case p.Before() != nil:
			severity, message = scanner.High, fmt.Sprintf("this change removed server %q from the lockfile; restore its entry", p.Server.ID)
		}
		p.Report(scanner.JudgeIssue{Severity: severity, Subject: mcp.ServerSubject, Message: message, Evidence: p.Server.ID, Offset: p.Message.Offset, Approval: p.IdentityApprovedInChange()})
	},
}

// reportMissing reports an entry whose server is not in the lockfile, with the command that locks it. A
// lockfile can have only one server with a given name.
func reportMissing(p *scanner.ConfigPass, entry *configfile.Entry) {
	evidence, other := missingServer(p, entry)
	if other == nil {
		p.Report(entry, "", scanner.Medium, fmt.Sprintf("server %q is not in the lockfile; run: %s", entry.Name, p.LockCommand()), evidence)
		return
	}
	message := "server %q is not in the lockfile, which can have only one of the two different servers with this name; rename one of them, or lock one into another file with --lockfile"
	p.Report(entry, "", scanner.Medium, fmt.Sprintf(message, entry.Name), evidence, otherServer(other))
}

// missingServer returns the evidence for a configured server: its name or, if an earlier configuration uses
// the name for a different server, also what it starts or reaches, so that each server is reported.
func missingServer(p *scanner.ConfigPass, entry *configfile.Entry) (evidence string, other *scanner.ConfiguredServer) {
	id := baseline.IdentityOf(entry)
	if other = namesake(p, entry.Name, id); other == nil {
		return entry.Name, nil
	}
	return entry.Name + ": " + cmp.Or(strings.Join(append([]string{id.Command}, id.Args...), " "), id.URL), other
}

// namesake returns an entry of an earlier configuration that uses the name for a different server than
// id, or nil.
func namesake(p *scanner.ConfigPass, name string, id *baseline.Identity) *scanner.ConfiguredServer {
	for _, before := range p.Before(name) {
		if before.Entry.Compared() && !baseline.IdentityOf(before.Entry).Alike(id) {
			return &before
		}
	}
	return nil
}

func otherServer(s *scanner.ConfiguredServer) scanner.Related {
	return scanner.Related{Message: "the other server", Location: s.Location()}
}
