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

// Advisory says which versions of a package are known to be vulnerable or malicious.
type Advisory struct {
	ID        string
	Aliases   []string
	Ecosystem launch.Ecosystem
	Package   string
	Ranges    []Affected
	Versions  []string // single versions that are affected
	Malicious bool
	Severity  scanner.Severity
	Source    string // where it was published
	Date      string // of the source, as year-month-day

	// Unverified says that the range was told by others than the source.
	Unverified bool
}

// Affected is a range of versions. Without a Fixed and a Last it has no end.
type Affected struct {
	Introduced string // the first version; "" or "0" is the first of all
	Fixed      string // the first that is not affected any more
	Last       string // the last one affected, where Fixed is not known
}

// Advisories are advisories by the package that they are about.
type Advisories struct{ byPackage map[packageKey][]*Advisory }

type packageKey struct {
	ecosystem launch.Ecosystem
	name      string
}

// NewAdvisories returns the advisories that are built in, with those of others. One
// of the others that is the same by its ID or alias takes the place of a built-in one.
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

// same reports whether two advisories are one, by their IDs and aliases.
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

// Wanted reports whether a configuration fetches a package of this ecosystem and name; other
// advisories need not be kept.
func Wanted(configs []*configfile.ClientConfig) func(launch.Ecosystem, string) bool {
	names := map[packageKey]bool{}
	for _, c := range configs {
		entries.EachPackage(&scanner.ConfigPass{ClientConfig: c}, func(_ *configfile.Entry, _ *launch.Command, one launch.Package) {
			names[packageOf(one.Ecosystem, one.Name)] = true
		})
	}
	return func(e launch.Ecosystem, name string) bool { return names[packageOf(e, name)] }
}

// Advised returns a rule that goes by these advisories in place of the built-in
// ones, and any other rule as it is.
func Advised(r scanner.Rule, a *Advisories) scanner.Rule {
	switch r.ID {
	case KnownVulnerable.ID:
		r.Config = a.check(false)
	case KnownMalicious.ID:
		r.Config = a.check(true)
	}
	return r
}

// check reports the packages of a configuration that are affected.
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

// say is the message of a finding.
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

// systems are the ecosystems whose versions can be compared.
var systems = map[launch.Ecosystem]semver.System{
	launch.NPM: semver.NPM, launch.PyPI: semver.PyPI, launch.Go: semver.Go, launch.NuGet: semver.NuGet, launch.Cargo: semver.Cargo,
}

// maxVersion bounds a version or a range that is compared. Real ones have some tens.
const maxVersion = 256

// affects reports whether every version that a package may be fetched in is affected.
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

// covers reports whether one version is affected.
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
			return -2 // compared with nothing
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

// holds reports whether a range contains every version of a set: none precedes its start or
// follows its end.
func (r Affected) holds(sys semver.System, asked semver.Set) bool {
	if r.Introduced != "" && r.Introduced != "0" && !apart(sys, "<", r.Introduced, asked) {
		return false
	}
	switch {
	case r.Fixed != "":
		return !asked.Empty() && apart(sys, ">=", r.Fixed, asked)
	case r.Last != "":
		return !asked.Empty() && apart(sys, ">", r.Last, asked)
	}
	return !asked.Empty()
}

// apart reports whether no version of a set is on one side of a bound.
func apart(sys semver.System, side, bound string, asked semver.Set) bool {
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
	// Where two sets only touch, the library keeps the point in which they do,
	// though an open bound leaves it out.
	equal := "="
	if sys == semver.PyPI {
		equal = "=="
	}
	point, err := sys.ParseConstraint(equal + bound)
	return err == nil && side != ">=" && point.Set().String() == set.String()
}
