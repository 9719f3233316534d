package proxy

import (
	"container/list"
	"crypto/sha256"
	"fmt"
	"iter"
	"net"
	"net/http"
	gopath "path"
	"slices"
	"strings"
	"sync"

	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/internal/wire"
)

const (
	headerSession = "Mcp-Session-Id"
	headerVersion = "Mcp-Protocol-Version"

	// versionStateless is the first protocol version without sessions. Versions are dates.
	versionStateless = "2026-07-28"
)

// maxNamed is the maximum number of HTTP sessions whose engine session is remembered, and maxBatch
// is the maximum number of requests in a batch that are tracked by id.
const (
	maxNamed = 4096
	maxBatch = 1024
)

// firstSession is the engine session of the first HTTP session. The next one is proxy-2.
const firstSession = "proxy"

// sessions maps exchanges to engine sessions. Depending on the protocol, HTTP identifies a session
// by an ID, by the URL of an event stream, or not at all; in the last case, the client's identity is
// used.
type sessions struct {
	mu    sync.Mutex
	wide  bool // one client's sessions with several servers are treated as one session
	count int
	recent

	open map[place]map[string]int // unanswered requests, by id
}

// place is the scope in which request ids are unique.
type place struct{ session, server string }

func newSessions() *sessions { return &sessions{open: map[place]map[string]int{}} }

// idKey returns the key of a session with a session ID.
func idKey(id string) string { return "id " + id }

// begunKey returns the key that marks a session as begun by a client that received no session ID.
func begunKey(session string) string { return "begun " + session }

// askerKey returns the key of a client that sends no session ID. Only its address, its User-Agent
// and its credentials show which requests belong together.
func (s *sessions) askerKey(r *http.Request) string {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	who := []string{host, r.UserAgent(), r.Header.Get("Authorization")}
	if s.wide { // a client uses a different token for each server
		who = who[:2]
	}
	sum := sha256.Sum256([]byte(strings.Join(who, "\x00")))
	return "asker " + string(sum[:16])
}

// urlKey returns the key of an event stream, from the URL to which its messages are posted. The key
// is the same for all forms in which URL parsers of clients may write the URL: they escape
// different characters, and some resolve escaped dot segments.
func urlKey(uri string) string {
	path, query, _ := strings.Cut(uri, "?")
	return "url " + plainPath(path) + "?" + unescaped(query)
}

