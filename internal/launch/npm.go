package launch

import (
	"strings"

	"github.com/mcpscan/mcpscan/internal/lazyregexp"
)

// OfficialRegistry reports whether a host, with or without a scheme, belongs to an official registry.
// The registries of GitHub count, because only the owner of a name can publish under it there; files and
// releases on github.com do not, because anyone can publish them under any name.
func OfficialRegistry(host string) bool { return officialRegistry.MatchString(host) }

var officialRegistry = lazyregexp.New(`(?i)(?:^|\.|://)(?:npmjs\.(?:com|org)|yarnpkg\.com|pypi\.org|pythonhosted\.org|golang\.org|pkg\.github\.com|jsr\.io|nuget\.org)$`)

// orInit returns the parser for a launcher whose further verbs run a package create-NAME.
func orInit(o *options, verbs, inits string) func(*Command) {
	run, create := fetched(o, verbs, npmPackage), fetched(o, inits, initializer)
	return func(l *Command) {
		if o.verb(l.Words, inits) >= 0 {
			create(l)
		} else {
			run(l)
		}
	}
}

// initializer parses the argument of npm init. A scope alone stands for @scope/create.
func initializer(s string) Package {
	p := npmPackage(s)
	if p.Ecosystem != NPM {
		return p
	}
	scope, name, scoped := strings.Cut(p.Name, "/")
	switch {
	case scoped:
		p.Name = scope + "/create-" + name
	case strings.HasPrefix(p.Name, "@"):
		p.Name += "/create"
	default:
		p.Name = "create-" + p.Name
	}
	return p
}

// npmPackage parses an npm package specifier: name@version, a repository, an archive, or a
// directory.
func npmPackage(s string) Package {
	s = strings.TrimSpace(s)
	if localPath(s) {
		return Package{Ecosystem: Local, Name: s}
	}
	s = strings.TrimPrefix(s, "npm:")
	if repository.MatchString(s) {
		p, _ := remotePackage("git+" + s)
		p.Name = strings.TrimPrefix(p.Name, "git+")
		return p
	}
	if p, ok := remotePackage(s); ok {
		return p
	}
	scoped := strings.HasPrefix(s, "@")
	if !scoped && strings.Count(s, "/") == 1 && !strings.Contains(s, "@") { // owner/repository
		p, _ := remotePackage("github:" + s)
		p.Name = strings.TrimPrefix(p.Name, "github:")
		return p
	}
	if at := strings.LastIndex(s, "@npm:"); at > 0 { // name@npm:other@1.2.3
		return npmPackage(s[at+len("@npm:"):])
	}
	p := Package{Ecosystem: NPM, Name: s}
	if at := strings.IndexByte(s[min(1, len(s)):], '@') + 1; at > 0 {
		p.Name, p.Version = s[:at], strings.TrimSpace(s[at+1:])
	}
	if _, ok := remotePackage(p.Version); ok || repository.MatchString(p.Version) || localPath(p.Version) { // name@address
		return npmPackage(p.Version)
	}
	p.Exact = semver.MatchString(p.Version)
	return p
}
