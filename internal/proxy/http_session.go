package proxy

import (
	"container/list"
	"crypto/sha256"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"

	"github.com/mcpscan/mcpscan/internal/wire"
)

const (
	headerSession = "Mcp-Session-Id"
	headerVersion = "Mcp-Protocol-Version"

	// versionStateless is the first protocol version without sessions. Versions are dates.
	versionStateless = "2026-07-28"
)

// maxNamed bounds the HTTP sessions whose place among those of the engine is remembered, and
// maxBatch the requests of a batch that are told apart by their ids.
const (
	maxNamed = 4096
	maxBatch = 1024
)

// firstSession is the session of the engine that the first HTTP session is. The next is
// proxy-2.
const firstSession = "proxy"

// sessions finds the session of the engine that an exchange belongs to. What HTTP has for
// that depends on the protocol: a session ID, the URL of an event stream, or nothing, and
// then who asks must do.
type sessions struct {
	mu    sync.Mutex
	wide  bool // the sessions of one client with several servers are one
	count int
	named map[string]*list.Element // of *named, by what HTTP says
	order list.List                // the one used last in front

	open map[place]map[string]int // requests that wait for their answers, by id
}

// place is where ids of requests tell them apart.
type place struct{ session, server string }

type named struct{ key, session string }

func newSessions() *sessions {
	return &sessions{named: map[string]*list.Element{}, open: map[place]map[string]int{}}
}

// idKey, askerKey and urlKey are what a session is remembered by.
func idKey(id string) string { return "id " + id }

// askerKey tells those apart who ask without a session. Which of their requests belong
// together nothing else says.
func (s *sessions) askerKey(r *http.Request) string {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	who := []string{host, r.UserAgent(), r.Header.Get("Authorization")}
	if s.wide { // a client has another token for each server
		who = who[:2]
	}
	sum := sha256.Sum256([]byte(strings.Join(who, "\x00")))
	return "asker " + string(sum[:16])
}

func urlKey(uri string) string { return "url " + uri }

// sessionID is the session ID of a request, "" where its protocol version has none.
func sessionID(r *http.Request) string {
	if r.Header.Get(headerVersion) >= versionStateless {
		return ""
	}
	return r.Header.Get(headerSession)
}

// of returns the session that a request belongs to, and whether others who ask may be in it
// by mistake. One that begins a session has a new one.
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

// begun remembers a session that began by the ID that the server gave it, or by who asked
// where it gave none.
func (s *sessions) begun(r *http.Request, id, session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.wide:
	case id == "":
		s.keep(s.askerKey(r), session)
	default:
		s.keep(idKey(id), session)
	}
}

// stream begins the session of an event stream that has a URL for messages. asker is the
// session of who asked for it.
func (s *sessions) stream(uri, asker string) (session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.find(urlKey(uri)); known != "" {
		return known
	}
	if s.wide {
		return s.keep(urlKey(uri), asker)
	}
	return s.keep(urlKey(uri), s.next())
}

// streamOf returns the session of the event stream that has a URL for messages, "" where none
// has it.
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

func (s *sessions) find(key string) string {
	e := s.named[key]
	if e == nil {
		return ""
	}
	s.order.MoveToFront(e)
	return e.Value.(*named).session
}

func (s *sessions) keep(key, session string) string {
	if e := s.named[key]; e != nil {
		s.order.MoveToFront(e)
		e.Value.(*named).session = session
		return session
	}
	if len(s.named) >= maxNamed {
		last := s.order.Back()
		delete(s.named, s.order.Remove(last).(*named).key)
	}
	s.named[key] = s.order.PushFront(&named{key, session})
	return session
}

// enter returns the session for an exchange with these requests to a server, and what ends it.
// No client has two requests of one id open: where one is, another client asks in the same
// session, and gets a session beside it.
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
	for _, id := range ids {
		if waiting[id] > 0 {
			return true
		}
	}
	return false
}

// spoken is what a proxy needs of the messages in a body ahead of their verdict.
type spoken struct {
	ids    []string // of the requests, as they are written
	begins bool     // a request begins a session
}

// skim reads a body for that.
func skim(body []byte) (s spoken) {
	v, err := wire.Skim(body, wire.MaxNodes)
	if err != nil {
		return s
	}
	if v.Kind() != wire.Array {
		s.add(v)
		return s
	}
	for c := v.Children(); len(s.ids) < maxBatch && c.Next(); {
		s.add(c.Value)
	}
	return s
}

func (s *spoken) add(message wire.Value) {
	method, ok := message.Str("method")
	id := message.Get("id")
	if !ok || id.Kind() != wire.Number && id.Kind() != wire.String {
		return
	}
	s.ids = append(s.ids, string(id.Raw()))
	s.begins = s.begins || method == "initialize"
}
