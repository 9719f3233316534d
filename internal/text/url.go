package text

import "net/url"

// BareURL returns a URL without what may be secret in it: user, query and fragment. It is ""
// for a text that is no URL.
func BareURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
