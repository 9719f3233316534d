package live

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/mcpscan/mcpscan/internal/wire"
)

const (
	headerSession  = "Mcp-Session-Id"
	headerVersion  = "MCP-Protocol-Version"
	goodbyeTimeout = 2 * time.Second
	mostRedirects  = 5
)

// web sends HTTP requests to one server and reads the responses. Both HTTP transports use it.
type web struct {
	peer    *peer
	client  *http.Client
	headers map[string]string
}

// newWeb creates a client that sends the configured headers, which are likely to be secrets, only to
// the origin they were configured for.
func newWeb(p *peer, t Target) *web {
	client := &http.Client{CheckRedirect: func(req *http.Request, via []*http.Request) error {
		if len(via) > mostRedirects || !wire.SameOrigin(req.URL, via[0].URL) {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	if standard, ok := http.DefaultTransport.(*http.Transport); ok {
		client.Transport = standard.Clone()
	}
	return &web{peer: p, client: client, headers: t.Headers}
}

func (w *web) close() { w.client.CloseIdleConnections() }

// request sends one request. Protocol headers override configured ones.
func (w *web) request(ctx context.Context, method, to string, body []byte, headers map[string]string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, to, bytes.NewReader(body))
	if err != nil {
		return nil, withoutURL(err)
	}
	req.Header.Set("User-Agent", userAgent(w.peer.opts)) // servers may check it instead of the name in initialize
	for _, set := range []map[string]string{w.headers, headers} {
		for name, value := range set {
			req.Header.Set(name, value)
			if strings.EqualFold(name, "Host") {
				req.Host = value
			}
		}
	}
	resp, err := w.client.Do(req)
	if err != nil {
		return nil, withoutURL(err)
	}
	return resp, nil
}

// userAgent returns the name and version sent in initialize, without characters that a header
// cannot contain.
func userAgent(o Options) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, o.ClientName+"/"+o.ClientVersion)
}

// withoutURL drops the URL that net/http adds to its errors, because it may contain
// a token.
func withoutURL(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

// mediaType returns the content type without parameters.
func mediaType(resp *http.Response) string {
	t, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return t
}

func isStream(resp *http.Response) bool {
	return resp.StatusCode == http.StatusOK && mediaType(resp) == "text/event-stream"
}

// receive passes on a frame of a response. It counts a frame that clients may decode before they read
// it, because its character set is not UTF-8 or it has a content encoding that net/http did not remove.
func (w *web) receive(resp *http.Response, data []byte, address bool) {
	_, plain := wire.Charset(strings.Join(resp.Header.Values("Content-Type"), ", "))
	if coding := strings.Join(resp.Header.Values("Content-Encoding"), ", "); !plain || wire.WideCharset(data) != "" || coding != "" && !strings.EqualFold(coding, "identity") {
		w.peer.tap.undecoded.Add(1)
	}
	w.peer.receive(data, address)
}

// read reads a response that is not an event stream and emits it as a frame. Clients ignore the
// body of a successful response if they expect no answer ("Accepted"), so such a body (ignored is set)
// is only emitted if it could be a message.
func (w *web) read(resp *http.Response, ignored bool) ([]byte, error) {
	limit := w.peer.opts.MaxFrame
	data, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if int64(len(data)) > limit {
		w.peer.drop()
		return nil, &oversizeError{limit}
	}
	data = bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF")) // clients ignore the byte order mark
	if len(data) > 0 && (!ignored || wire.BeginsLikeJSON(data)) {
		w.receive(resp, data, false)
	}
	if err != nil {
		err = fmt.Errorf("reading the answer: %w", err)
	}
	return data, err
}

// body reads the response to a POST. If the response does not answer the request, the error
// describes the response.
func (w *web) body(resp *http.Response, m outgoing) error {
	done := m.id == "" && resp.StatusCode < 300
	data, err := w.read(resp, done)
	switch {
	case done, m.id != "" && !w.peer.waiting(m.id):
		return nil
	case err != nil:
		return err
	}
	return w.refusalOf(resp, data)
}

// refusalOf describes a response that contains no answer.
func (w *web) refusalOf(resp *http.Response, data []byte) error {
	e, hint, quote := &httpError{status: resp.StatusCode}, "", w.peer.opts.quote
	if to := resp.Header.Get("Location"); to != "" && resp.StatusCode/100 == 3 {
		hint = "; it redirects to " + quote(bare(to)) + ": use that URL if you trust it"
	}
	if ask := resp.Header.Get("WWW-Authenticate"); ask != "" {
		hint = "; it requires authentication (" + quote(ask) + "): send credentials in a header"
	}
	if len(data) == 0 {
		e.words = " with an empty body instead of a JSON-RPC answer" + hint
		return e
	}
	e.words = fmt.Sprintf(" with content type %s instead of a JSON-RPC answer: %s",
		quote(resp.Header.Get("Content-Type")), quote(string(bytes.TrimSpace(data)))) + hint
	return e
}

// place is the position up to which an event stream was read.
type place struct {
	id    string // ID of the last event that had one
	retry time.Duration
}

// events reads an event stream to its end and closes it. at is the position up to which it was read
// before. endpoint, if not nil, is called with the data of endpoint events; the first of these that
// could not be a message is marked as an address. Events of all types are emitted, because some
// clients may read events that they should ignore.
func (w *web) events(resp *http.Response, at place, endpoint func(string)) (place, error) {
	defer resp.Body.Close()
	at.retry = 0
	addressed := endpoint == nil
	stream := wire.NewSSEReader(resp.Body, w.peer.opts.MaxFrame)
	for {
		e, err := stream.Next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return at, err
		}
		if e.ID != "" {
			at.id = e.ID
		}
		if e.Retry > 0 {
			at.retry = time.Duration(e.Retry) * time.Millisecond
		}
		if e.Ambiguous || wire.AmbiguousData(e.Data) {
			w.peer.tap.ambiguous.Add(1)
		}
		switch {
		case e.Oversize:
			w.peer.drop()
		case e.HasData:
			address := e.Type == "endpoint" && !addressed && !wire.BeginsLikeJSON(e.Data)
			addressed = addressed || address
			w.receive(resp, e.Data, address)
			if endpoint != nil && e.Type == "endpoint" {
				endpoint(string(e.Data))
			}
		}
	}
}

