package drift

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
	"github.com/mcpscan/mcpscan/scanner"
)

var Identity = scanner.Rule{
	ID:         "drift-identity",
	Category:   "version_pin",
	Title:      "A server differs from the one approved under its name",
	Why:        "Clients remember an approval by server name. Whoever can change the program or address behind the name inherits the approval.",
	Fix:        "Compare the server's current command, package and URL with the lockfile. If you want the change, run mcpscan lock (unless the lockfile already has it), then mcpscan approve.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The change is certain. The finding is critical if the same package version has different content. It is high for a different program, package or host, a new host in the server's variables, headers, OAuth settings or the launcher's settings, or different arguments, and medium for more environment variables, an older version, or an unpinned one. A newer version of the same package is reported as a note, because its tools are compared separately. binary-mismatch reports a replaced executable.",
	Refs:       []string{"OWASP-MCP:MCP04", "OWASP-MCP:MCP09", "ATLAS:AML.T0109", "CWE-494"},
	Configs: func(p *scanner.ConfigPass) {
		identified(p, func(entry *configfile.Entry, offer *scanner.Offer, now *baseline.Identity) {
			if len(offer.Locked.Stale(now)) > 0 { // lock-stale reports it
				return
			}
			if c := compareIdentity(offer.Identity, now); c != nil {
				p.Report(entry, c.pointer, c.severity, c.message(), c.evidence, scanner.Related{Message: "approved here", Location: offer.Location})
			}
		})
	},
	On: mcp.OnIdentity | mcp.OnIntroduction,
	Judge: func(p *scanner.JudgePass) {
		offer := p.Approved()
		if offer == nil {
			return
		}
		if now := p.Identity(); now != nil && offer.Identity != nil {
			if c := changedSince(offer.Identity, p.ConfiguredIdentity(), now); c != nil {
				p.Report(scanner.JudgeIssue{Severity: c.severity, Subject: mcp.ServerSubject, Pointer: "/identity" + c.pointer, Offset: p.Message.IdentityAt,
					Message: c.message(), Evidence: c.evidence, Key: c.evidence, Approval: p.IdentityApprovedInChange(), Related: []scanner.Related{{Message: "approved here", Location: offer.Location}}})
			}
		}
		reportInfo(p, offer)
	},
}

// identified invokes visit for each configuration entry that has an approved identity, with its
// current identity.
func identified(p *scanner.ConfigPass, visit func(*configfile.Entry, *scanner.Offer, *baseline.Identity)) {
	for i := range p.Entries {
		entry := &p.Entries[i]
		if offer, _ := p.Approved(entry.Name); offer != nil && offer.Identity != nil && entry.Compared() {
			visit(entry, offer, baseline.IdentityOf(entry))
		}
	}
}

// reportInfo reports a change in serverInfo or the protocol version.
func reportInfo(p *scanner.JudgePass, offer *scanner.Offer) {
	now, was := p.Message.Server, offer.Info
	if now == nil || now.Name == "" || was.Name == "" {
		return
	}
	changed := func(severity scanner.Severity, pointer, what, is string) {
		p.Report(scanner.JudgeIssue{Severity: severity, Subject: mcp.ServerSubject, Pointer: pointer, Offset: p.Message.Offset,
			Message: what + " changed since approval", Evidence: is, Key: is, Approval: p.IdentityApprovedInChange(), Related: []scanner.Related{{Message: "approved here", Location: offer.Location}}})
	}
	switch {
	case now.Name != was.Name:
		changed(scanner.Medium, "/serverInfo/name", "serverInfo.name", now.Name)
	case now.Title != was.Title:
		changed(scanner.Low, "/serverInfo/title", "serverInfo.title", now.Title)
	case now.Version != was.Version:
		changed(scanner.Note, "/serverInfo/version", "serverInfo.version", now.Version)
	case now.Protocol != "" && was.Protocol != "" && now.Protocol != was.Protocol:
		changed(scanner.Note, "/protocolVersion", "the protocol version", now.Protocol)
	}
}

// identityChange describes how a server's identity changed, with the highest severity.
type identityChange struct {
	severity          scanner.Severity
	pointer, evidence string
	told              []string
}

func (c *identityChange) message() string {
	return "the server is now started or reached in a different way: " + text.JoinSome(c.told)
}

func (c *identityChange) add(severity scanner.Severity, pointer, evidence, format string, args ...any) {
	if len(c.told) == 0 || severity > c.severity {
		c.severity, c.pointer, c.evidence = severity, pointer, evidence
	}
	c.told = append(c.told, fmt.Sprintf(format, args...))
}

// compareIdentity returns the differences, or nil if there are none.
func compareIdentity(was, now *baseline.Identity) *identityChange {
	c := &identityChange{}
	was, now = baseline.Pair(was, now)
	if was.Transport != now.Transport && was.Transport != "" && now.Transport != "" {
		c.add(scanner.High, "", now.Transport, "the transport was %s and is now %s", was.Transport, now.Transport)
	}
	c.program(was, now)
	c.address(was.URL, now.URL)
	if was.Cwd != now.Cwd {
		c.add(scanner.Medium, "/cwd", now.Cwd, "the working directory changed")
	}
	c.names("environment variable", "/env", was.Env, now.Env, scanner.Medium)
	c.names("header", "/headers", was.Headers, now.Headers, scanner.Low)
	for _, origin := range was.NewHosts(now) {
		c.add(scanner.High, "/hosts", origin, "its settings now name %s", origin)
	}
	if len(c.told) == 0 {
		return nil
	}
	return c
}

