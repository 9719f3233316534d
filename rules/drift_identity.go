package rules

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/scanner"
)

var driftIdentity = scanner.Rule{
	ID:         "drift-identity",
	Category:   "version_pin",
	Title:      "A server is not the one that was approved under its name",
	Why:        "Clients remember an approval by the name of a server. Whoever can change what stands behind the name runs another program with the old trust.",
	Fix:        "Compare what starts now with what the lockfile has. If the change is wanted, run mcpscan lock to write it down, and review the new lockfile.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The change is a fact. High where another program, package, host or file answers, or the program gets other arguments; medium where it gets more of the environment, an older version, or none that is fixed; a newer version of the same package is a note, because its tools are compared by themselves.",
	Refs:       []string{"OWASP-MCP:MCP04", "OWASP-MCP:MCP09", "ATLAS:AML.T0109", "CWE-494"},
	Configs: func(p *scanner.ConfigPass) {
		for i := range p.Entries {
			entry := &p.Entries[i]
			offer, _ := p.Approved(entry.Name)
			if offer == nil || offer.Identity == nil || entry.Disabled {
				continue
			}
			if c := compareIdentity(offer.Identity, scanner.IdentityOf(entry)); c != nil {
				p.Report(entry, c.pointer, c.severity, c.message(), c.evidence, scanner.Related{Message: "approved here", Location: offer.Location})
			}
		}
	},
	Judge: func(p *scanner.JudgePass) {
		offer := p.Approved()
		if offer == nil {
			return
		}
		if now := p.Identity(); now != nil && offer.Identity != nil {
			if c := compareIdentity(offer.Identity, now); c != nil {
				p.Report(scanner.JudgeIssue{Severity: c.severity, Subject: scanner.ServerSubject, Pointer: "/identity" + c.pointer, Offset: p.Message.IdentityAt,
					Message: c.message(), Evidence: c.evidence, Key: c.evidence, Related: []scanner.Related{{Message: "approved here", Location: offer.Location}}})
			}
		}
		reportInfo(p, offer)
	},
}

// reportInfo reports a server that calls itself something else.
func reportInfo(p *scanner.JudgePass, offer *scanner.Offer) {
	now, was := p.Message.Server, offer.Info
	if now == nil || now.Name == "" || was.Name == "" {
		return
	}
	related := []scanner.Related{{Message: "approved here", Location: offer.Location}}
	switch {
	case now.Name != was.Name:
		p.Report(scanner.JudgeIssue{Severity: scanner.Medium, Subject: scanner.ServerSubject, Pointer: "/serverInfo/name", Offset: p.Message.Offset, Related: related,
			Message: "the server calls itself something else than when it was approved", Evidence: now.Name, Key: now.Name})
	case now.Version != was.Version:
		p.Report(scanner.JudgeIssue{Severity: scanner.Note, Subject: scanner.ServerSubject, Pointer: "/serverInfo/version", Offset: p.Message.Offset, Related: related,
			Message: "the server has another version than when it was approved", Evidence: now.Version, Key: now.Version})
	}
}

// identityChange is what is different about a server, at the worst of it.
type identityChange struct {
	severity          scanner.Severity
	pointer, evidence string
	told              []string
}

func (c *identityChange) message() string {
	return "the server is started or reached in another way: " + joinWords(c.told)
}

func (c *identityChange) add(severity scanner.Severity, pointer, evidence, format string, args ...any) {
	if len(c.told) == 0 || severity > c.severity {
		c.severity, c.pointer, c.evidence = severity, pointer, evidence
	}
	c.told = append(c.told, fmt.Sprintf(format, args...))
}

// compareIdentity returns what is different, nil for nothing.
func compareIdentity(was, now *scanner.Identity) *identityChange {
	c := &identityChange{}
	if was.Transport != now.Transport && was.Transport != "" && now.Transport != "" {
		c.add(scanner.High, "", now.Transport, "the transport was %s and is %s", was.Transport, now.Transport)
	}
	c.program(was, now)
	c.address(was.URL, now.URL)
	if was.Cwd != now.Cwd {
		c.add(scanner.Medium, "/cwd", now.Cwd, "the working directory is another one")
	}
	c.names("environment variable", "/env", was.Env, now.Env, scanner.Medium)
	c.names("header", "/headers", was.Headers, now.Headers, scanner.Low)
	if len(c.told) == 0 {
		return nil
	}
	return c
}

