package drift

import (
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var BinaryMismatch = scanner.Rule{
	ID:         "binary-mismatch",
	Category:   "version_pin",
	Title:      "A server's executable differs from the approved one",
	Why:        "An attacker who replaces the executable does not need to change the configuration or any definition.",
	Fix:        "Find out what replaced the file. If you wanted the upgrade, run mcpscan lock to record it, and review the new lockfile.",
	Severity:   scanner.Critical,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The finding is critical, as in the agentsh design, if the file is the server itself, and high if it is a launcher such as npx, which is often upgraded for unrelated reasons, or if the change under review removes the file. A person can accept the removal with mcpscan approve, because a build may write the file from now on. The finding is medium for a program outside the project that is at a different path, or that PATH finds in a system directory, because such programs differ between machines. mcpscan compares the executable's digest with the one in the lockfile, if both digests are known, and ignores a conversion of all line endings; for audit logs, it uses the comparison made by the engine that wrote them. version_pinning.pin_binary: false switches the rule off.",
	Refs:       []string{"OWASP-MCP:MCP04", "ATLAS:AML.T0109", "CWE-494"},
	Message: func(p *scanner.MessagePass) {
		if p.Message.Kind == mcp.Audit && p.Message.Method == "mcp_server_binary_mismatch" {
			p.Report(p.Root, false, scanner.Critical, "another engine reported that a server's executable changed")
		}
	},
	Configs: func(p *scanner.ConfigPass) {
		identified(p, func(entry *configfile.Entry, offer *scanner.Offer, now *baseline.Identity) {
			if now.Removed && offer.Identity.Digest != "" && len(offer.Locked.Stale(now)) == 0 {
				message := fmt.Sprintf("the change under review removes the approved executable; restore it or, if a build writes it now, run: mcpscan approve %s --reason \"…\"", text.ShellWord(text.Visible(entry.Name, 200)))
				p.ReportWithApproval(p.IdentityApprovedInChange(entry.Name), entry, "/executable", scanner.High, message, offer.Identity.Executable, scanner.Related{Message: "approved here", Location: offer.Location})
			}
			if offer.Identity.Replaced(now) {
				severity, message := programWeight(offer.Identity, now)
				p.ReportReplaced(entry, severity, message, offer.Identity, now, scanner.Related{Message: "approved here", Location: offer.Location})
			}
		})
	},
	On: mcp.OnIdentity,
	Judge: func(p *scanner.JudgePass) {
		offer, now := p.Approved(), p.Identity()
		if offer == nil || now == nil || offer.Identity == nil || !offer.Identity.Replaced(now) {
			return
		}
		if written := p.ConfiguredIdentity(); written != nil && offer.Identity.Replaced(written) {
			return // the check of the configuration reports it
		}
		severity, message := programWeight(offer.Identity, now)
		p.Report(scanner.JudgeIssue{Severity: severity, Subject: mcp.ServerSubject, Pointer: "/identity/executable", Offset: p.Message.IdentityAt,
			Message: message, Evidence: now.Executable, Key: now.Digest, Approval: p.IdentityApprovedInChange(),
			Expected: offer.Identity.Digest, Actual: now.Digest, Related: []scanner.Related{{Message: "approved here", Location: offer.Location}}})
	},
}

// programWeight rates a replaced executable, and returns the message. Lockfiles are read on other
// machines, which may have different programs outside the project.
func programWeight(was, now *baseline.Identity) (scanner.Severity, string) {
	const message = "the executable differs from the approved one"
	const elsewhere = "the program is outside the project, and differs from the approved one: it was updated or replaced, or the lockfile is from another machine"
	switch {
	case strings.HasPrefix(was.Executable, "./") || strings.HasPrefix(now.Executable, "./"): // in the project
		return scanner.Critical, message
	case was.Executable != now.Executable:
		return scanner.Medium, elsewhere
	case now.Ecosystem.Fetched():
		return scanner.High, message
	case systemProgram(now):
		return scanner.Medium, elsewhere
	}
	return scanner.Critical, message
}

// systemProgram reports whether the executable is a command that PATH finds in a system directory.
func systemProgram(id *baseline.Identity) bool {
	return !strings.ContainsAny(id.Command, `/\`) && program(id.Command) == program(id.Executable) && usualPlace(id.Executable)
}
