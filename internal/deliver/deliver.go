// Package deliver posts bodies to a URL through a bounded queue.
//
// Send must never wait for the receiver. A redirect must never be followed, because the body is
// meant for the configured URL.
package deliver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"
)

const (
	maxQueued   = 256     // bodies in the queue
	maxBody     = 1 << 20 // bytes of a body
	maxAttempts = 4       // attempts to post a body
	postWait    = 10 * time.Second
	closeWait   = 5 * time.Second // for posting the rest of the queue
)

// Sender posts bodies one at a time. It is safe for concurrent use.
type Sender struct {
	url     string
	header  http.Header
	client  *http.Client
	trouble func(error)

	queue  chan []byte
	ending chan struct{}
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{}

	mu      sync.Mutex
	closed  bool
	failing bool // the last body was not delivered
	lost    int
	why     error // reason for the last loss
}

// New returns a sender of JSON bodies to a URL, with additional headers. It calls trouble with an error
// when deliveries begin to fail, and with nil when they work again.
func New(to string, header http.Header, trouble func(error)) *Sender {
	s := &Sender{url: to, header: header, trouble: trouble, queue: make(chan []byte, maxQueued), ending: make(chan struct{}), done: make(chan struct{})}
	s.client = &http.Client{Timeout: postWait, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	go s.run()
	return s
}

// Send queues a body. If the body is too long or the queue is full, the body is dropped and counted as lost.
func (s *Sender) Send(body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
	case len(body) > maxBody:
		s.lose(fmt.Errorf("a request body is longer than %d bytes", maxBody))
	default:
		select {
		case s.queue <- body:
		default:
			s.lose(errors.New("the receiver could not keep up"))
		}
	}
}

func (s *Sender) lose(why error) { s.lost, s.why = s.lost+1, why }

// Close posts what is queued, for a few seconds and without retries, and returns an error if bodies
// were lost.
func (s *Sender) Close() error {
	s.mu.Lock()
	s.closed = true
	close(s.queue)
	close(s.ending)
	s.mu.Unlock()
	timer := time.AfterFunc(closeWait, s.cancel)
	defer timer.Stop()
	<-s.done
	s.cancel()
	s.client.CloseIdleConnections()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost > 0 {
		return fmt.Errorf("requests not delivered: %d; last error: %w", s.lost, s.why)
	}
	return nil
}

func (s *Sender) run() {
	defer close(s.done)
	for body := range s.queue {
		err := s.deliver(body)
		s.mu.Lock()
		if err != nil {
			s.lose(err)
		}
		news := s.failing != (err != nil) && !s.closed // Close returns the error
		s.failing = err != nil
		s.mu.Unlock()
		if news {
			s.trouble(err)
		}
	}
}

// deliver posts a body, with exponential backoff if a retry may help.
func (s *Sender) deliver(body []byte) error {
	wait := time.Second
	for attempt := 1; ; attempt++ {
		again, err := s.post(body)
		if err == nil || !again || attempt == maxAttempts {
			return err
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
			wait *= 2
		case <-s.ending:
			timer.Stop()
			return err
		}
	}
}

func (s *Sender) post(body []byte) (again bool, err error) {
	req, err := http.NewRequestWithContext(s.ctx, http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		return false, bare(err)
	}
	for name, values := range s.header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := s.client.Do(req)
	if err != nil {
		return s.ctx.Err() == nil, bare(err)
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, 4096)
	if resp.StatusCode/100 == 2 {
		return false, nil
	}
	return resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode/100 == 5, errors.New("status " + strconv.Itoa(resp.StatusCode))
}

// bare returns an error without its URL, which may be secret.
func bare(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}
