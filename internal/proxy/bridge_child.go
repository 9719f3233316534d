package proxy

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

const (
	maxOpen    = 1024             // unanswered requests in a session
	maxUnsent  = 256              // messages in a session that its server has not read
	maxWaiting = 256              // messages from a server that wait for a stream
	maxWaited  = 1 << 20          // bytes of these
	beginWait  = 10 * time.Second // wait for the first message of a response before beginning an event stream
)

// child is a server process and the client session that it serves.
type child struct {
	*bridge
	at    scope
	key   string       // in bridge.by
	id    string       // session ID, "" for protocol versions without sessions
	start func() error // starts the process when called for the first time

	process *Started
	in      *side // to the server
	ctx     context.Context
	end     context.CancelCauseFunc

	mu       sync.Mutex
	open     map[string]*reply // by key of the request
	late     map[string]bool   // keys of cancelled requests that the server may still answer
	tokens   map[string]*reply // by progress token
	replies  []*reply          // replies that are being read, the latest last
	listener *outbox           // the stream for messages that belong to no request, nil if there is none
	waiting  []message         // messages that belong to no request, while there is no stream
	waited   int               // bytes of these
	readers  int               // responses in progress
	idle     *time.Timer       // runs while no response is in progress
}

func newChild(b *bridge, key, id string, at scope) *child {
	c := &child{bridge: b, key: key, id: id, at: at, open: map[string]*reply{}, late: map[string]bool{}, tokens: map[string]*reply{}}
	c.ctx, c.end = context.WithCancelCause(context.Background())
	c.idle = time.AfterFunc(b.Idle, func() { c.end(errIdle) })
	c.start = sync.OnceValue(c.begin)
	return c
}

// begin starts the process.
func (c *child) begin() error {
	process, err := c.Start(c.ctx)
	if err != nil {
		c.idle.Stop()
		c.end(err)
		c.forget(c)
		c.gone()
		return err
	}
	c.process = process
	c.in = &side{w: input{c}, fail: c.end}
	if e := process.Event; e != nil {
		e.Session = c.at.session
		c.gate.started(e)
	}
	go c.run()
	return nil
}

// run forwards what the server sends until the session ends, and then ends the process.
func (c *child) run() {
	read := make(chan struct{})
	go func() {
		defer close(read)
		c.read()
	}()
	wait(c.ctx, func() {}, Client{}, c.process, nil, read)
	if c.ctx.Err() == nil {
		c.end(c.stopped("output"))
	}
	c.idle.Stop()
	c.forget(c)
	c.process.End(context.Background())
	awaitDrain(read)
	c.process.Release()
	c.gone()
}

// stopped returns why the server is unreachable: it exited, or else it closed a stream.
func (c *child) stopped(stream string) error {
	awaitDrain(c.process.Exited())
	select {
	case <-c.process.Exited():
		return fmt.Errorf("it exited with code %d", c.process.ExitCode())
	default:
		return fmt.Errorf("it closed its %s", stream)
	}
}

// input is a server's standard input. If the server closes it, the session ends.
type input struct{ *child }

func (in input) Write(line []byte) (int, error) {
	n, err := in.process.Stdin.Write(line)
	if err != nil && in.ctx.Err() == nil {
		in.end(in.stopped("input"))
	}
	return n, err
}

// maxObserved is the maximum size, in bytes, of a message that the proxy holds only to forward it in
// observe mode. It is larger than any that a client is likely to read.
const maxObserved = 256 << 20

// read handles the lines that the server writes.
func (c *child) read() {
	lines := &lineReader{r: bufio.NewReaderSize(c.process.Stdout, readBuffer), max: c.gate.MaxMessage}
	if c.gate.Observe {
		lines.max = max(lines.max, maxObserved) // the response that gets the message counts it as too long
	}
	for {
		line, whole, err := lines.next()
		if !whole && len(line) > 0 { // it is unknown which request this answers
			reason := tooLongReason(mcp.ServerToClient, lines.max)
			c.gate.skip(&c.at, reason, scanner.Refuse)
			c.end(errors.New(reason))
			return
		}
		if frame := frameOf(line); len(bytes.Trim(frame, " \t")) > 0 {
			c.take(slices.Clone(frame))
		}
		if err != nil {
			return
		}
		if cap(lines.buf) > largeBuffer {
			lines.buf = nil
		}
	}
}

// tell forwards a body without requests.
func (c *child) tell(r *http.Request, m *posted) (*http.Response, error) {
	c.enter()
	defer c.leave()
	sent, err := c.send(m.line)
	if err != nil {
		return nil, err
	}
	select {
	case <-sent:
	case <-c.ctx.Done():
		return nil, c.ended(context.Cause(c.ctx))
	case <-r.Context().Done():
		return nil, context.Cause(r.Context())
	}
	c.complete(c.answered(m.cancels, true)) // a server need not answer cancelled requests
	return respondTo(r, http.StatusAccepted, "", http.NoBody, 0), nil
}

// ask forwards a body that contains requests, and returns a response assembled from the server's
// answers.
func (c *child) ask(r *http.Request, m *posted, forms acceptable) (*http.Response, error) {
	x, err := c.expect(m, forms)
	if err != nil {
		return nil, err
	}
	if _, err := c.send(m.line); err != nil {
		x.Close()
		return nil, err
	}
	resp, err := x.response(r)
	if err != nil {
		x.Close()
	}
	return resp, err
}

// send writes a line to the server. sent is closed once the line is written.
func (c *child) send(line []byte) (sent <-chan struct{}, err error) {
	if c.in.waiting.Load() >= maxUnsent {
		return nil, refuse(http.StatusServiceUnavailable, "the server is not reading its messages; try again later")
	}
	return c.in.send(line), nil
}

// ended returns the error for a request left unanswered because its session ended.
func (c *child) ended(why error) error {
	if errors.Is(why, errDeleted) || errors.Is(why, errIdle) {
		return refuse(http.StatusNotFound, "%v; send initialize to begin another one", why)
	}
	return why
}

// enter and leave mark the beginning and end of a response, during which the session is not idle.
func (c *child) enter() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.readers++
	c.idle.Stop()
}

func (c *child) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.readers--
	if c.readers == 0 && c.ctx.Err() == nil {
		c.idle.Reset(c.Idle)
	}
}

func (c *child) isIdle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.readers == 0
}

// isOpen reports whether any of the requests is open.
func (c *child) isOpen(keys []string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(keys, func(key string) bool { return c.open[key] != nil })
}

// refuseRequests answers, with an error, requests from the server that cannot reach a client.
func (c *child) refuseRequests(s *output, why string) {
	if len(s.asks) > 0 {
		c.in.answer(failed(s.asks, "mcpscan: "+why, failedCode))
	}
	c.gate.skip(&c.at, "a message from the server was dropped: "+why, scanner.Refuse)
}
