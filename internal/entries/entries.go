// Package entries gives rules the commands and packages that the entries of a
// configuration start.
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

// EachCommand calls each for every server of a configuration that has a command, with what
// that starts.
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

// EachPackage calls each for every package that a configuration has fetched.
func EachPackage(p *scanner.ConfigPass, each func(*configfile.Entry, *launch.Command, launch.Package)) {
	EachCommand(p, func(e *configfile.Entry, l *launch.Command) {
		for _, one := range append([]launch.Package{l.Package}, l.With...) {
			if one.Ecosystem.Fetched() && !text.IsReference(one.Name) {
				each(e, l, one)
			}
		}
	})
}

// Argument is the pointer to an argument of an entry, and the text there.
func Argument(e *configfile.Entry, arg int) (pointer, word string) {
	if arg < 0 || arg >= len(e.Args) {
		return "/command", e.Command
	}
	return fmt.Sprintf("/args/%d", arg), e.Args[arg]
}

// UnlessOwn lowers the severity of what users chose for their own machine; somebody else chose
// what comes with a repository.
func UnlessOwn(p *scanner.ConfigPass, project, user scanner.Severity) scanner.Severity {
	if p.User {
		return user
	}
	return project
}

// Offline reports whether a launcher is told not to fetch anything.
func Offline(l *launch.Command) bool {
	return slices.ContainsFunc(l.Words, noFetch.MatchString)
}

var noFetch = lazyregexp.New(`^--(?:no-install|offline|no|pull=never)$`)
