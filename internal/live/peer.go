package live

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpscan/mcpscan/internal/wire"
)

const (
	// afterOversize is how much longer a request waits after an oversized frame, probably its
	// answer, was dropped.
	afterOversize = 3 * time.Second
	// linger is how long an answered HTTP request may keep its stream open.
	linger = time.Second
	// answerQueue is the maximum number of server requests waiting for our answer.
	answerQueue = 64
)

// link sends our messages to the server. The server's messages go to peer.receive.
type link interface {
	send(ctx context.Context, m outgoing) error // returns when the exchange for m is complete
	down() <-chan struct{}                      // closed when nothing more can arrive; nil means never
	reason() error                              // why the link is down
	close(graceful bool)
}

// peer is the JSON-RPC side of one connection: it matches answers to requests and answers the
// server's requests.
type peer struct {
	opts Options
	tap  *tap
	link link
	ctx  context.Context // ends when the connection does
	stop context.CancelFunc
	work sync.WaitGroup

	queue    chan message  // server requests to answer
	oversize chan struct{} // a frame was dropped
	changes  chan struct{} // a list has changed
	lost     chan error    // the stream of announcements has ended for good
	meta     bool          // every request has the modern _meta

	watching atomic.Bool  // the lists are complete; only frames about changes to the tools are emitted
	skipped  atomic.Int64 // server requests not answered because the queue was full
	unread   atomic.Int64 // frames without a message since the last request

	mu      sync.Mutex
	version string // the protocol version that messages announce
	next    int
	pending map[string]*call
	changed map[string]bool // list_changed notifications by method
}

func newPeer(ctx context.Context, o Options, t *tap) *peer {
	p := &peer{
		opts: o, tap: t,
		queue:    make(chan message, answerQueue),
		oversize: make(chan struct{}, 1),
		changes:  make(chan struct{}, 1),
		lost:     make(chan error, 1),
		pending:  map[string]*call{},
		changed:  map[string]bool{},
	}
	p.ctx, p.stop = context.WithCancel(ctx)
	p.work.Go(p.answerRequests)
	return p
}

// start sends a request without waiting for its answer.
func (p *peer) start(method, params, version string) *call {
	p.mu.Lock()
	p.next++
	c := &call{peer: p, id: strconv.Itoa(p.next), outcome: make(chan outcome, 2)}
	p.pending[c.id] = c
	p.mu.Unlock()
	p.dispatch(c, outgoing{id: c.id, method: method, version: version, data: request(c.id, method, params)})
	return c
}

func (p *peer) dispatch(c *call, m outgoing) {
	var ctx context.Context
	ctx, c.cancel = context.WithCancel(p.ctx)
	p.tap.sent(m.data)
	p.work.Go(func() {
		err := p.link.send(ctx, m)
		if err != nil || m.id == "" {
			c.outcome <- outcome{err: err}
		}
	})
}

// notify sends a notification and waits for an HTTP server to accept it, for a limited time: some
// servers keep the request open.
func (p *peer) notify(ctx context.Context, method string) {
	c := &call{peer: p, outcome: make(chan outcome, 1)}
	p.dispatch(c, outgoing{method: method, version: p.announced(), data: request("", method, "")})
	timer := time.NewTimer(min(shortWait, p.opts.StepTimeout))
	defer timer.Stop()
	select {
	case <-c.outcome:
		c.end(false)
	case <-p.link.down():
	case <-timer.C:
	case <-ctx.Done():
	}
}

// ask sends a request and waits for its answer.
func (p *peer) ask(ctx context.Context, method, params string, timeout time.Duration) (reply, error) {
	p.forget()
	return p.start(method, params, p.announced()).wait(ctx, timeout)
}

// downError reports that the connection ended.
type downError struct{ cause error }

func (e *downError) Error() string { return "the connection ended: " + e.cause.Error() }
func (e *downError) Unwrap() error { return e.cause }

// oversizeError reports that a frame, most likely the answer, was too large to read.
type oversizeError struct{ limit int64 }

func (e *oversizeError) Error() string {
	return fmt.Sprintf("an answer exceeds the limit of %d bytes (--max-message) and was not read", e.limit)
}

