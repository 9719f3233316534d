package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpscan/mcpscan/internal/wire"
)

const tailSize = 4 << 10

// stdio is a server process that we started, with one message per line on its standard
// input and output.
type stdio struct {
	*Process
	peer   *peer
	stderr *tail

	writing sync.Mutex
	read    chan struct{} // closed when standard output has ended
	errRead chan struct{} // closed when standard error has ended
	gone    chan struct{} // see down
	once    sync.Once
}

// dialStdio starts the server and performs the handshake. A server that exits on an unknown first
// message is started once more without that message.
func (s *scan) dialStdio(start context.Context) (*peer, hello, error) {
	s.result.Transport = "stdio"
	p, h, err := s.tryStdio(start, true)
	var down *downError
	if p != nil && errors.As(err, &down) && start.Err() == nil {
		p.close(false)
		p, h, err = s.tryStdio(start, false)
	}
	if err == nil && h.era == EraLegacy {
		s.settleVersion(p, h)
		p.notify(start, methodStarted)
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
	l := &stdio{Process: process, peer: p, stderr: &tail{},
		read: make(chan struct{}), errRead: make(chan struct{}), gone: make(chan struct{})}
	p.link = l
	l.run()
	h, err := p.negotiate(start, probe)
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
			l.peer.receive(line.Data, origin{})
		}
	}
}

// watch decides when nothing more can arrive: at the end of standard output, or soon after a failed
// exit if another process keeps it open. A process that exits successfully may have left the server
// running in the background.
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

// reason describes how the process ended, with its last output.
func (l *stdio) reason() error {
	within(l.exited, drainWait)
	words := "the server closed its standard output"
	select {
	case <-l.exited:
		within(l.errRead, drainWait)
		words = "the server exited with " + l.cmd.ProcessState.String()
	default:
	}
	if last := l.stderr.lastLines(8, 600); last != "" {
		words += ", its last output was " + strconv.Quote(last)
	}
	return errors.New(words)
}

func (l *stdio) send(_ context.Context, m outgoing) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	_, err := l.Stdin.Write(append(m.data, '\n'))
	if err == nil || m.id == "" {
		return err
	}
	// The pipe breaks when the server exits, and its exit status is more informative. After the
	// exit, watch may take drainWait to close gone.
	if within(l.gone, 2*drainWait) {
		return nil
	}
	return fmt.Errorf("writing to the server: %w", err)
}

// close ends the server as the specification requires, and then its children.
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

// tail keeps the end of the data written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

// Write never fails and never grows the tail beyond its limit.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	if n > tailSize {
		p = p[n-tailSize:]
	}
	if over := len(t.buf) + len(p) - tailSize; over > 0 {
		t.buf = t.buf[:copy(t.buf, t.buf[over:])]
	}
	t.buf = append(t.buf, p...)
	return n, nil
}

// String returns the tail unchanged.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}

// lastLines returns the last n non-blank lines. If they exceed the limit most, in bytes, it returns
// only their end, starting with a whole word. Several lines are needed because the error in a stack
// trace can be far above the last line.
func (t *tail) lastLines(n, most int) string {
	var kept []string
	lines := strings.Split(t.String(), "\n")
	for i := len(lines) - 1; i >= 0 && len(kept) < n; i-- {
		if line := strings.TrimSpace(lines[i]); line != "" {
			kept = append([]string{line}, kept...)
		}
	}
	all := strings.Join(kept, "\n")
	if len(all) <= most {
		return all
	}
	cut := len(all) - most
	if word := strings.IndexAny(all[cut-1:], " \n"); word >= 0 { // otherwise it is a single long word
		cut += word
	}
	return "…" + strings.ToValidUTF8(all[cut:], "")
}
