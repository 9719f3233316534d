package launch

import "strings"

// jbang parses the arguments of jbang run, whose verb may be missing.
func jbang(l *Command) {
	l.take(&jbangOptions, max(jbangOptions.verb(l.Words, " run "), 0), jbangPackage)
}

// jbangPackage parses a script, an address, or an alias of a catalog that is fetched with git
// (ALIAS@OWNER/REPOSITORY). Maven artifacts have no ecosystem here.
func jbangPackage(s string) Package {
	if p, ok := remotePackage(s); ok {
		return p
	}
	if localPath(s) {
		return Package{Ecosystem: Local, Name: s}
	}
	if _, catalog, ok := strings.Cut(s, "@"); ok && !strings.Contains(s, ":") {
		return Package{Ecosystem: Git, Name: catalog}
	}
	if strings.Contains(s, ":") {
		return Package{Name: s}
	}
	return Package{Ecosystem: Local, Name: s}
}
