package drift

import (
	"fmt"
	"slices"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

var Cloaking = scanner.Rule{
	ID:         "drift-cloaking",
	Category:   "version_pin",
	Title:      "A server shows different definitions to different clients",
	Why:        "A server that recognises its clients can show one tool to a reviewer or scanner and a different one to the user's client.",
	Fix:        "Compare the two definitions. List the server under the client's name (scan --client-name), and approve the definition listed then.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The finding is high if the lists went to clients with different names, and either the server gave the same version in serverInfo both times, or the lists were at most ten minutes apart. If the clients have the same name but different capabilities, the server may have a reason for the difference, so the finding is medium.",
	Refs:       []string{"OWASP-MCP:MCP03", "OWASP-MCP:MCP04", "ATLAS:AML.T0109", "CWE-494"},
	On:         mcp.OnList,
	Judge: func(p *scanner.JudgePass) {
		version := p.Server.Info.Version
		if p.Message.Server != nil && p.Message.Server.Version != "" {
			version = p.Message.Server.Version
		}
		for _, d := range p.Differences {
			if d.SameVersion || d.Apart >= 0 && d.Apart <= atOnce {
				reportDifference(p, &d)
			}
		}
		for i := range p.Message.Definitions {
			d := &p.Message.Definitions[i]
			if first := p.Pinned(d); first != nil && first.Definition.Digest != d.Digest && first.Session != p.Session.ID && first.Version == version && sameName(first.Client, p.Server.Client) {
				reportCloak(p, d, first.Client, version, first.Location())
			}
		}
		p.Changed(func(d *mcp.Definition, was *scanner.Offered) {
			if offer := p.Approved(); offer.Info.Version == version {
				reportCloak(p, d, offer.Client, version, was.Location)
			}
		})
	},
}

// atOnce is the period within which a server upgrade is implausible.
const atOnce = 10 * time.Minute

// reportDifference reports a definition that the server shows differently, or not at all, to a
// client with a different name.
func reportDifference(p *scanner.JudgePass, d *scanner.ClientDifference) {
	issue := scanner.JudgeIssue{Severity: scanner.High, Subject: d.Kind, Name: d.Name, Offset: d.Offset, Key: d.Change}
	switch d.Change {
	case scanner.ClientSeesOther:
		issue.Message = fmt.Sprintf("the server shows different definitions to the clients %q and %q", p.Server.Client.Name, d.Other)
	case scanner.ClientSeesMore:
		issue.Message = fmt.Sprintf("the server shows this %s to the client %q but not to the client %q", d.Kind, p.Server.Client.Name, d.Other)
	case scanner.ClientSeesLess:
		issue.Message = fmt.Sprintf("the server shows this %s to the client %q but not to the client %q", d.Kind, d.Other, p.Server.Client.Name)
	}
	if d.At != (scanner.Location{}) {
		issue.Related = []scanner.Related{{Message: "shown here", Location: d.At}}
	}
	p.Report(issue)
}

func sameName(a, b *mcp.ClientInfo) bool { return a != nil && b != nil && a.Name == b.Name }

// reportCloak reports a definition that differs from the approved or first listed one in the same
// version of the server, if the client's name or capabilities differ, too.
func reportCloak(p *scanner.JudgePass, d *mcp.Definition, then *mcp.ClientInfo, version string, at scanner.Location) {
	now := p.Server.Client
	if version == "" || then == nil || now == nil {
		return
	}
	severity, how := scanner.High, fmt.Sprintf("to the client %q than to the client %q", now.Name, then.Name)
	if now.Name == then.Name {
		if slices.Equal(now.Capabilities, then.Capabilities) {
			return
		}
		severity, how = scanner.Medium, "to a client with different capabilities"
	}
	p.Report(scanner.JudgeIssue{Severity: severity, Subject: d.Kind, Name: d.Name, Offset: d.Offset, Key: d.Digest.String(),
		Message: "in the same version, the server shows a different definition " + how, Evidence: d.Description,
		Related: []scanner.Related{{Message: "shown here", Location: at}}})
}
