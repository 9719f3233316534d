package configuration

import (
	"fmt"
	"path"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/destination"
	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/scanner"
)

var ScopeShadow = scanner.Rule{
	ID:         "cfg-scope-shadow",
	Category:   "tool_shadowing",
	Title:      "Two configurations use the same name for different servers",
	Why:        "Clients read several files, and start one of two servers with the same name. Clients remember consent by name, so a repository's server with the name of a user's server starts in its place, or inherits its trust.",
	Fix:        "Rename one of the two, or make them identical.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The names are equal and the commands differ. A different version of the same package, or the same address through a bridge, counts as the same server.",
	Refs:       []string{"OWASP-MCP:MCP09", "ATLAS:AML.T0074", "CWE-694"},
	Configs: func(p *scanner.ConfigPass) {
		for i := range p.Entries {
			e := &p.Entries[i]
			mine := identity(e)
			if mine == "" {
				continue
			}
			for _, before := range p.Before(e.Name) {
				theirs := identity(before.Entry)
				if theirs == "" || theirs == mine || before.Config.Path == p.Path || unrelated(p.ClientConfig.Project, before.Config.Project) {
					continue
				}
				pointer := "/command"
				evidence := strings.Join(append([]string{e.Command}, e.Args...), " ")
				if e.Command == "" {
					pointer, evidence = "/url", e.URL
				}
				at, severity := before.Location(), scanner.Medium
				if before.Entry.Disabled {
					severity = scanner.Low // the other server does not run, so this one cannot replace it yet
				}
				p.Report(e, pointer, severity, "another configuration defines a different server with this name",
					evidence, scanner.Related{Message: fmt.Sprintf("the other server with this name, in %s", belongs(before.Config)), Location: at})
				break
			}
		}
	},
}

// unrelated reports whether neither of two projects contains the other.
func unrelated(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	a, b = path.Clean(strings.ReplaceAll(a, `\`, "/"))+"/", path.Clean(strings.ReplaceAll(b, `\`, "/"))+"/"
	return a != "./" && b != "./" && !strings.HasPrefix(a, b) && !strings.HasPrefix(b, a)
}

// belongs describes the owner of a configuration.
func belongs(c *configfile.ClientConfig) string {
	if c.User {
		return "the user's configuration"
	}
	return "a configuration of the project"
}

// identity returns a string that is equal for entries that start the same server, or "" for an
// entry without a command or URL.
func identity(e *configfile.Entry) string {
	if e.Command == "" {
		return endpointOf(e.URL)
	}
	command, args, _ := e.RelativeCommand()
	l := launch.Parse(launch.Canonical(command, args))
	if bridge.MatchString(l.Name) {
		for _, arg := range e.Args {
			if strings.Contains(arg, "://") {
				return endpointOf(arg)
			}
		}
	}
	if l.Ecosystem.Fetched() {
		return string(l.Ecosystem) + " " + strings.ToLower(l.Name)
	}
	return strings.Join(append([]string{l.Program, string(l.Ecosystem), l.Name}, l.Words...), "\x00")
}

// endpointOf returns an address without the parts that may differ between users.
func endpointOf(s string) string {
	u, ok := destination.Address(s)
	if !ok {
		return s
	}
	return strings.ToLower(u.Host) + strings.TrimRight(u.Path, "/")
}
