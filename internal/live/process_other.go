//go:build unix && !linux

package live

import (
	"errors"
	"os/exec"
	"syscall"
)

// prepare makes cmd start in a new session without a terminal.
func prepare(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// members returns nil: only the version for Linux finds processes outside the process group.
func (g *group) members() []int { return nil }

// alive reports whether the process group has a member.
func (g *group) alive() bool { return !errors.Is(syscall.Kill(-g.id, 0), syscall.ESRCH) }

func (g *group) release() {}
