//go:build unix

package live

import (
	"errors"
	"os/exec"
	"syscall"
)

// group is the process group of a server: npx and the node that it starts.
type group struct{ id int }

// prepare gives the process a group of its own.
func prepare(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// adopt takes hold of the group of a process that was just started.
func adopt(cmd *exec.Cmd) *group { return &group{cmd.Process.Pid} }

// terminate asks the group to end. That it ended already is no error, here and
// in kill.
func (g *group) terminate() { _ = syscall.Kill(-g.id, syscall.SIGTERM) }

func (g *group) kill() { _ = syscall.Kill(-g.id, syscall.SIGKILL) }

// alive says whether the group has a member, be it one that nobody waited for.
func (g *group) alive() bool { return !errors.Is(syscall.Kill(-g.id, 0), syscall.ESRCH) }

func (g *group) release() {}
