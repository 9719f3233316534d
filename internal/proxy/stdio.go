package proxy

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// Connection contains the data about a stdio connection that its events need.
type Connection struct {
	Session, Server string
	Origin          scanner.Origin // origin of events that are not recorded
	Alone           string         // why the session is not shared with proxies of other servers; "" if it is, or should not be
	Given           text.Secrets   // secrets that the server was given: masked in everything that is kept. Proxies that share the session get digests of them.
}

// Client is the client that started the proxy.
type Client struct {
	In  io.Reader
	Out io.Writer
	// Gone reports whether nobody reads Out any more. It is called after In has ended.
	Gone func() bool
}

// Server is a running server process.
type Server interface {
	Exited() <-chan struct{}
	ExitCode() int
	End(context.Context)
	Release()
}

const (
	readBuffer = 64 << 10               // capacity of a pipe
	drainWait  = 500 * time.Millisecond // wait for the last output of a server that has exited
	pollEvery  = 200 * time.Millisecond // how often to check whether a client that closed its output is gone
	maxAnswers = 4096                   // answers to refused messages waiting for their receiver
)

// errUnjudged ends a connection if fail_closed refuses a message that is too long to inspect. No
// error can replace the message, because the request that it may answer is unknown.
var errUnjudged = errors.New("a message exceeds --max-message, and fail_closed is set; the connection is closed")

// errDeaf ends a connection when one side does not read its answers.
var errDeaf = errors.New("too many unread answers to refused messages")

// Stdio forwards messages between a client and its server until one of them ends the connection,
// and returns the server's exit code. When ctx is done, it stops the server and returns the cause as
// the error. A read from the client may still be pending when it returns.
func Stdio(ctx context.Context, o Options, c Connection, client Client, server Server, stdin io.WriteCloser, stdout io.Reader) (code int, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	asking, drop := context.WithCancel(ctx)
	g := newGate(o)
	at := &scope{session: c.Session, server: c.Server, transport: "stdio", origin: c.Origin, given: c.Given}
	if g.shared != nil {
		g.shared.backlog = append(g.shared.backlog, givenEntry(c.Given.Values())...)
		at.others = &g.shared.secrets
	}
	if c.Alone != "" {
		g.note(at, scanner.SkippedEvent, c.Alone+": "+Blind, scanner.Forward)
	}
	toClient, toServer := &side{w: client.Out, fail: cancel}, &side{w: stdin, fail: cancel}
	g.listen(&listener{server: c.Server, send: toClient.answer}, c.Session)
	both := pump{gate: g, at: at, asking: asking, elicits: newElicitor(), client: toClient, holding: &tasks{}}
	clientDone, serverDone := make(chan struct{}), make(chan struct{})
	go func() {
		up := both
		up.direction, up.from, up.to, up.back = mcp.ClientToServer, client.In, toServer, toClient
		if err := up.run(); err != nil {
			cancel(err)
		}
		close(clientDone)
		drop() // a client that closes its output is ending the connection, and cannot answer any more
		both.holding.wait()
		toServer.pending.wait()
		stdin.Close() // the server may still answer earlier requests
	}()
	go func() {
		defer close(serverDone)
		down := both
		down.direction, down.from, down.to, down.back = mcp.ServerToClient, stdout, toClient, toServer
		if err := down.run(); err != nil {
			cancel(err)
		}
	}()
	wait(ctx, func() { g.catchUp(at) }, client, server, clientDone, serverDone)
	drop()
	awaitDrain(both.holding.done())
	server.End(context.WithoutCancel(ctx))
	awaitDrain(serverDone)
	awaitDrain(toClient.pending.done())
	server.Release()
	g.close()
	return server.ExitCode(), context.Cause(ctx)
}

// wait returns when the connection is over: the server has closed its output or failed, the client
// is gone, or ctx is done. A client that has closed its output may still read.
func wait(ctx context.Context, heard func(), client Client, server Server, clientDone, serverDone <-chan struct{}) {
	exited := server.Exited()
	poll := time.NewTicker(pollEvery)
	poll.Stop() // it starts when the client closes its output
	defer poll.Stop()
	catch := time.NewTicker(catchEvery)
	defer catch.Stop()
	for {
		select {
		case <-serverDone:
			return
		case <-ctx.Done():
			return
		case <-exited:
			if server.ExitCode() != 0 {
				awaitDrain(serverDone) // another process may hold its output open forever
				return
			}
			exited = nil // a launcher that exits successfully may have left the actual server running
		case <-clientDone:
			clientDone = nil
			poll.Reset(pollEvery)
		case <-catch.C:
			heard()
		case <-poll.C:
			if client.Gone() {
				return
			}
		}
	}
}

// awaitDrain waits for done, but no longer than drainWait.
func awaitDrain(done <-chan struct{}) {
	select {
	case <-done:
	case <-time.After(drainWait):
	}
}

// side writes to one side of the connection.
type side struct {
	w    io.Writer
	fail func(error)

	mu      sync.Mutex
	waiting atomic.Int32
	pending tasks
}

// tasks counts goroutines. Unlike with a [sync.WaitGroup], more of them may start during a call of wait.
type tasks struct {
	mu    sync.Mutex
	count int
	none  chan struct{} // closed when count becomes 0; nil while count is 0
}