// plainPath returns a path without escapes and dot segments.
func plainPath(path string) string {
	return gopath.Clean("/" + strings.ReplaceAll(unescaped(path), `\`, "/"))
}

// unescaped returns s without percent-encoding, except for invalid escapes.
func unescaped(s string) string { return string(text.Unpercent([]byte(s))) }

// sessionID returns the session ID in a request, or "" if its protocol version has none.
func sessionID(r *http.Request) string {
	if r.Header.Get(headerVersion) >= versionStateless {
		return ""
	}
	return r.Header.Get(headerSession)
}

// of returns the session for a request, and whether other clients may share it by mistake. A
// request that begins a session gets a new one.
func (s *sessions) of(r *http.Request, begins bool) (session string, shared bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := s.askerKey(r)
	id := sessionID(r)
	switch {
	case s.wide:
		id = ""
	case id != "":
		key = idKey(id)
	case begins:
		return s.next(), false
	}
	if known := s.find(key); known != "" {
		return known, id == ""
	}
	return s.keep(key, s.next()), id == ""
}

// begun remembers a new session by the ID that the server gave it, or by the client if the server
// gave none.
func (s *sessions) begun(r *http.Request, id, session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.wide:
	case id == "":
		s.keep(s.askerKey(r), session)
		s.keep(begunKey(session), session)
	default:
		s.keep(idKey(id), session)
	}
}

// renamed remembers session IDs that the server gives an existing session: the TypeScript SDK then uses
// the last one. If there are several IDs, it also remembers them joined, because clients may join
// repeated headers.
func (s *sessions) renamed(ids []string, session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range slices.Concat(ids, []string{strings.Join(ids, ", ")}) {
		if id != "" && s.find(idKey(id)) == "" && !s.wide {
			s.keep(idKey(id), session)
		}
	}
}

// stream begins the session of an event stream whose messages are posted to uri. asker is the session of
// the client that requested the stream. If the client began that session over Streamable HTTP, the
// stream belongs to it: otherwise, the server could answer in a session other than the one in which it
// was asked.
func (s *sessions) stream(uri, asker string) (session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.find(urlKey(uri)); known != "" {
		return known
	}
	if s.wide || s.find(begunKey(asker)) != "" {
		return s.keep(urlKey(uri), asker)
	}
	return s.keep(urlKey(uri), s.next())
}

// streamOf returns the session of the event stream whose messages are posted to uri, or "" if there
// is none.
func (s *sessions) streamOf(uri string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.find(urlKey(uri))
}

func (s *sessions) next() string {
	s.count++
	if s.count == 1 {
		return firstSession
	}
	return fmt.Sprintf("%s-%d", firstSession, s.count)
}

// recent maps the maxNamed most recently used keys to values.
type recent struct {
	named map[string]*list.Element // of *named, by key
	order list.List                // most recently used first
}

type named struct{ key, value string }

// find returns a key's value, or "" if it has none.
func (r *recent) find(key string) string {
	e := r.named[key]
	if e == nil {
		return ""
	}
	r.order.MoveToFront(e)
	return e.Value.(*named).value
}

// keep sets a key's value and returns the value.
func (r *recent) keep(key, value string) string {
	if r.named == nil {
		r.named = map[string]*list.Element{}
	}
	if e := r.named[key]; e != nil {
		r.order.MoveToFront(e)
		e.Value.(*named).value = value
		return value
	}
	if len(r.named) >= maxNamed {
		r.forget(r.order.Back().Value.(*named).key)
	}
	r.named[key] = r.order.PushFront(&named{key, value})
	return value
}

// forget removes a key.
func (r *recent) forget(key string) {
	if e := r.named[key]; e != nil {
		r.order.Remove(e)
		delete(r.named, key)
	}
}

// enter returns the session for an exchange with these requests, and a function that ends the
// exchange. A client must not have two open requests with the same id: if an id is open already,
// another client is assumed to be using the session, and this one gets a separate session.
func (s *sessions) enter(session, server string, ids []string) (own string, leave func()) {
	if len(ids) == 0 {
		return session, func() {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	own = session
	for n := 2; s.taken(place{own, server}, ids); n++ {
		own = fmt.Sprintf("%s~%d", session, n)
	}
	at := place{own, server}
	waiting := s.open[at]
	if waiting == nil {
		waiting = make(map[string]int, len(ids))
		s.open[at] = waiting
	}
	for _, id := range ids {
		waiting[id]++
	}
	return own, func() { s.leave(at, ids) }
}

func (s *sessions) leave(at place, ids []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	waiting := s.open[at]
	for _, id := range ids {
		if waiting[id]--; waiting[id] <= 0 {
			delete(waiting, id)
		}
	}
	if len(waiting) == 0 {
		delete(s.open, at)
	}
}

func (s *sessions) taken(at place, ids []string) bool {
	waiting := s.open[at]
	return slices.ContainsFunc(ids, func(id string) bool { return waiting[id] > 0 })
}

// spoken contains what the proxy must know about a body before the engine judges it.
type spoken struct {
	ids    []string // raw ids of the requests
	begins bool     // a request begins a session
}

// skim reads the request ids, and whether a request begins a session, from a body.
func skim(body []byte) (s spoken) {
	v, err := skimAny(body)
	if err != nil {
		return s
	}
	for m := range messagesOf(v) {
		if s.add(m); len(s.ids) == maxBatch {
			break
		}
	}
	return s
}

// add adds a message, and reports whether it is a request.
func (s *spoken) add(message wire.Value) bool {
	method, ok := message.Str("method")
	id := message.Get("id")
	if !ok || id.Kind() != wire.Number && id.Kind() != wire.String {
		return false
	}
	s.ids = append(s.ids, string(id.Raw()))
	s.begins = s.begins || method == "initialize"
	return true
}

// messagesOf returns the messages of a batch, or v itself if it is not a batch.
func messagesOf(v wire.Value) iter.Seq[wire.Value] {
	return func(yield func(wire.Value) bool) {
		if v.Kind() != wire.Array {
			yield(v)
			return
		}
		for c := v.Children(); c.Next() && yield(c.Value); {
		}
	}
}
