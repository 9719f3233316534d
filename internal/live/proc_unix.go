//go:build unix

package live

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

// group is everything that a server started: the session that it leads, and what left
// that session where the system tells about it.
type group struct{ id int }

// adopt takes over the session of a process that was just started.
func adopt(cmd *exec.Cmd) *group { return &group{cmd.Process.Pid} }

// terminate asks all processes to end. An already ended one is not an error, here and in kill.
func (g *group) terminate() { g.signal(syscall.SIGTERM) }

// pass sends a signal of ours to all of them.
func (g *group) pass(s os.Signal) {
	if number, ok := s.(syscall.Signal); ok {
		g.signal(number)
	}
}

// exitCode is what a shell says of a process that has ended.
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

// killRounds bounds how often processes are killed that start others in the meantime, and
// killPause is the time for the kernel to end them.
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
