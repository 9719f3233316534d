package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpscan/mcpscan/internal/wire"
)

const (
	politeWait = time.Second            // from the closed standard input to the terminating signal
	termWait   = 2 * time.Second        // from there to the kill
	drainWait  = 500 * time.Millisecond // for the last output of a process that is gone
	tailSize   = 4 << 10
)

// stdio is a server that we started: one message a line on its standard input
// and output.
type stdio struct {
	peer   *peer
	cmd    *exec.Cmd
	group  *group
	stdin  *os.File
	stdout *os.File
	errout *os.File
	stderr *tail

	writing sync.Mutex
	exited  chan struct{} // the process was waited for
	read    chan struct{} // standard output ended
	errRead chan struct{} // standard error ended
	gone    chan struct{} // see down
	once    sync.Once
}

// dialStdio starts the server and shakes hands. A server that dies of the first
// message that it does not know is started once more without it.
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
	l, err := startStdio(p, s.target)
	if err != nil {
		p.stop()
		p.work.Wait()
		return nil, hello{}, err
	}
	p.link = l
	l.run()
	h, err := p.negotiate(start, probe)
	return p, h, err
}

// startStdio starts the process. Its streams are our own pipes: those of os/exec wait for
// everybody who holds them, and a grandchild may hold them forever.
func startStdio(p *peer, t Target) (*stdio, error) {
	path, err := lookUp(t.Command[0], t.Env)
	if err != nil {
		return nil, fmt.Errorf("starting the server: %w: install it, or give the path of its command", err)
	}
	l := &stdio{
		peer: p, cmd: exec.Command(path, t.Command[1:]...), stderr: &tail{},
		exited: make(chan struct{}), read: make(chan struct{}),
		errRead: make(chan struct{}), gone: make(chan struct{}),
	}
	l.cmd.Env, l.cmd.Dir = t.Env, t.Dir
	theirs, err := l.pipes()
	defer closeAll(theirs...)
	if err == nil {
		err = l.start()
	}
	if err != nil {
		closeAll(l.stdin, l.stdout, l.errout)
		return nil, fmt.Errorf("starting the server: %w", err)
	}
	return l, nil
}

// start starts the process and waits for its end, on a thread of its own: the kernel takes the
// end of the thread for ours. The wait group does not count it: a process that the kernel
// cannot end must not block us.
func (l *stdio) start() error {
	prepare(l.cmd)
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := l.cmd.Start()
		started <- err
		if err == nil {
			_ = l.cmd.Wait() // told by ProcessState
			close(l.exited)
		}
	}()
	if err := <-started; err != nil {
		(&group{}).release()
		return err
	}
	l.group = adopt(l.cmd)
	return nil
}

// pipes makes the three streams and returns the server's ends.
func (l *stdio) pipes() ([]*os.File, error) {
	in, stdin, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	theirs := []*os.File{in}
	l.stdin, l.cmd.Stdin = stdin, in
	for _, end := range []struct {
		ours   **os.File
		theirs *io.Writer
	}{{&l.stdout, &l.cmd.Stdout}, {&l.errout, &l.cmd.Stderr}} {
		r, w, err := os.Pipe()
		if err != nil {
			return theirs, err
		}
		*end.ours, *end.theirs = r, w
		theirs = append(theirs, w)
	}
	return theirs, nil
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

// lookUp finds a command as the process that starts it with this environment
// would.
func lookUp(name string, env []string) (string, error) {
	if filepath.Base(name) != name {
		return name, nil
	}
	for i := len(env) - 1; i >= 0; i-- {
		list, ok := strings.CutPrefix(env[i], "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(list) {
			if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil && filepath.IsAbs(path) {
				return path, nil
			}
		}
		return "", fmt.Errorf("%q is not in the PATH of the server's environment", name)
	}
	return exec.LookPath(name)
}

// run reads the server's output until the link is closed.
func (l *stdio) run() {
	l.peer.work.Go(func() {
		defer close(l.read)
		l.readLines()
	})
	l.peer.work.Go(func() {
		defer close(l.errRead)
		_, _ = io.Copy(l.stderr, l.errout) // ends with the pipe, however that ends
	})
	l.peer.work.Go(l.watch)
}

func (l *stdio) readLines() {
	lines := wire.NewLineReader(l.stdout, l.peer.opts.MaxFrame)
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

// watch decides when nothing can arrive any more: at the end of standard output, or soon after
// a failed exit if another process still holds it. A process that exits successfully may have
// left the server running.
func (l *stdio) watch() {
	defer l.once.Do(func() { close(l.gone) })
	select {
	case <-l.read:
		return
	case <-l.exited:
	}
	if state := l.cmd.ProcessState; state != nil && state.Success() {
		<-l.read
		return
	}
	select {
	case <-l.read:
	case <-time.After(drainWait):
	}
}

func (l *stdio) down() <-chan struct{} { return l.gone }

// reason describes how the process ended, and its last output.
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

// within waits for done, but no longer than d.
func within(done <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

func (l *stdio) send(_ context.Context, m outgoing) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	_, err := l.stdin.Write(append(m.data, '\n'))
	if err == nil || m.id == "" {
		return err
	}
	// The pipe breaks when the server dies, and how it died says more.
	if within(l.gone, drainWait) {
		return nil
	}
	return fmt.Errorf("writing to the server: %w", err)
}

// close ends the server as the specification wants it, and then its children.
func (l *stdio) close(graceful bool) {
	l.stdin.Close()
	if graceful && !l.emptyWithin(politeWait) {
		l.group.terminate()
		l.emptyWithin(termWait)
	}
	l.group.kill()
	within(l.exited, termWait)
	within(l.read, drainWait)
	// A process that left the group may hold these forever.
	l.stdout.Close()
	l.errout.Close()
	l.group.release()
}

// emptyWithin waits until the process and all it started are gone.
func (l *stdio) emptyWithin(d time.Duration) bool {
	deadline := time.NewTimer(d)
	defer deadline.Stop()
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	for {
		select {
		case <-l.exited:
			if !l.group.alive() {
				return true
			}
		default:
		}
		select {
		case <-deadline.C:
			return false
		case <-poll.C:
		case <-l.peer.ctx.Done():
			return false
		}
	}
}

// tail keeps the end of the data written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

// Write never fails and never grows the tail.
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

// String returns the tail as it was written.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}

// lastLines are the last n lines with something in them, and of these the words at the
// end that have most bytes at most: a stack trace names its error far above the last line.
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
	if word := strings.IndexAny(all[cut-1:], " \n"); word >= 0 { // else it is one long word
		cut += word
	}
	return "…" + strings.ToValidUTF8(all[cut:], "")
}