// streamable is the streamable HTTP transport. Every message is a POST, whose response is the
// answer or an event stream with the answer.
type streamable struct {
	*web
	url string

	mu      sync.Mutex
	session string
}

func (l *streamable) down() <-chan struct{} { return nil }
func (l *streamable) reason() error         { return errors.New("the connection is closed") }

func (l *streamable) send(ctx context.Context, m outgoing) error {
	headers := l.sessionHeaders(m.version)
	headers["Content-Type"] = "application/json"
	headers["Accept"] = "application/json, text/event-stream"
	if m.version == versionModern && m.method != "" {
		headers["Mcp-Method"] = m.method
	}
	resp, err := l.request(ctx, http.MethodPost, l.url, m.data, headers)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if m.method == methodStart && resp.StatusCode/100 == 2 {
		l.remember(resp.Header.Get(headerSession))
	}
	if !isStream(resp) {
		return l.body(resp, m)
	}
	at, err := l.events(resp, place{}, nil)
	if m.id == "" {
		return nil
	}
	// A server may close a stream early and send the rest when asked to resume.
	for l.peer.waiting(m.id) && m.version != versionModern && at.id != "" && ctx.Err() == nil {
		if resp, err = l.reopen(ctx, m.version, at); err == nil {
			at, err = l.events(resp, at, nil)
		}
		if err != nil {
			break
		}
	}
	switch {
	case !l.peer.waiting(m.id):
		return nil
	case err != nil:
		return fmt.Errorf("reading the answer's event stream: %w", err)
	}
	return errors.New("the event stream ended without an answer")
}

// remember keeps the session ID from the response to initialize, unless it contains anything but
// visible ASCII.
func (l *streamable) remember(id string) {
	if strings.ContainsFunc(id, func(r rune) bool { return r < 0x21 || r > 0x7E }) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.session = id
}

func (l *streamable) sessionHeaders(version string) map[string]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	headers := map[string]string{}
	if version != "" {
		headers[headerVersion] = version
	}
	if l.session != "" && version != versionModern {
		headers[headerSession] = l.session
	}
	return headers
}

// reopen waits as long as the server requested, within limits, and opens an event stream that
// continues after the last event with an ID, if there was one.
func (l *streamable) reopen(ctx context.Context, version string, at place) (*http.Response, error) {
	select {
	case <-time.After(min(max(at.retry, 100*time.Millisecond), shortWait)):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return l.open(ctx, version, at.id)
}

// open opens an event stream. after is the ID of the last event that had one, or "".
func (l *streamable) open(ctx context.Context, version, after string) (*http.Response, error) {
	headers := l.sessionHeaders(version)
	headers["Accept"] = "text/event-stream"
	if after != "" {
		headers["Last-Event-ID"] = after
	}
	resp, err := l.request(ctx, http.MethodGet, l.url, nil, headers)
	if err == nil && !isStream(resp) {
		resp.Body.Close()
		err = l.refusalOf(resp, nil)
	}
	return resp, err
}

// listen opens the stream on which a legacy server sends unsolicited messages, and reopens it
// while the connection is kept open after listing. Servers need not offer this stream.
func (l *streamable) listen() {
	l.peer.work.Go(func() {
		resp, err := l.open(l.peer.ctx, l.peer.announced(), "")
		if err != nil {
			return
		}
		at, _ := l.events(resp, place{}, nil) // returns when the connection is closed
		for l.peer.opts.Listed != nil && l.peer.ctx.Err() == nil {
			at.retry = cmp.Or(at.retry, shortWait)
			resp, err := l.reopen(l.peer.ctx, l.peer.announced(), at)
			if err != nil {
				l.peer.lost <- fmt.Errorf("the event stream for change notifications ended: %w", err)
				return
			}
			at, _ = l.events(resp, at, nil)
		}
	})
}

// close ends the session, so that the server need not wait for it to expire.
func (l *streamable) close(graceful bool) {
	headers := l.sessionHeaders(l.peer.announced())
	if graceful && headers[headerSession] != "" {
		ctx, cancel := context.WithTimeout(l.peer.ctx, goodbyeTimeout)
		defer cancel()
		if resp, err := l.request(ctx, http.MethodDelete, l.url, nil, headers); err == nil {
			resp.Body.Close()
		}
	}
	l.peer.stop() // ends the streams
	l.web.close()
}
