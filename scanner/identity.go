package scanner

import (
	"maps"
	"net/url"
	"slices"

	"github.com/mcpscan/mcpscan/internal/text"
)

// Identity is what tells that a server is the one that was approved: what starts
// it, or where it is. Secrets in it are masked, so that it may be written down;
// of the environment and of headers it has the names.
type Identity struct {
	Transport string
	Command   string
	Args      []string
	Cwd       string
	URL       string // without credentials and parameters
	Env       []string
	Headers   []string

	Ecosystem Ecosystem // where the package comes from that the command starts
	Package   string
	Version   string // as it is written
	Exact     bool   // Version is one version
	Pinned    string // the digest or commit that is asked for

	Found
}

// IdentityOf returns what an entry says of its server.
func IdentityOf(e *Entry) *Identity {
	secrets := e.concealer()
	id := &Identity{Transport: e.Transport, Command: secrets.Replace(text.Mask(e.Command)), Cwd: e.Cwd, URL: address(e.URL),
		Found: e.Found, Env: slices.Sorted(maps.Keys(e.Env)), Headers: slices.Sorted(maps.Keys(e.Headers))}
	for _, a := range e.Args {
		id.Args = append(id.Args, secrets.Replace(text.Mask(a)))
	}
	if e.Command != "" {
		l := Launch(e.Command, e.Args)
		id.Ecosystem, id.Package, id.Version, id.Exact, id.Pinned = l.Ecosystem, text.Mask(l.Name), l.Version, l.Exact, l.Digest
	}
	return id
}

// address is a URL without what may be secret in it.
func address(raw string) string {
	if raw == "" {
		return ""
	}
	u, err := url.Parse(raw)
	if err != nil {
		return text.Mask(raw)
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return text.Mask(u.String())
}
