//go:build unix && !linux

package live

import (
	"errors"
	"os/exec"
	"syscall"
)

// prepare gives the process a session of its own, without a terminal.
func prepare(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// members are the processes outside the process group. There is no /proc to find them in.
func (g *group) members() []int { return nil }

// alive says whether the process group has a member.
func (g *group) alive() bool { return !errors.Is(syscall.Kill(-g.id, 0), syscall.ESRCH) }

func (g *group) release() {}
