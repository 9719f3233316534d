// Package entries provides rules with the commands that configuration entries start, and the
// packages that the commands fetch.
package entries

import (
	"fmt"
	"slices"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// EachCommand parses the command of every configured server that has one, and invokes the callback
// with the entry and the parsed command.
func EachCommand(p *scanner.ConfigPass, each func(*configfile.Entry, *launch.Command)) {
	for i := range p.Entries {
		e := &p.Entries[i]
		if e.Command == "" {
			continue
		}
		l := launch.Parse(e.Command, e.Args)
		each(e, &l)
	}
}

// EachNested invokes the callback for the command of every configured server that has one, and for
// the commands that this command runs. The callback also receives a function that reports a finding
// about an argument; equal findings are reported once.
func EachNested(p *scanner.ConfigPass, each func(e *configfile.Entry, c *launch.Command, report Reporter)) {
	EachCommand(p, func(e *configfile.Entry, l *launch.Command) {
		seen := map[string]bool{}
		l.Each(func(c *launch.Command) {
			each(e, c, func(arg int, severity scanner.Severity, message, evidence string) {
				pointer, word := Argument(e, arg)
				if evidence == "" {
					evidence = word
				}
				if key := pointer + " " + message + " " + evidence; !seen[key] {
					seen[key] = true
					p.Report(e, pointer, severity, message, evidence)
				}
			})
		})
	})
}

// Reporter reports a finding about an argument. Without evidence, the argument is the evidence.
type Reporter func(arg int, severity scanner.Severity, message, evidence string)

// EachPackage invokes the callback for every package that a configuration fetches, with the command
// that fetches it. It skips packages whose name is a reference to a variable.
func EachPackage(p *scanner.ConfigPass, each func(*configfile.Entry, *launch.Command, launch.Package)) {
	EachCommand(p, func(e *configfile.Entry, l *launch.Command) {
		l.EachPackage(func(c *launch.Command, one launch.Package) {
			if !text.IsReference(one.Name) {
				each(e, c, one)
			}
		})
	})
}

// Argument returns the JSON Pointer and the text of an argument, or of the command if there is no
// such argument.
func Argument(e *configfile.Entry, arg int) (pointer, word string) {
	if arg < 0 || arg >= len(e.Args) {
		return "/command", e.Command
	}
	return fmt.Sprintf("/args/%d", arg), e.Args[arg]
}

// UnlessOwn returns severity user for a configuration that belongs to the user or the machine, and
// severity project for any other, which may have come with a repository and been written by
// somebody else.
func UnlessOwn(p *scanner.ConfigPass, project, user scanner.Severity) scanner.Severity {
	if p.User {
		return user
	}
	return project
}

// Offline reports whether the options of a launcher prevent it from fetching anything.
func Offline(l *launch.Command) bool {
	return slices.ContainsFunc(l.Options, noFetch.MatchString)
}

var noFetch = lazyregexp.New(`^--(?:no-install|no-index|offline|no|pull=never)$`)
