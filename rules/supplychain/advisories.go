package supplychain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"

	"deps.dev/util/semver"

	"github.com/mcpscan/mcpscan/internal/entries"
	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// Advisory lists versions of a package that are known to be vulnerable or malicious.
type Advisory struct {
	ID        string
	Aliases   []string
	Ecosystem launch.Ecosystem
	Package   string
	Ranges    []Affected
	Versions  []string // single affected versions
	Malicious bool
	Severity  scanner.Severity
	Source    string // publisher
	Date      string // date of the source, as YYYY-MM-DD

	// Unverified means that the ranges were not verified at the source.
	Unverified bool
}

// Affected is a range of versions. It is open-ended if neither Fixed nor Last is set.
type Affected struct {
	Introduced string // first affected version; "" or "0" for the very first
	Fixed      string // first version that is no longer affected
	Last       string // last affected version, if Fixed is unknown
}

// Advisories holds advisories by package.
type Advisories struct{ byPackage map[packageKey][]*Advisory }

type packageKey struct {
	ecosystem launch.Ecosystem
	name      string
}

// NewAdvisories returns the built-in and the given advisories. A given advisory replaces a built-in
// one that has the same ID or alias.
func NewAdvisories(others []Advisory) *Advisories {
	a := &Advisories{byPackage: map[packageKey][]*Advisory{}}
	for _, list := range [...][]Advisory{others, builtIn} {
		for i := range list {
			one := &list[i]
			key := packageOf(one.Ecosystem, one.Package)
			if !slices.ContainsFunc(a.byPackage[key], one.same) {
				a.byPackage[key] = append(a.byPackage[key], one)
			}
		}
	}
	return a
}

// same reports whether two advisories share an ID or alias.
func (a *Advisory) same(b *Advisory) bool {
	theirs := append(slices.Clone(b.Aliases), b.ID)
	return slices.ContainsFunc(append(slices.Clone(a.Aliases), a.ID), func(id string) bool { return slices.Contains(theirs, id) })
}

func packageOf(ecosystem launch.Ecosystem, name string) packageKey {
	if ecosystem != launch.Go {
		name = packageName(ecosystem, name)
	}
	return packageKey{ecosystem, name}
}

// Wanted returns a function that reports whether any of the configurations fetches a package.
// Advisories about other packages can be dropped.
func Wanted(configs []*configfile.ClientConfig) func(launch.Ecosystem, string) bool {
	names := map[packageKey]bool{}
	for _, c := range configs {
		entries.EachPackage(&scanner.ConfigPass{ClientConfig: c}, func(_ *configfile.Entry, _ *launch.Command, one launch.Package) {
			names[packageOf(one.Ecosystem, one.Name)] = true
		})
	}
	return func(e launch.Ecosystem, name string) bool { return names[packageOf(e, name)] }
}

// Advised returns the rule with these advisories instead of only the built-in ones, or the rule
// unchanged if it uses no advisories.
func Advised(r scanner.Rule, a *Advisories) scanner.Rule {
	switch r.ID {
	case KnownVulnerable.ID:
		r.Config = a.check(false)
	case KnownMalicious.ID:
		r.Config = a.check(true)
	}
	return r
}

// check returns a function that reports the affected packages of a configuration.
func (a *Advisories) check(malicious bool) func(*scanner.ConfigPass) {
	return func(p *scanner.ConfigPass) {
		entries.EachPackage(p, func(e *configfile.Entry, _ *launch.Command, one launch.Package) {
			for _, adv := range a.byPackage[packageOf(one.Ecosystem, one.Name)] {
				if adv.Malicious != malicious || !adv.affects(one) {
					continue
				}
				severity, note := adv.Severity, ""
				if adv.Unverified {
					severity, note = max(severity-1, scanner.Low), " (affected range not verified)"
				}
				pointer, word := entries.Argument(e, one.Arg)
				p.Report(e, pointer, severity, adv.say(one)+note, word)
			}
		})
	}
}

