//go:build unix

package live

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

// group represents the processes of a server: those in its session and, on Linux, descendants that
// have left the session.
type group struct{ id int }

// adopt returns the group of a process that was just started.
func adopt(cmd *exec.Cmd) *group { return &group{cmd.Process.Pid} }

// terminate asks all processes to exit. Like kill, it ignores processes that have exited.
func (g *group) terminate() { g.signal(syscall.SIGTERM) }

// pass sends a signal to all processes.
func (g *group) pass(s os.Signal) {
	if number, ok := s.(syscall.Signal); ok {
		g.signal(number)
	}
}

// exitCode returns the exit code as a shell reports it.
func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return max(state.ExitCode(), 0)
}

func (g *group) signal(s syscall.Signal) {
	_ = syscall.Kill(-g.id, s)
	for _, pid := range g.members() {
		_ = syscall.Kill(pid, s)
	}
}

// killRounds is the maximum number of attempts to kill processes that keep starting others, and
// killPause is the wait after each attempt.
const (
	killRounds = 100
	killPause  = 5 * time.Millisecond
)

func (g *group) kill() {
	for range killRounds {
		g.signal(syscall.SIGKILL)
		if !g.alive() {
			return
		}
		time.Sleep(killPause)
	}
}