// drop counts a frame that was too large and wakes the request that may be waiting
// for it.
func (p *peer) drop() {
	p.tap.oversize.Add(1)
	wake(p.oversize)
}

// wake sends a signal, unless one is pending.
func wake(mark chan struct{}) {
	select {
	case mark <- struct{}{}:
	default:
	}
}

// forget clears the record of frames that were too large or contained no message, before the next
// request.
func (p *peer) forget() {
	p.unread.Store(0)
	select {
	case <-p.oversize:
	default:
	}
}

// silence explains why there is no answer: the server sent nothing, only frames that are not
// JSON-RPC, or a frame that was too large.
func (p *peer) silence(timeout time.Duration) error {
	select {
	case <-p.oversize:
		return &oversizeError{p.opts.MaxFrame}
	default:
	}
	if n := p.unread.Load(); n > 0 {
		return fmt.Errorf("no answer within %v: the server's output is not JSON-RPC (lines or events: %d); over stdio each message must be on one line", timeout, n)
	}
	return fmt.Errorf("no answer within %v", timeout)
}

// receive passes a frame from the server to the caller of List, and then handles its messages. While the
// lists are watched, it passes on only frames that matter. address is set if data is the event that
// contains the HTTP+SSE endpoint. receive does not retain data, and reports whether it is a message.
func (p *peer) receive(data []byte, address bool) bool {
	var messages []message
	if wire.BeginsLikeJSON(data) && !address {
		messages = parse(data)
	}
	if !p.watching.Load() || slices.ContainsFunc(messages, p.matters) {
		p.tap.received(data, address)
	}
	read := slices.ContainsFunc(messages, func(m message) bool { return m.method != "" || m.id != "" })
	if !address && !read {
		p.unread.Add(1)
	}
	for _, m := range messages {
		p.take(m)
	}
	return read
}

func (p *peer) take(m message) {
	switch {
	case m.method != "" && m.id != "":
		select {
		case p.queue <- m:
		default:
			p.skipped.Add(1)
		}
	case m.method != "":
		p.mu.Lock()
		for _, k := range kinds() {
			if k.changed == m.method {
				p.changed[k.method] = true
				wake(p.changes)
			}
		}
		p.mu.Unlock()
	case m.answer:
		p.deliver(m)
	}
}

// deliver passes an answer to its call. An error without an id is attributed to the pending
// request if there is only one.
func (p *peer) deliver(m message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.pending[m.id]
	if c == nil && m.id == "" && m.reply.err != nil && len(p.pending) == 1 {
		for _, c = range p.pending {
		}
	}
	if c != nil {
		delete(p.pending, c.id)
		if e := m.reply.err; e != nil {
			e.message = p.opts.quote(e.message)
		}
		c.outcome <- outcome{reply: m.reply}
	}
}

// waiting reports whether the request is still unanswered.
func (p *peer) waiting(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pending[id] != nil
}

// isChanged reports whether the server announced a change to the list after it was requested.
func (p *peer) isChanged(method string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.changed[method]
}

// forgetChange clears the record of a change before the list is requested again.
func (p *peer) forgetChange(method string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.changed, method)
	select {
	case <-p.changes:
	default:
	}
}

func (p *peer) announced() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.version
}

func (p *peer) announce(version string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.version = version
}

// answerRequests answers the server's requests one after the other.
func (p *peer) answerRequests() {
	for {
		select {
		case <-p.ctx.Done():
			return
		case m := <-p.queue:
			data := answerTo(m)
			if !p.watching.Load() {
				p.tap.sent(data)
			}
			ctx, cancel := context.WithTimeout(p.ctx, p.opts.StepTimeout)
			// If a server does not accept the answer, the list request that is in progress reports
			// the problem.
			_ = p.link.send(ctx, outgoing{version: p.announced(), data: data})
			cancel()
		}
	}
}

// close ends the connection and everything that was started for it.
func (p *peer) close(graceful bool) {
	p.link.close(graceful)
	p.stop()
	p.work.Wait()
}

// httpError is an HTTP response without an answer.
type httpError struct {
	status int
	words  string
}

func (e *httpError) Error() string {
	return fmt.Sprintf("HTTP %d %s%s", e.status, http.StatusText(e.status), e.words)
}
