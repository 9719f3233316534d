package baseline

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/destination"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/text"
)

// hosts returns the origins in an entry's variables and headers, to which the server often sends a
// credential, and in its OAuth settings, which determine who obtains the token.
func hosts(e *configfile.Entry) (origins []string) {
	own := origin(e.URL)
	add := func(value string) {
		if o := origin(value); o != "" && o != own {
			origins = append(origins, o)
		}
	}
	for _, values := range [...]map[string]string{e.Env, e.Headers} {
		for _, value := range values {
			add(text.Literal(value))
		}
	}
	for _, s := range e.Other {
		if oauthSetting.MatchString(s.Pointer) {
			add(s.Text)
		}
	}
	slices.Sort(origins)
	return slices.Compact(origins)
}

// oauthSetting matches the pointers of OAuth settings in the entries of all clients, such as
// /oauth/authServerMetadataUrl, /oauth/token_url and /auth/redirectUri.
var oauthSetting = lazyregexp.New(`(?i)^/(?:o?auth|authorization)`)

// origin returns the scheme and host of a URL, or "" if it has none or points to this machine.
func origin(raw string) string {
	u, ok := destination.Address(raw)
	if !ok || destination.Loopback(u.Hostname()) {
		return ""
	}
	return text.Mask(u.Scheme + "://" + strings.ToLower(u.Host))
}

// WithHosts returns the identity with the hosts of other added, because each client has its own
// settings for the same server.
func (id *Identity) WithHosts(other *Identity) *Identity {
	if other == nil || len(other.Hosts) == 0 {
		return id
	}
	both := *id
	both.Hosts = slices.Concat(id.Hosts, other.Hosts)
	slices.Sort(both.Hosts)
	both.Hosts = slices.Compact(both.Hosts)
	return &both
}

// NewHosts returns the hosts in current that are not in id.
func (id *Identity) NewHosts(current *Identity) []string {
	known := map[string]bool{}
	for _, o := range id.Hosts {
		known[o] = true
	}
	return slices.DeleteFunc(slices.Clone(current.Hosts), func(o string) bool { return known[o] })
}