// program compares what is run.
func (c *identityChange) program(was, now *scanner.Identity) {
	if program(was.Command) != program(now.Command) {
		c.add(scanner.High, "/command", now.Command, "the command is another one")
	} else if was.Command != now.Command {
		c.add(scanner.Medium, "/command", now.Command, "the command stands somewhere else")
	}
	args := 0
	for args < min(len(was.Args), len(now.Args)) && was.Args[args] == now.Args[args] {
		args++
	}
	at := fmt.Sprintf("/args/%d", args)
	evidence := strings.Join(now.Args[min(args, len(now.Args)):], " ")
	switch {
	case was.Ecosystem != now.Ecosystem || was.Package != now.Package:
		c.add(scanner.High, at, now.Package, "it starts another package or file")
	case was.Pinned != now.Pinned:
		c.add(scanner.Medium, at, now.Pinned, "it asks for another digest")
	case was.Version != now.Version:
		c.version(at, was, now)
	}
	if otherArgs(was, now) {
		c.add(scanner.High, at, evidence, "it gets other arguments")
	}
	if was.Resolved != "" && was.Resolved == now.Resolved && was.Integrity != "" && now.Integrity != "" && was.Integrity != now.Integrity {
		c.add(scanner.High, at, now.Integrity, "the same version of the package has another content")
	}
	if was.Digest != "" && now.Digest != "" && was.Digest != now.Digest {
		c.add(scanner.High, "/command", now.Executable, "the file that runs has another content")
	}
}

// version compares versions of one package, as they are written.
func (c *identityChange) version(at string, was, now *scanner.Identity) {
	switch {
	case was.Exact && !now.Exact:
		c.add(scanner.Medium, at, now.Version, "its version is not fixed any more")
	case was.Exact && older(now.Version, was.Version):
		c.add(scanner.Medium, at, now.Version, "its version is older")
	default:
		c.add(scanner.Note, at, now.Version, "its version is another one")
	}
}

// older compares two versions figure by figure; what stands behind the figures
// does not count.
func older(a, b string) bool {
	figures := func(v string) []string {
		v, _, _ = strings.Cut(strings.TrimLeft(v, "v="), "-")
		return strings.Split(v, ".")
	}
	x, y := figures(a), figures(b)
	for i := range min(len(x), len(y)) {
		if x[i] == y[i] {
			continue
		}
		if len(x[i]) != len(y[i]) {
			return len(x[i]) < len(y[i])
		}
		return x[i] < y[i]
	}
	return false
}

// otherArgs reports arguments that differ in more than the version of the package.
func otherArgs(was, now *scanner.Identity) bool {
	bare := func(id *scanner.Identity) (args []string) {
		for _, a := range id.Args {
			if id.Package != "" && strings.Contains(a, id.Package) {
				for _, v := range []string{id.Version, id.Pinned} {
					if v != "" {
						a = strings.Replace(a, v, "", 1)
					}
				}
				a = strings.TrimRight(a, "@:=")
			}
			args = append(args, a)
		}
		return args
	}
	return was.Package == now.Package && !slices.Equal(bare(was), bare(now))
}

// program is a command without the directory that it stands in.
func program(command string) string { return path.Base(strings.ReplaceAll(command, `\`, "/")) }

// address compares where a server is.
func (c *identityChange) address(was, now string) {
	if was == now {
		return
	}
	a, err1 := url.Parse(was)
	b, err2 := url.Parse(now)
	if err1 != nil || err2 != nil || a.Host != b.Host || a.Scheme != b.Scheme {
		c.add(scanner.High, "/url", now, "another host answers")
		return
	}
	c.add(scanner.Medium, "/url", now, "another path of the host answers")
}

// names compares the names of what a server is given.
func (c *identityChange) names(what, at string, was, now []string, weight scanner.Severity) {
	for _, name := range now {
		if !slices.Contains(was, name) {
			c.add(weight, at+"/"+escapePointer.Replace(name), name, "it is given the %s %q", what, name)
		}
	}
	for _, name := range was {
		if !slices.Contains(now, name) {
			c.add(scanner.Note, at, name, "it is not given the %s %q any more", what, name)
		}
	}
}
