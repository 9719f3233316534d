package text

import "net/url"

// BareURL returns a URL without its user, query and fragment, which may be secret. It returns "" if
// raw is not a URL.
func BareURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
