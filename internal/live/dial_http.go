package live

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// dialHTTP connects over the HTTP transport that the server speaks, after finding out which one that is.
func (s *scan) dialHTTP(start context.Context) (*peer, hello, error) {
	u, err := url.Parse(s.target.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, hello{}, fmt.Errorf("reading the URL %s: expected http:// or https:// and a host", s.opts.quote(bare(s.target.URL)))
	}
	type way struct {
		transport string
		dial      func(context.Context) (*peer, hello, error)
	}
	ways := []way{{"http", s.dialStreamable}, {"sse", s.dialSSE}}
	switch {
	case s.target.Transport == "sse":
		ways = ways[1:]
	case s.target.Transport == "" && strings.HasSuffix(u.Path, "/sse"):
		slices.Reverse(ways)
	}
	var met []error
	for i, way := range ways {
		// Leave time for the second transport if the first one hangs.
		share := s.opts.StartTimeout / time.Duration(len(ways)-i)
		if way.transport == "http" {
			share = s.opts.StartTimeout // a server without this transport refuses immediately
		}
		ctx, cancel := context.WithTimeout(start, share)
		p, h, err := way.dial(ctx)
		cancel()
		if err == nil {
			return p, h, nil
		}
		p.close(false)
		met = append(met, err)
		if !worthAnother(err) || start.Err() != nil {
			break
		}
	}
	if len(met) == 2 {
		return nil, hello{}, fmt.Errorf("over %s: %w; over %s: %w", ways[0].transport, met[0], ways[1].transport, met[1])
	}
	return nil, hello{}, met[0]
}

// worthAnother reports whether the server may speak the other transport: it responds, requires no
// authentication, and is not failing.
func worthAnother(err error) bool {
	if errors.Is(err, errNoEndpoint) {
		return true
	}
	e, ok := errors.AsType[*httpError](err)
	if !ok {
		return false
	}
	switch e.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusTooManyRequests:
		return false
	}
	return e.status < 500
}

func (s *scan) dialStreamable(start context.Context) (*peer, hello, error) {
	s.result.transport = "http"
	p := newPeer(s.parent, s.opts, s.tap)
	l := &streamable{web: newWeb(p, s.target), url: s.target.URL}
	p.link = l
	h, err := s.meet(start, p, true)
	if err == nil && h.era == eraLegacy {
		l.listen()
	}
	return p, h, err
}

func (s *scan) dialSSE(start context.Context) (*peer, hello, error) {
	s.result.transport = "sse"
	p := newPeer(s.parent, s.opts, s.tap)
	l := &eventStream{web: newWeb(p, s.target), gone: make(chan struct{})}
	p.link = l
	if err := l.open(start, s.target.URL); err != nil {
		return p, hello{}, fmt.Errorf("opening the event stream: %w", err)
	}
	h, err := s.meet(start, p, false)
	return p, h, err
}
