//go:build unix && !linux

package live

import (
	"errors"
	"os/exec"
	"syscall"
)

// prepare starts the process in a new session without a terminal.
func prepare(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// members returns nil: without /proc, processes outside the process group cannot be found.
func (g *group) members() []int { return nil }

// alive reports whether the process group has a member.
func (g *group) alive() bool { return !errors.Is(syscall.Kill(-g.id, 0), syscall.ESRCH) }

func (g *group) release() {}