// run runs f on a goroutine.
func (t *tasks) run(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.count++; t.none == nil {
		t.none = make(chan struct{})
	}
	go func() {
		defer t.end()
		f()
	}()
}

func (t *tasks) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.count--; t.count == 0 {
		close(t.none)
		t.none = nil
	}
}

// done returns a channel that is closed as soon as none of the goroutines is running.
func (t *tasks) done() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.none == nil {
		ended := make(chan struct{})
		close(ended)
		return ended
	}
	return t.none
}

func (t *tasks) wait() { <-t.done() }

// write forwards a line.
func (s *side) write(line []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.w.Write(line)
	return err
}

// answer writes a message from the proxy, if not nil, without waiting for the receiver: a side that
// sends without reading must not block the other direction.
func (s *side) answer(line []byte) {
	if line != nil {
		s.send(line)
	}
}

// send writes a message without waiting for the receiver. sent is closed when it is written.
func (s *side) send(message []byte) (sent <-chan struct{}) {
	line, done := append(message, '\n'), make(chan struct{})
	if s.waiting.Add(1) > maxAnswers {
		s.fail(errDeaf)
		return done
	}
	s.pending.run(func() {
		defer close(done)
		defer s.waiting.Add(-1)
		_ = s.write(line) // fails only if the receiver is gone
	})
	return done
}

// pump forwards the messages from one side.
type pump struct {
	*gate
	at        *scope
	direction mcp.Direction
	from      io.Reader
	to, back  *side

	asking  context.Context // ends when nobody can be asked any more
	holding *tasks          // held lines of both directions
	elicits *elicitor
	client  *side
}

// run forwards lines until there are none. It returns no error if the other side is gone, because
// the server's exit code shows that.
func (p *pump) run() error {
	lines := &lineReader{r: bufio.NewReaderSize(p.from, readBuffer), max: p.MaxMessage}
	for {
		line, whole, err := lines.next()
		if len(line) > 0 {
			if whole {
				err = errors.Join(p.pass(line), err)
			} else {
				err = errors.Join(p.tooLong(line, lines), err)
			}
		}
		switch {
		case errors.Is(err, errUnjudged):
			return err
		case err != nil:
			return nil
		}
	}
}

// pass decides on a line and carries out the decision.
func (p *pump) pass(line []byte) error {
	frame := frameOf(line)
	if len(bytes.Trim(frame, " \t")) == 0 {
		return p.to.write(line)
	}
	if p.Asking != nil && p.direction == mcp.ClientToServer && p.see(frame) {
		return nil
	}
	at := *p.at
	at.more = len(lineEnd(line)) > 0
	pass, out, do := p.judge(&at, p.direction, frame)
	switch do {
	case scanner.Forward:
		if p.Asking != nil {
			p.cancels(p.at, p.direction, frame, out)
		}
		return p.to.write(line)
	case scanner.Rewrite:
		return p.to.write(append(pass, lineEnd(line)...))
	}
	if p.asks(out) {
		p.hold(line, out)
		return nil
	}
	p.refuse(out)
	return nil
}

// refuse sends errors to the sides that are left without an answer because a frame was refused.
func (p *pump) refuse(out *scanner.Outcome) {
	sender, receiver := answers(out)
	p.back.answer(sender)
	p.to.answer(receiver)
}

// tooLong forwards, as it arrives, a line that is too long to inspect, or returns an error if
// fail_closed refuses it.
func (p *pump) tooLong(line []byte, rest *lineReader) error {
	if !p.passes(p.at, tooLongReason(p.direction, p.MaxMessage)) {
		return errUnjudged
	}
	p.to.mu.Lock() // an answer must not be written in the middle of the line
	defer p.to.mu.Unlock()
	_, err := p.to.w.Write(line)
	for err == nil && rest.open {
		var part []byte
		part, err = rest.part()
		if _, werr := p.to.w.Write(part); werr != nil {
			return werr
		}
	}
	return err
}

// lineReader reads lines including their line endings.
type lineReader struct {
	r    *bufio.Reader
	max  int64 // maximum size of a line without its end, in bytes
	buf  []byte
	open bool // part will return more of the line that next returned
}

// next returns the next line, valid until the next call. whole is false for the first part of a line
// longer than max.
func (l *lineReader) next() (line []byte, whole bool, err error) {
	l.buf = l.buf[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		l.open = errors.Is(err, bufio.ErrBufferFull)
		if len(l.buf) == 0 && !l.open {
			return part, l.fits(part), err
		}
		if l.buf = append(l.buf, part...); !l.open {
			return l.buf, l.fits(l.buf), err
		}
		if !l.fits(l.buf) {
			return l.buf, false, nil
		}
	}
}

// part returns the next part of a line above the maximum length.
func (l *lineReader) part() ([]byte, error) {
	part, err := l.r.ReadSlice('\n')
	if l.open = errors.Is(err, bufio.ErrBufferFull); l.open {
		err = nil
	}
	return part, err
}

func (l *lineReader) fits(line []byte) bool { return int64(len(line)-len(lineEnd(line))) <= l.max }

// lineEnd returns a line's terminator as it was sent.
func lineEnd(line []byte) []byte { return line[len(bytes.TrimRight(line, "\r\n")):] }
