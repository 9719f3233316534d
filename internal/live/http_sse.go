package live

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/mcpscan/mcpscan/internal/wire"
)

var errNoEndpoint = errors.New("the server opened an event stream without an endpoint")

// eventStream is the HTTP+SSE transport from protocol version 2024-11-05. One event stream carries
// all server messages, and an endpoint event with the URL to which messages are posted.
type eventStream struct {
	*web
	endpoint string
	gone     chan struct{}
	err      error // why the stream ended; valid after gone is closed
}

func (l *eventStream) down() <-chan struct{} { return l.gone }

func (l *eventStream) reason() error {
	if l.err != nil {
		return l.err
	}
	return errors.New("the server closed the event stream")
}

func (l *eventStream) send(ctx context.Context, m outgoing) error {
	headers := map[string]string{"Content-Type": "application/json"}
	if m.version != "" {
		headers[headerVersion] = m.version
	}
	resp, err := l.request(ctx, http.MethodPost, l.endpoint, m.data, headers)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode < 300 {
		m.id = "" // the answer arrives on the stream
	}
	return l.body(resp, m)
}

func (l *eventStream) close(bool) {
	l.peer.stop() // ends the stream
	l.web.close()
}

// open asks for the event stream and waits for its endpoint event.
func (l *eventStream) open(ctx context.Context, from string) error {
	type first struct {
		endpoint string
		err      error
	}
	got := make(chan first, 1)
	tell := func(f first) {
		select {
		case got <- f:
		default: // only the first endpoint is used, because a later one could redirect us
		}
	}
	l.peer.work.Go(func() {
		defer close(l.gone)
		resp, err := l.request(l.peer.ctx, http.MethodGet, from, nil, map[string]string{"Accept": "text/event-stream"})
		if err != nil {
			tell(first{err: err})
			return
		}
		defer resp.Body.Close()
		if !isStream(resp) {
			data, err := l.read(resp, false)
			if err == nil {
				err = l.refusalOf(resp, data)
			}
			tell(first{err: err})
			return
		}
		_, l.err = l.events(resp, place{}, func(raw string) {
			to, err := l.resolve(resp.Request.URL, raw)
			tell(first{to, err})
		})
		tell(first{err: errNoEndpoint})
	})
	select {
	case f := <-got:
		l.endpoint = f.endpoint
		return f.err
	case <-ctx.Done():
		if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			return errNoEndpoint
		}
		return context.Cause(ctx)
	}
}

// resolve makes the endpoint absolute. An endpoint on another origin is refused, because
// messages and headers would go to a third party.
func (w *web) resolve(base *url.URL, raw string) (string, error) {
	ref, err := url.Parse(strings.TrimSpace(raw))
	if err != nil {
		return "", fmt.Errorf("the data of the endpoint event is not a valid URL: %s", w.peer.opts.quote(raw))
	}
	to := base.ResolveReference(ref)
	if !wire.SameOrigin(to, base) {
		return "", fmt.Errorf("refused: the endpoint %s has a different origin than %s",
			w.peer.opts.quote(bare(to.String())), w.peer.opts.quote(bare(base.String())))
	}
	return to.String(), nil
}
