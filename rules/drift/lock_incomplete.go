package drift

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var LockIncomplete = scanner.Rule{
	ID:         "lock-incomplete",
	Category:   "version_pin",
	Title:      "A lockfile entry lacks data that would reveal a change",
	Why:        "mcpscan can detect a change only in what the lockfile records. Anyone who removes the digest, the identity or the definitions from an entry can replace the program, the server or its tools without being noticed.",
	Fix:        "Restore the entry from version control. If it was never complete, run mcpscan lock --run-servers with the configuration, review what it adds, and run mcpscan approve.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The finding is high if the lockfile before the change contained the data, because mcpscan lock removes nothing from the entry of an unchanged server. It is medium if the lockfile never contained the data, and a configured server has it. A definition that was removed when its server was upgraded, or when its executable was replaced, is reported as a note by drift-removed-tool.",
	Refs:       []string{"OWASP-MCP:MCP04", "OWASP-MCP:MCP09", "CWE-353", "CWE-494"},
	Configs: func(p *scanner.ConfigPass) {
		for i := range p.Entries {
			entry := &p.Entries[i]
			offer, _ := p.Approved(entry.Name)
			if offer == nil || offer.Members == nil {
				continue
			}
			before := p.LockedBefore(entry.Name)
			if absent := neverRecorded(offer, before, baseline.IdentityOf(entry)); len(absent) > 0 {
				p.Report(entry, "", scanner.Medium, fmt.Sprintf("the lockfile entry of %q lacks: %s; mcpscan would not notice a change; run: %s",
					entry.Name, text.JoinSome(absent), p.LockCommand()), entry.Name, scanner.Related{Message: "locked here", Location: offer.Location})
			}
		}
	},
	On: mcp.OnList | mcp.OnIdentity,
	Judge: func(p *scanner.JudgePass) {
		if kind := p.Message.Kind; kind != mcp.Lockfile && kind != mcp.Started || p.LockedMembers() == nil {
			return
		}
		reportRemovedData(p)
		reportRemovedDefinitions(p)
		if p.Message.Kind == mcp.Lockfile {
			return
		}
		if absent := neverRecorded(p.Approved(), p.Before(), p.Identity()); len(absent) > 0 && !p.Configured() {
			p.Report(scanner.JudgeIssue{Severity: scanner.Medium, Subject: mcp.ServerSubject, Pointer: "/identity", Evidence: p.Server.ID,
				Message: fmt.Sprintf("the lockfile entry of this server lacks: %s; mcpscan would not notice a change; lock the server again", text.JoinSome(absent))})
		}
	},
}

// neverRecorded returns the names of the data that a server's lockfile entry lacks, and also lacked
// before the change. It returns nil if the lockfile describes a different server, because
// lock-stale reports that.
func neverRecorded(offer, before *scanner.Offer, now *baseline.Identity) (absent []string) {
	if len(offer.Locked.Stale(now)) > 0 {
		return nil
	}
	had := baseline.Members{}
	if before != nil {
		had = before.Members
	}
	wanted := now.Members()
	wanted["identity.approved"] = offer.Locked == nil || !offer.Locked.Pending // lock-pending reports a pending identity
	return withoutMembers(slices.DeleteFunc(offer.Members.Lacks(wanted), func(name string) bool { return had[name] }))
}

// withoutMembers removes the members of the identity from absent if absent contains the identity as
// a whole.
func withoutMembers(absent []string) []string {
	if slices.Contains(absent, "identity") {
		return slices.DeleteFunc(absent, func(name string) bool { return strings.HasPrefix(name, "identity.") })
	}
	return absent
}

// reportRemovedData reports data that the change removes from the server's entry in the lockfile.
func reportRemovedData(p *scanner.JudgePass) {
	before := p.Before()
	if before == nil {
		return
	}
	replaced := upgraded(p, before)
	absent := withoutMembers(p.LockedMembers().Lacks(before.Members))
	absent = slices.DeleteFunc(absent, func(name string) bool {
		return replaced && (name == "identity.exact" || strings.HasPrefix(name, "identity.") && otherProgram(before, p)) // drift-identity reports these changes
	})
	if len(absent) == 0 {
		return
	}
	issue := scanner.JudgeIssue{Severity: scanner.High, Subject: mcp.ServerSubject,
		Pointer: "/" + strings.ReplaceAll(absent[0], ".", "/"), Offset: p.Message.IdentityAt, Evidence: p.Server.ID,
		Key:     strings.Join(absent, " "),
		Message: fmt.Sprintf("this change removed data from the lockfile entry (%s), so mcpscan would not notice a change to the server; restore the entry", text.JoinSome(absent)),
		Related: []scanner.Related{{Message: "recorded here", Location: before.Location}}}
	if replaced && !slices.ContainsFunc(absent, func(name string) bool { return !strings.HasPrefix(name, "identity.") }) {
		issue.Approval = p.IdentityApprovedInChange()
	}
	p.Report(issue)
}

// upgraded reports whether the change gives the lockfile entry a different program, address, version or
// executable.
func upgraded(p *scanner.JudgePass, before *scanner.Offer) bool {
	was, now := before.Locked.Last(), p.Locked().Last()
	return was != nil && now != nil && (len(before.Locked.Stale(now)) > 0 || was.Replaced(now))
}

// otherProgram reports whether the server changed its kind, for example from a package to a file or
// an address. drift-identity reports that.
func otherProgram(before *scanner.Offer, p *scanner.JudgePass) bool {
	was, now := before.Locked.Last(), p.Locked().Last()
	return was.Ecosystem != now.Ecosystem || (was.URL == "") != (now.URL == "")
}

// reportRemovedDefinitions reports approved definitions that the change under review removed from the
// lockfile or made pending, and entries without definitions. In any other comparison of two lockfiles,
// drift-removed-tool reports what only the first one contains: lock --prune may have removed it.
func reportRemovedDefinitions(p *scanner.JudgePass) {
	before := p.Before()
	var absent, unapproved []string
	left := p.Withdrawn(func(was *scanner.Offered, gone bool) {
		if !p.Change() {
			return
		}
		if gone {
			absent = append(absent, nameOf(was))
		} else {
			unapproved = append(unapproved, nameOf(was))
		}
	})
	report := func(severity scanner.Severity, of []string, format string, args ...any) {
		p.Report(scanner.JudgeIssue{Severity: severity, Subject: mcp.ServerSubject, Offset: p.Message.Offset, Message: fmt.Sprintf(format, args...), Evidence: strings.Join(of, ", "), Key: format + strings.Join(of, ", ")})
	}
	switch {
	case left == 0 && len(absent) > 0:
		report(scanner.High, absent, "this change removed all definitions of the server from the lockfile, so none is approved; restore the entry")
	case left == 0 && p.Message.Kind == mcp.Lockfile: // for a running server, each definition is reported instead
		report(scanner.Medium, nil, "the lockfile has no definition of this server, so none is approved; run: mcpscan lock --run-servers")
	case len(absent) > 0 && !upgraded(p, before):
		report(scanner.High, absent, "this change removed %s of an unchanged server; restore what was removed, or mark it as not listed, as mcpscan lock does", counted(len(absent), "approved definition"))
	}
	if len(unapproved) > 0 {
		report(scanner.High, unapproved, "this change removed the approval of %s; restore it", counted(len(unapproved), "definition"))
	}
}

// counted formats a number with its noun, whose plural ends in s.
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

func nameOf(o *scanner.Offered) string {
	if o.Kind == mcp.ServerSubject {
		return "instructions"
	}
	return o.Kind.String() + " " + o.Name
}
