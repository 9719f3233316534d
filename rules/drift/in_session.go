package drift

import (
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

var InSession = scanner.Rule{
	ID:         "drift-in-session",
	Category:   "version_pin",
	Title:      "A definition changed after it was first listed",
	Why:        "A tool that was harmless when it was reviewed can change later: a rug pull.",
	Fix:        "Compare the two definitions. If the change is legitimate, approve it; otherwise remove the server.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "Servers are rarely upgraded within a session, so a changed tool is rated critical if the server did not announce the change with list_changed and the client did not initialize the server again, as it does after a restart. Any other change within a session is rated high. A change between sessions may be an upgrade, so it is rated medium.",
	Refs:       []string{"OWASP-MCP:MCP04", "ATLAS:AML.T0109", "CWE-494"},
	On:         mcp.OnList,
	Judge: func(p *scanner.JudgePass) {
		if p.Message.Method == "mcp_tool_changed" {
			p.Report(scanner.JudgeIssue{Severity: scanner.High, Subject: mcp.ToolSubject, Name: p.Message.Target, Offset: p.Message.Offset,
				Message: "another engine reported that the definition of the tool changed"})
			return
		}
		for i := range p.Message.Definitions {
			d := &p.Message.Definitions[i]
			first := p.Pinned(d)
			if first == nil || first.Definition.Digest == d.Digest {
				continue
			}
			reportDrift(p, d, first)
		}
	},
}

func reportDrift(p *scanner.JudgePass, d *mcp.Definition, first *scanner.Known) {
	severity, when := scanner.Medium, "since an earlier session"
	if first.Session == p.Session.ID {
		switch announced, reopened := p.Notice(d); {
		case announced:
			severity, when = scanner.High, "mid-session"
		case reopened:
			severity, when = scanner.High, "mid-session, after the client initialized the server again"
		default:
			severity, when = scanner.Critical, "mid-session without list_changed"
		}
	}
	if d.Kind != mcp.ToolSubject {
		severity = min(severity, scanner.High)
	}
	parts := changedParts(d, first.Definition)
	p.Report(scanner.JudgeIssue{
		Severity: severity, Subject: d.Kind, Name: d.Name, Pointer: pointerTo(parts), Offset: d.Offset,
		Message:  fmt.Sprintf("the %s changed %s: %s", d.Kind, when, strings.Join(parts, ", ")),
		Evidence: newPart(d.Description, first.Definition.Description), Key: d.Digest.String(),
		Related: []scanner.Related{{Message: "first listed here", Location: first.Location()}},
	})
}

// changedParts returns the names of the members in which two definitions differ.
func changedParts(a, b *mcp.Definition) []string {
	var parts []string
	for i, name := range mcp.DefinitionParts {
		if a.Parts[i] != b.Parts[i] {
			parts = append(parts, name)
		}
	}
	if a.Title != b.Title {
		parts = append(parts, "title")
	}
	if len(parts) == 0 {
		parts = append(parts, "other members")
	}
	return parts
}

// pointerTo returns a pointer to the changed part if there is exactly one, otherwise "".
func pointerTo(parts []string) string {
	if len(parts) != 1 || parts[0] == "other members" {
		return ""
	}
	return "/" + parts[0]
}

// newPart returns the part of a text that differs from its earlier version, from the first to the
// last difference.
func newPart(now, before string) string {
	start := 0
	for start < min(len(now), len(before)) && now[start] == before[start] {
		start++
	}
	end := len(now)
	for tail := len(before); end > start && tail > start && now[end-1] == before[tail-1]; tail-- {
		end--
	}
	return strings.ToValidUTF8(now[start:end], "")
}
