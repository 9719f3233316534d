package drift

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

var LockTampered = scanner.Rule{
	ID:         "lock-tampered",
	Category:   "version_pin",
	Title:      "A lockfile entry does not match its approval",
	Why:        "Someone edited the entry. From then on, mcpscan compares the server's text with text that was inserted without a review.",
	Fix:        "Restore the entry from version control, or run mcpscan pins reset for it, then mcpscan lock and mcpscan approve.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "mcpscan recomputes the digests from the text. If someone edits both the text and the digests, or the recorded command or version, mcpscan notices this by comparing with the previous version of the lockfile (--base), in which the same approval belongs to a different definition or server. While a changed definition or server is pending, the drift rules look only at the pending version, so they would not notice that the approved version was replaced. mcpscan itself approves only what a server offers when it is first locked (first-use) and, if the settings trust the server, its new definitions (auto); any other new approval with one of these names was written by hand. The finding is medium if the lockfile before the change names a different approval for the same definition or server, because nothing that the server offers has changed. If the different approval is a person's later approval, for example from mcpscan approve, the finding counts as approved.",
	Refs:       []string{"OWASP-MCP:MCP04", "CWE-353", "CWE-345"},
	Message: func(p *scanner.MessagePass) {
		eachEntry(p, func(kind string, entry int) {
			for _, shown := range []int{entry, p.Doc.Get(entry, "seen")} {
				definition := p.Doc.Get(shown, "definition")
				if definition < 0 || digestsMatch(p.Doc, shown, definition) && (kind != "tools" || hasOtherDigests(p.Doc, shown)) {
					continue
				}
				p.Report(p.Doc.Get(shown, "digest"), false, scanner.High, "the digests in this entry do not match its definition")
			}
		})
	},
	On: mcp.OnList,
	Judge: func(p *scanner.JudgePass) {
		before := p.Before()
		if !p.Revises() || before == nil || before.Renamed {
			return
		}
		// While a pending version waits for approval, the drift rules look only at that version.
		// The parameter by identifies the version that is now approved, so that a baseline accepts
		// no other one.
		replaced := func(was, now *baseline.Approval, waits bool, by string, issue scanner.JudgeIssue) {
			issue.Severity = scanner.High
			switch {
			case was.ReusedAs(now): // approving a change also creates a new approval
				issue.Key = "reused " + by
				issue.Message += "was replaced in the lockfile, but its approval is for what the lockfile recorded before; restore the entry, then run mcpscan lock and mcpscan approve"
			case waits:
				issue.Key = "unlisted " + by
				issue.Message += "waits for approval in one form, but this change approves another form, which the server does not list; restore the entry, then run mcpscan lock and mcpscan approve"
				if now.MadeSince(was) {
					issue.Approval = now
				}
			default:
				return
			}
			p.Report(issue)
		}
		reportUnearned(p, before)
		for i := range p.Message.Definitions {
			d := &p.Message.Definitions[i]
			issue := aboutEntry(d)
			was := before.Definitions[d.Key()]
			if was == nil {
				replaced(nil, d.Approval, d.Status == "changed", d.Accepted, issue)
				continue
			}
			issue.Related = []scanner.Related{{Message: "recorded here", Location: was.Location}}
			if was.Accepted != d.Accepted || was.Approval == nil {
				replaced(was.Approval, d.Approval, d.Status == "changed", d.Accepted, issue)
			}
			if was.Accepted != d.Accepted {
				continue
			}
			reportRewritten(p, was.Approval, d.Approval, issue)
			if was.Others != d.Others {
				issue.Severity, issue.Key = scanner.High, d.Others
				issue.Message += "is unchanged, but this change replaced its agentsh or MCPProxy digests in the lockfile; restore them"
				p.Report(issue)
			}
		}
		if was, now := before.Locked, p.Locked(); was != nil && now != nil {
			issue := scanner.JudgeIssue{Subject: mcp.ServerSubject, Pointer: "/identity", Offset: p.Message.IdentityAt, Message: "the server "}
			if parts := was.Identity.Differences(now.Identity); len(parts) == 0 {
				reportRewritten(p, was.Approval, now.Approval, issue)
			} else {
				replaced(was.Approval, now.Approval, now.Seen != nil, strings.Join(parts, ", "), issue)
			}
		}
	},
}

// aboutEntry returns the beginning of an issue about a definition's entry in the lockfile: its location,
// and the first words of its message.
func aboutEntry(d *mcp.Definition) scanner.JudgeIssue {
	issue := scanner.JudgeIssue{Subject: d.Kind, Name: d.Name, Offset: d.StatusAt, Message: "the " + d.Kind.String() + " "}
	if d.Kind == mcp.ServerSubject {
		issue.Pointer, issue.Message = "/instructions", "the text of the instructions "
	}
	return issue
}

// reportRewritten reports a different approval of something unchanged, whose name issue.Message
// contains. If it is a person's later approval, the finding counts as approved: mcpscan approve SERVER
// approves an unchanged server again, and so does mcpscan approve, after mcpscan pins reset, for an
// unchanged definition.
func reportRewritten(p *scanner.JudgePass, was, now *baseline.Approval, issue scanner.JudgeIssue) {
	if !was.RewrittenAs(now) {
		return
	}
	issue.Severity, issue.Evidence, issue.Key = scanner.Medium, now.By+": "+now.Reason, now.By+": "+now.Reason
	if now.MadeSince(was) && now.At.After(was.At) {
		issue.Approval, issue.Message = now, "this change approves the unchanged "+strings.TrimPrefix(issue.Message, "the ")+"again"
	} else {
		issue.Message += "is approved as before, but this change replaced the person, time or reason of its approval in the lockfile; restore the approval"
	}
	p.Report(issue)
}

// hasOtherDigests reports whether an entry contains the digests that agentsh and MCPProxy use.
func hasOtherDigests(doc *wire.Doc, shown int) bool {
	agentsh, _ := doc.Str(shown, "agentsh")
	mcpproxy, _ := doc.Str(shown, "mcpproxy")
	return agentsh != "" && mcpproxy != ""
}

// digestsMatch reports whether the digests of an entry match its definition.
func digestsMatch(doc *wire.Doc, shown, definition int) bool {
	digest, parts := mcp.DigestOf(doc, definition)
	if written, _ := doc.Str(shown, "digest"); written != digest.String() {
		return false
	}
	for i, part := range mcp.DefinitionParts {
		if written, _ := doc.Str(doc.Get(shown, "parts"), part); written != parts[i].String() {
			return false
		}
	}
	return true
}

// eachEntry invokes visit for each entry of a lockfile, with the name of the member that contains it.
func eachEntry(p *scanner.MessagePass, visit func(kind string, entry int)) {
	if p.Message.Kind != mcp.Lockfile {
		return
	}
	for _, kind := range [...]string{"prompts", "resourceTemplates", "resources", "tools"} {
		for c := p.Doc.First(p.Doc.Get(p.Root, kind)); c >= 0; c = p.Doc.Next(c) {
			visit(kind, c)
		}
	}
	if c := p.Doc.Get(p.Root, "instructions"); c >= 0 {
		visit("instructions", c)
	}
}
