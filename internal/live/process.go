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
	"strings"
	"time"
)

const (
	politeWait = time.Second     // between closing standard input and the terminating signal
	termWait   = 2 * time.Second // between that signal and the kill
	// drainWait is how long to wait for the last output of a process that has exited, and for the exit of
	// one that has closed its output. Only a server that leaves a process running uses all of it. With a
	// shorter wait, the reason for an exit would be missing on a busy machine.
	drainWait = 2 * time.Second
)

// Process is a server that we started, with all its descendants. Start creates the pipes itself,
// because os/exec waits for every process that has one open, and a grandchild may keep one open for
// ever.
type Process struct {
	Stdin  *os.File // our end, for writing
	Stdout *os.File // our end, for reading

	cmd    *exec.Cmd
	group  *group
	errout *os.File // nil if the caller provided standard error
	exited chan struct{}
}

// ErrStart is wrapped by the errors of [Start]: no process of the server ran.
var ErrStart = errors.New("starting the server")

// Start starts a target's command in its own session. Its standard error goes to stderr, or to a
// pipe if stderr is nil.
func Start(t Target, stderr *os.File) (*Process, error) {
	path, err := lookUp(t.Command[0], t.Env)
	if err != nil {
		return nil, fmt.Errorf("%w: %w; install it, or give the path of its command", ErrStart, err)
	}
	p := &Process{cmd: exec.Command(path, t.Command[1:]...), exited: make(chan struct{})}
	p.cmd.Env, p.cmd.Dir = t.Env, t.Dir
	theirs, err := p.pipes(stderr)
	defer closeAll(theirs...)
	if err == nil {
		err = p.start()
	}
	if err != nil {
		closeAll(p.Stdin, p.Stdout, p.errout)
		return nil, fmt.Errorf("%w: %w", ErrStart, err)
	}
	return p, nil
}

// start starts the process and waits for it on a dedicated thread, because Linux kills the process
// when the thread that started it ends. Nothing waits for this goroutine, because a process that the
// kernel cannot kill must not block us.
func (p *Process) start() error {
	prepare(p.cmd)
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			_ = p.cmd.Wait() // ProcessState has the result
			close(p.exited)
		}
	}()
	if err := <-started; err != nil {
		(&group{}).release()
		return err
	}
	p.group = adopt(p.cmd)
	return nil
}

// pipes creates the streams and returns the server's ends.
func (p *Process) pipes(stderr *os.File) ([]*os.File, error) {
	in, stdin, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	theirs := []*os.File{in}
	p.Stdin, p.cmd.Stdin = stdin, in
	ends := []struct {
		ours   **os.File
		theirs *io.Writer
	}{{&p.Stdout, &p.cmd.Stdout}, {&p.errout, &p.cmd.Stderr}}
	if stderr != nil {
		p.cmd.Stderr = stderr
		ends = ends[:1]
	}
	for _, end := range ends {
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

// lookUp finds a command in the PATH of the given environment or, if the environment has no PATH,
// in ours.
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

// Exited is closed when the process has exited. Its descendants may still run.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// failed reports whether the process did not exit successfully.
func (p *Process) failed() bool {
	state := p.cmd.ProcessState
	return state == nil || !state.Success()
}

// ExitCode returns the exit code of the process, or 128 plus the number of the signal that killed
// it, or 1 if neither is known.
func (p *Process) ExitCode() int {
	select {
	case <-p.exited:
	default:
		return 1
	}
	return exitCode(p.cmd.ProcessState)
}

// Signal sends a signal to the process and its descendants.
func (p *Process) Signal(s os.Signal) { p.group.pass(s) }

// End ends the process as the MCP specification recommends, and then all its descendants: it closes
// standard input, waits, terminates, and kills. It stops waiting when ctx is done.
func (p *Process) End(ctx context.Context) {
	p.Stdin.Close()
	if !p.emptyWithin(ctx, politeWait) && ctx.Err() == nil {
		p.group.terminate()
		p.emptyWithin(ctx, termWait)
	}
	p.kill()
}

func (p *Process) kill() {
	p.group.kill()
	within(p.exited, termWait)
}

// Release closes our ends of the streams, because an escaped process may keep the other ends open
// for ever, and releases the process group. Call it after End.
func (p *Process) Release() {
	closeAll(p.Stdout, p.errout)
	p.group.release()
}

// emptyWithin waits until the process and its descendants are gone, but no longer than d, and reports
// whether they are.
func (p *Process) emptyWithin(ctx context.Context, d time.Duration) bool {
	deadline := time.NewTimer(d)
	defer deadline.Stop()
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	for {
		select {
		case <-p.exited:
			if !p.group.alive() {
				return true
			}
		default:
		}
		select {
		case <-deadline.C:
			return false
		case <-poll.C:
		case <-ctx.Done():
			return false
		}
	}
}

// within waits until done is closed, but no longer than d, and reports whether it was closed.
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
