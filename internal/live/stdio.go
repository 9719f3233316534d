package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/mcpscan/mcpscan/internal/wire"
)

// stdio is a server process that we started, with one message per line on its standard
// input and output.
type stdio struct {
	*Process
	peer   *peer
	stderr *tail
	noise  *tail // lines on standard output that are not messages

	writing sync.Mutex
	read    chan struct{} // closed when standard output has ended
	errRead chan struct{} // closed when standard error has ended
	gone    chan struct{} // see down
	once    sync.Once
}

// dialStdio starts the server and performs the handshake. A server that exits on an unknown first
// message is started once more without that message.
func (s *scan) dialStdio(start context.Context) (*peer, hello, error) {
	s.result.transport = "stdio"
	p, h, err := s.tryStdio(start, true)
	var first, second *downError
	if p != nil && errors.As(err, &first) && start.Err() == nil {
		p.close(false)
		p, h, err = s.tryStdio(start, false)
		if err != nil && !errors.As(err, &second) {
			err = fmt.Errorf("%w (at its first start, %w)", err, first.cause)
		}
	}
	return p, h, err
}

func (s *scan) tryStdio(start context.Context, probe bool) (*peer, hello, error) {
	p := newPeer(s.parent, s.opts, s.tap)
	process, err := Start(s.target, nil)
	if err != nil {
		p.stop()
		p.work.Wait()
		return nil, hello{}, err
	}
	l := &stdio{Process: process, peer: p, stderr: &tail{}, noise: &tail{},
		read: make(chan struct{}), errRead: make(chan struct{}), gone: make(chan struct{})}
	p.link = l
	l.run()
	h, err := s.meet(start, p, probe)
	var down *downError // its reason has the output
	if err != nil && !errors.As(err, &down) {
		err = fmt.Errorf("%w%s", err, l.said())
	}
	return p, h, err
}

// run reads the server's output until the link is closed.
func (l *stdio) run() {
	l.peer.work.Go(func() {
		defer close(l.read)
		l.readLines()
	})
	l.peer.work.Go(func() {
		defer close(l.errRead)
		_, _ = io.Copy(l.stderr, l.errout) // ends when the pipe does, for whatever reason
	})
	l.peer.work.Go(l.watch)
}

func (l *stdio) readLines() {
	lines := wire.NewLineReader(l.Stdout, l.peer.opts.MaxFrame)
	for {
		line, err := lines.Next()
		switch {
		case err != nil:
			return
		case line.Oversize:
			l.peer.drop()
		default:
			if !l.peer.receive(line.Data, false) {
				l.noise.add(line.Data)
			}
		}
	}
}

// watch closes gone when nothing more can arrive: at the end of standard output, or soon after a failed
// exit if another process keeps standard output open. A process that exits successfully may have left
// the server running in the background.
func (l *stdio) watch() {
	defer l.once.Do(func() { close(l.gone) })
	select {
	case <-l.read:
		return
	case <-l.exited:
	}
	if !l.failed() {
		<-l.read
		return
	}
	select {
	case <-l.read:
	case <-time.After(drainWait):
	}
}

func (l *stdio) down() <-chan struct{} { return l.gone }

// reason describes how the process ended, with an excerpt from its output.
func (l *stdio) reason() error {
	within(l.exited, drainWait)
	words := "the server closed its standard output"
	select {
	case <-l.exited:
		within(l.errRead, drainWait)
		words = "the server exited with " + l.cmd.ProcessState.String()
	default:
	}
	return errors.New(words + l.said())
}

// said quotes an excerpt from the server's standard error or, if that is empty, from what it printed
// instead of messages.
func (l *stdio) said() string {
	for _, output := range []*tail{l.stderr, l.noise} {
		if excerpt := output.excerpt(maxExcerpt, l.peer.opts.Mask); excerpt != "" {
			return "; its output was " + strconv.Quote(excerpt)
		}
	}
	return ""
}

func (l *stdio) send(_ context.Context, m outgoing) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	_, err := l.Stdin.Write(append(m.data, '\n'))
	if err == nil || m.id == "" {
		return err
	}
	// The pipe breaks when the server exits, and the exit status is more informative than the write
	// error. After the exit, watch may take drainWait to close gone.
	if within(l.gone, 2*drainWait) {
		return nil
	}
	return fmt.Errorf("writing to the server: %w", err)
}

// close ends the server and its descendants. If graceful is set, it does so as the specification
// recommends.
func (l *stdio) close(graceful bool) {
	if graceful {
		l.End(l.peer.ctx)
	} else {
		l.Stdin.Close()
		l.kill()
	}
	within(l.read, drainWait)
	l.Release()
}
