package launch

import (
	"net/url"
	"strings"
)

// nixPackage parses a flake reference: a repository, a directory, or a name in a registry of flakes.
func nixPackage(s string) Package {
	name, _, _ := strings.Cut(s, "#") // an output of the flake follows
	name, query, _ := strings.Cut(name, "?")
	p, ok := remotePackage(name)
	switch {
	case !ok && (name == "" || localPath(name) || strings.HasPrefix(name, "path:")):
		return Package{Ecosystem: Local, Name: s}
	case !ok:
		return Package{Name: s}
	}
	if parts := strings.SplitN(name, "/", 3); len(parts) == 3 && !strings.Contains(name, "://") { // github:owner/repository/revision
		p.Name, p.Version = parts[0]+"/"+parts[1], parts[2]
	}
	if values, err := url.ParseQuery(query); err == nil {
		for _, key := range []string{"ref", "rev"} {
			if v := values.Get(key); v != "" {
				p.Version = v
			}
		}
	}
	if commit.MatchString(p.Version) {
		p.Exact, p.Digest = true, p.Version
	}
	return p
}
