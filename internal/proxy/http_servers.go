package proxy

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// Servers is a proxy in front of several servers, each under a path with its name.
// All messages from one client belong to one session.
type Servers struct {
	access Access
	gate   *gate
	by     map[string]*HTTP // by prefix
}

// NewServers returns a proxy. The caller must close it.
func NewServers(o Options, a Access, upstreams []Upstream) *Servers {
	s := &Servers{access: a, gate: &gate{Options: o}, by: map[string]*HTTP{}}
	shared := newSessions()
	shared.wide = true
	for _, u := range upstreams {
		h := newHTTP(s.gate, a, u, shared)
		h.prefix = PathOf(u.Name)
		h.path = h.prefix
		s.by[h.prefix] = h
	}
	return s
}

// PathOf returns the path of a server behind a proxy with several servers.
func PathOf(name string) string { return "/" + url.PathEscape(name) }

// ServeHTTP handles a client request.
func (s *Servers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, _, _ := strings.Cut(strings.TrimPrefix(pathOf(r.URL), "/"), "/")
	if h := s.by["/"+name]; h != nil {
		h.ServeHTTP(w, r)
		return
	}
	if status, why := s.access.refuses(r); why != "" {
		writeError(w, status, nil, why)
		return
	}
	writeError(w, http.StatusNotFound, nil, "the proxy has no server with this name")
}

// Close stops inspecting messages, abandons answers on their way to servers, and ends the processes
// that the proxy started.
func (s *Servers) Close() {
	var closing sync.WaitGroup
	for _, h := range s.by {
		closing.Go(h.Close)
	}
	closing.Wait()
}