// say returns the message of a finding.
func (a *Advisory) say(one launch.Package) string {
	what := "a known vulnerability"
	if a.Malicious {
		what = "known malicious code"
	}
	id := strings.Join(append([]string{a.ID}, a.Aliases...), ", ")
	message := fmt.Sprintf("%s %s has %s (%s)", one.Name, written(one.Version), what, id)
	for _, r := range a.Ranges {
		if r.Fixed != "" {
			message += "; upgrade to at least " + r.Fixed
			break
		}
	}
	switch {
	case a.Source != "":
		message += "; " + a.Source + ", " + a.Date
	case a.Date != "":
		message += "; as of " + a.Date
	}
	return message
}

func written(version string) string {
	if version == "" {
		return "in its newest version"
	}
	return version
}

// systems maps the ecosystems with comparable versions to their version systems.
var systems = map[launch.Ecosystem]semver.System{
	launch.NPM: semver.NPM, launch.PyPI: semver.PyPI, launch.Go: semver.Go, launch.NuGet: semver.NuGet, launch.Cargo: semver.Cargo,
}

// maxVersion is the maximum length of a compared version or range, in bytes.
const maxVersion = 256

// affects reports whether the advisory covers every version of a package that may be fetched.
func (a *Advisory) affects(one launch.Package) bool {
	sys, ok := systems[one.Ecosystem]
	switch {
	case !ok || len(one.Version) > maxVersion || text.IsReference(one.Version):
		return false
	case one.Exact:
		return a.covers(sys, one.Version)
	case one.Version == "" || one.Version == "latest":
		return slices.ContainsFunc(a.Ranges, func(r Affected) bool { return r.Fixed == "" && r.Last == "" })
	}
	asked, err := sys.ParseConstraint(one.Version)
	if err != nil {
		return false // a tag or a branch
	}
	return slices.ContainsFunc(a.Ranges, func(r Affected) bool { return r.holds(sys, asked.Set()) })
}

// covers reports whether the advisory covers a single version.
func (a *Advisory) covers(sys semver.System, version string) bool {
	if sys == semver.NPM {
		version = strings.TrimLeft(version, "=v")
	}
	v, err := sys.Parse(version)
	if err != nil {
		return slices.Contains(a.Versions, version)
	}
	at := func(other string) int {
		o, err := sys.Parse(other)
		if err != nil {
			return -2 // not equal to anything
		}
		return v.Compare(o)
	}
	if slices.ContainsFunc(a.Versions, func(listed string) bool { return at(listed) == 0 }) {
		return true
	}
	return slices.ContainsFunc(a.Ranges, func(r Affected) bool {
		after := r.Introduced == "" || r.Introduced == "0" || at(r.Introduced) >= 0
		switch {
		case r.Fixed != "":
			return after && at(r.Fixed) == -1
		case r.Last != "":
			return after && (at(r.Last) == -1 || at(r.Last) == 0)
		}
		return after
	})
}

// holds reports whether a range contains every version in a set: none is before its start or after
// its end.
func (r Affected) holds(sys semver.System, asked semver.Set) bool {
	if r.Introduced != "" && r.Introduced != "0" && !disjoint(sys, "<", r.Introduced, asked) {
		return false
	}
	switch {
	case r.Fixed != "":
		return !asked.Empty() && disjoint(sys, ">=", r.Fixed, asked)
	case r.Last != "":
		return !asked.Empty() && disjoint(sys, ">", r.Last, asked)
	}
	return !asked.Empty()
}

// disjoint reports whether a set has no version on the given side of a bound.
func disjoint(sys semver.System, side, bound string, asked semver.Set) bool {
	outside, err := sys.ParseConstraint(side + bound)
	if err != nil {
		return false
	}
	set := outside.Set()
	if err := set.Intersect(asked); err != nil {
		return false
	}
	if set.Empty() {
		return true
	}
	// If two ranges share only an end point, the library includes that point in their
	// intersection even if a bound excludes it.
	equal := "="
	if sys == semver.PyPI {
		equal = "=="
	}
	point, err := sys.ParseConstraint(equal + bound)
	return err == nil && side != ">=" && point.Set().String() == set.String()
}
