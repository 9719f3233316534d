package launch

import "strings"

// misePackage parses a tool of mise exec. Tools without a prefix, which come from mise's own registry,
// and those with other prefixes have no ecosystem here.
func misePackage(s string) Package {
	kind, rest, _ := strings.Cut(s, ":")
	switch kind {
	case "npm":
		return npmPackage(rest)
	case "pipx":
		if owner, _, ok := strings.Cut(rest, "/"); ok && !strings.Contains(owner, ":") && !strings.Contains(owner, "+") { // owner/repository
			return misePackage("github:" + rest)
		}
		return pypiPackage(rest)
	case "cargo":
		return cratePackage(rest)
	case "go":
		if !strings.Contains(rest, "@") {
			rest += "@latest"
		}
		return goPackage(rest)
	case "ubi", "github", "gitlab":
		name, version, _ := strings.Cut(rest, "@")
		return Package{Ecosystem: Git, Name: name, Version: version, Exact: numbered.MatchString(version)}
	}
	return Package{}
}
