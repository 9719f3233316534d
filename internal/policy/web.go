package policy

import (
	"path"
	"strings"

	"github.com/mcpscan/mcpscan/internal/destination"
)

// webPorts are the schemes whose URLs clients parse by the WHATWG URL standard, with their default ports.
var webPorts = map[string]string{"http": ":80", "https": ":443", "ws": ":80", "wss": ":443"}

// web adds a web URL as clients read it: whatever the slashes after the scheme, with its host in canonical
// form, and without a user and the default port. Only rules that refuse need this reading.
func (r *readings) web(s string) {
	scheme, rest, _ := strings.Cut(s, ":")
	scheme = strings.ToLower(scheme)
	port, ok := webPorts[scheme]
	if !ok {
		return
	}
	query := len(rest)
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		query = i
	}
	authority, below, hasPath := strings.Cut(strings.TrimLeft(strings.ReplaceAll(rest[:query], `\`, "/"), "/"), "/")
	host := authority[strings.LastIndexByte(authority, '@')+1:]
	own := ""
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		host, own = host[:i], host[i:]
	}
	if own == port || own == ":" {
		own = ""
	}
	if hasPath {
		below = path.Clean("/" + below)
	}
	r.maybe = append(r.maybe, scheme+"://"+destination.Host(host)+own+below+rest[query:])
}
