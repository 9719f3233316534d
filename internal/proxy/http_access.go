package proxy

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Access says who may use the port of an HTTP proxy. Whoever may has all that the credentials
// of the client open at the server.
type Access struct {
	Hosts []string // names and addresses that clients use for the port, beside those of this machine, and whole origins; in lower case
	Token string   // that requests have to bring; "" for none
}

// TokenHeader is where a client gives the token of the port when its Authorization is for the
// server.
const TokenHeader = "Mcpscan-Token"

// refuses says why a request is not let in, with the HTTP status for it. A page in a browser
// reaches the port under a name that its owner made lead here, or from another origin.
func (a *Access) refuses(r *http.Request) (status int, why string) {
	if !a.knows(r.Host) {
		return http.StatusForbidden, "the Host header names another machine; if clients reach the proxy by that name, allow it with --allow-host"
	}
	for _, origin := range r.Header.Values("Origin") {
		if slices.Contains(a.Hosts, strings.ToLower(origin)) {
			continue
		}
		if u, err := url.Parse(origin); err != nil || u.Scheme != "http" && u.Scheme != "https" || !a.knows(u.Host) {
			return http.StatusForbidden, "the Origin header names another site; if it may use the proxy, allow its host, or the whole origin, with --allow-host"
		}
	}
	if strings.EqualFold(r.Header.Get("Sec-Fetch-Site"), "cross-site") && r.Header.Get("Origin") == "" {
		return http.StatusForbidden, "a page of another site asks"
	}
	if a.Token != "" && !a.authorized(r.Header) {
		return http.StatusUnauthorized, "the proxy wants the token of its port: give it as Authorization: Bearer TOKEN, or as " + TokenHeader + ": TOKEN where Authorization is for the server"
	}
	return 0, ""
}

// knows reports whether a host, with or without a port, is one that the proxy goes by.
func (a *Access) knows(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	return IsLoopback(host) || slices.Contains(a.Hosts, host)
}

// IsLoopback reports whether a host is this machine, and no other one can be it.
func IsLoopback(host string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Unmap().IsLoopback()
	}
	return strings.EqualFold(host, "localhost")
}

// authorized reports whether a request has the token.
func (a *Access) authorized(h http.Header) bool {
	return a.isToken(h.Get(TokenHeader)) || a.isToken(bearer(h))
}

func (a *Access) isToken(given string) bool {
	return subtle.ConstantTimeCompare([]byte(given), []byte(a.Token)) == 1
}

// bearer is the bearer token of a request, "" for none.
func bearer(h http.Header) string {
	scheme, token, _ := strings.Cut(h.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// strip takes out of a request what was for the proxy.
func (a *Access) strip(h http.Header) {
	h.Del(TokenHeader)
	if a.Token != "" && a.isToken(bearer(h)) {
		h.Del("Authorization")
	}
}