// changedSince returns the current differences except those that a check of the configuration
// already reports.
func changedSince(was, written, now *baseline.Identity) *identityChange {
	if written == nil {
		return compareIdentity(was, now)
	}
	before, c := &identityChange{}, &identityChange{}
	before.file(was, written)
	c.file(was, now)
	if len(c.told) == 0 || slices.Equal(c.told, before.told) {
		return nil
	}
	return c
}

// program compares the programs and their arguments.
func (c *identityChange) program(was, now *baseline.Identity) {
	switch {
	case program(was.Command) != program(now.Command):
		c.add(scanner.High, "/command", now.Command, "the command changed")
	case directory(was.Command) == directory(now.Command):
	case usualPlace(now.Command):
		c.add(scanner.Medium, "/command", now.Command, "the path of the command changed")
	default:
		c.add(scanner.High, "/command", now.Command, "the command is now outside the system directories")
	}
	args := 0
	for args < min(len(was.Args), len(now.Args)) && was.Args[args] == now.Args[args] {
		args++
	}
	at := fmt.Sprintf("/args/%d", args)
	if args == max(len(was.Args), len(now.Args)) { // a file replaces the package
		at = "/command"
	}
	evidence := strings.Join(now.Args[min(args, len(now.Args)):], " ")
	switch {
	case was.Ecosystem != now.Ecosystem || was.Package != now.Package:
		c.add(scanner.High, at, now.Package, "it now starts another package or file")
	case was.Pinned != now.Pinned:
		c.add(scanner.Medium, at, now.Pinned, "it now requires another digest")
	case was.Version != now.Version:
		c.version(at, was, now)
	}
	if was.Package == now.Package && !was.SameArgs(now) {
		c.add(scanner.High, at, evidence, "its arguments changed")
	}
	c.file(was, now)
}

// file compares the executables and packages that ran, if they are known.
func (c *identityChange) file(was, now *baseline.Identity) {
	if !was.Replaced(now) && was.Executable != "" && now.Executable != "" && was.Executable != now.Executable { // binary-mismatch reports a replaced one
		c.add(scanner.Low, "/executable", now.Executable, "the path of the executable changed")
	}
	if was.Resolved == "" || now.Resolved == "" || was.Package != now.Package {
		return
	}
	switch {
	case was.Resolved == now.Resolved && otherContent(was.Integrity, now.Integrity):
		c.add(scanner.Critical, "/integrity", now.Integrity, "the same package version has different content")
	case older(now.Resolved, was.Resolved):
		c.add(scanner.Medium, "/resolved", now.Resolved, "the running version is older")
	case was.Resolved != now.Resolved:
		c.add(scanner.Note, "/resolved", now.Resolved, "the running version changed")
	}
}

// otherContent reports whether two digests of the same algorithm, such as sha512-…, differ.
func otherContent(was, now string) bool {
	a, _, _ := strings.Cut(was, "-")
	b, _, _ := strings.Cut(now, "-")
	return was != "" && a == b && was != now
}

// version compares the versions of one package that the commands name.
func (c *identityChange) version(at string, was, now *baseline.Identity) {
	switch {
	case strings.ContainsAny(now.Version, ":/") && was.Ecosystem != launch.Git && was.Ecosystem != launch.URL:
		c.add(scanner.High, at, now.Version, "its version now points to another package or file")
	case was.Exact && !now.Exact:
		c.add(scanner.Medium, at, now.Version, "its version is no longer pinned")
	case was.Exact && older(now.Version, was.Version):
		c.add(scanner.Medium, at, now.Version, "its version is older")
	default:
		c.add(scanner.Note, at, now.Version, "its version changed")
	}
}

// address compares the URLs of a server.
func (c *identityChange) address(was, now string) {
	if was == now {
		return
	}
	a, err1 := url.Parse(was)
	b, err2 := url.Parse(now)
	if err1 != nil || err2 != nil || baseline.Host(a) != baseline.Host(b) || a.Scheme != b.Scheme {
		c.add(scanner.High, "/url", now, "the scheme, host or port changed")
		return
	}
	if strings.TrimSuffix(a.EscapedPath(), "/") != strings.TrimSuffix(b.EscapedPath(), "/") {
		c.add(scanner.Medium, "/url", now, "the path on the host changed")
	}
}

// names compares the names of the variables or headers that a server gets.
func (c *identityChange) names(what, at string, was, now []string, weight scanner.Severity) {
	for _, name := range now {
		if !slices.Contains(was, name) {
			c.add(weight, at+"/"+wire.EscapePointer(name), name, "it now gets the %s %q", what, name)
		}
	}
	for _, name := range was {
		if !slices.Contains(now, name) {
			c.add(scanner.Note, at, name, "it no longer gets the %s %q", what, name)
		}
	}
}
