package baseline

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/destination"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/text"
)

// oauthOrigins returns the origins that take part in the authorization of the user, and so can obtain
// the token for the server.
func oauthOrigins(e *configfile.Entry) (origins []string) {
	own := origin(e.URL)
	for _, s := range e.Other {
		if o := origin(s.Text); o != "" && o != own && oauthSetting.MatchString(s.Pointer) {
			origins = append(origins, o)
		}
	}
	slices.Sort(origins)
	return slices.Compact(origins)
}

// oauthSetting matches the pointers of OAuth settings in the entries of all clients, such as
// /oauth/authServerMetadataUrl, /oauth/token_url and /auth/redirectUri.
var oauthSetting = lazyregexp.New(`(?i)^/(?:o?auth|authorization)`)

// origin returns the scheme and host of a URL, or "" if it has none or leads to this machine.
func origin(raw string) string {
	u, ok := destination.Address(raw)
	if !ok || destination.Loopback(u.Hostname()) {
		return ""
	}
	return text.Mask(u.Scheme + "://" + strings.ToLower(u.Host))
}

// With returns the identity with the OAuth origins of another one as well: each client has its own
// settings for the same server.
func (id *Identity) With(other *Identity) *Identity {
	if other == nil || len(other.OAuth) == 0 {
		return id
	}
	both := *id
	both.OAuth = slices.Concat(id.OAuth, other.OAuth)
	slices.Sort(both.OAuth)
	both.OAuth = slices.Compact(both.OAuth)
	return &both
}

// NewOAuth returns the OAuth origins that now has and id lacks.
func (id *Identity) NewOAuth(now *Identity) []string {
	known := map[string]bool{}
	for _, o := range id.OAuth {
		known[o] = true
	}
	return slices.DeleteFunc(slices.Clone(now.OAuth), func(o string) bool { return known[o] })
}
