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

// Access controls who may use the port of an HTTP proxy. Anyone with access can do whatever
// the client's credentials allow on the server.
type Access struct {
	Hosts []string // lower-case names and addresses, besides loopback ones, by which clients reach the port, and allowed origins
	Token string   // token that requests must carry; "" for none
}

// TokenHeader carries the port's token if the client's Authorization header is for the server.
const TokenHeader = "Mcpscan-Token"

// refuses returns the HTTP status and the reason if a request is rejected. A web page can reach the
// port by DNS rebinding or from another origin.
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
		return http.StatusForbidden, "the request comes from a page on another site"
	}
	if a.Token != "" && !a.isToken(r.Header.Get(TokenHeader)) && !a.isToken(bearer(r.Header)) {
		return http.StatusUnauthorized, "the proxy requires its token: send it as Authorization: Bearer TOKEN, or as " + TokenHeader + ": TOKEN if Authorization is for the server"
	}
	return 0, ""
}

// knows reports whether a host, with or without a port, is one of the proxy's names.
func (a *Access) knows(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	return IsLoopback(host) || slices.Contains(a.Hosts, host)
}

// IsLoopback reports whether a host can only be this machine.
func IsLoopback(host string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Unmap().IsLoopback()
	}
	return strings.EqualFold(host, "localhost")
}

func (a *Access) isToken(given string) bool {
	return subtle.ConstantTimeCompare([]byte(given), []byte(a.Token)) == 1
}

// bearer returns the bearer token in a request, or "" if there is none.
func bearer(h http.Header) string {
	scheme, token, _ := strings.Cut(h.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// strip removes the proxy's token from a request.
func (a *Access) strip(h http.Header) {
	h.Del(TokenHeader)
	if a.Token != "" && a.isToken(bearer(h)) {
		h.Del("Authorization")
	}
}
