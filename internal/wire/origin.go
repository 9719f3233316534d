package wire

import (
	"net/url"
	"strings"
)

// SameOrigin reports whether two URLs have the same scheme, host and port, so that a message to one may
// go to the other with its credentials.
func SameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	return map[string]string{"http": "80", "https": "443"}[u.Scheme]
}
