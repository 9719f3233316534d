package baseline

import (
	"net/url"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/destination"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/text"
)

// hosts returns the hosts, other than that of its URL, that an entry names in its variables and
// headers (the server often sends a credential to these hosts), in its OAuth settings (which
// determine who obtains the token), and in the project's files (see FileHosts).
func hosts(e *configfile.Entry) []string {
	all := slices.Clone(e.FileHosts)
	for _, values := range [...]map[string]string{e.Env, e.Headers} {
		for name, value := range values {
			all = append(all, HostsIn(name, value)...)
		}
	}
	for _, s := range e.Other {
		if oauthSetting.MatchString(s.Pointer) {
			all = append(all, HostsIn(s.Pointer, s.Text)...)
		}
	}
	if own, err := url.Parse(e.URL); err == nil && own.Host != "" {
		all = slices.DeleteFunc(all, func(host string) bool {
			return strings.EqualFold(host, own.Host) || strings.EqualFold(host, own.Scheme+"://"+own.Host)
		})
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// HostsIn returns the hosts other than this machine in a value, masked as in an identity.
func HostsIn(name, value string) []string {
	hosts := destination.Named(name, text.Literal(value))
	for i, host := range hosts {
		hosts[i] = text.Mask(host)
	}
	return hosts
}

// oauthSetting matches the pointers of OAuth settings in the entries of all clients, such as
// /oauth/authServerMetadataUrl, /oauth/token_url and /auth/redirectUri.
var oauthSetting = lazyregexp.New(`(?i)^/(?:o?auth|authorization)`)

// WithHosts returns the identity with the hosts of another identity added, because each client has its
// own settings for the same server.
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

// KeepHosts returns the identity, extended by the hosts that occur both in recorded and in named.
func (id *Identity) KeepHosts(recorded *Identity, named []string) *Identity {
	kept := slices.DeleteFunc(slices.Clone(recorded.Hosts), func(host string) bool { return !slices.Contains(named, host) })
	return id.WithHosts(&Identity{Hosts: kept})
}

// NewHosts returns the hosts in current that are not in id. A host with a scheme equals the same host
// without one.
func (id *Identity) NewHosts(current *Identity) []string {
	known := map[string]bool{}
	for _, o := range id.Hosts {
		_, host, address := strings.Cut(o, "://")
		known[o] = true
		known[host] = known[host] || address
	}
	return slices.DeleteFunc(slices.Clone(current.Hosts), func(o string) bool {
		_, host, _ := strings.Cut(o, "://")
		return known[o] || slices.Contains(id.Hosts, host)
	})
}
