//go:build unix

package live

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

// alive says whether the group has a member that still runs.
func (g *group) alive() bool {
	return !errors.Is(syscall.Kill(-g.id, 0), syscall.ESRCH) && !g.onlyZombies()
}

// onlyZombies says whether all members are dead and just not waited for, which
// they stay for ever in a container without an init. Where there is no Linux
// /proc it cannot tell, and says no.
func (g *group) onlyZombies() bool {
	paths, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return false
	}
	members := 0
	for _, path := range paths {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it ended meanwhile
		}
		// After the name, which may hold anything: state, parent, group.
		fields := string(stat[strings.LastIndex(string(stat), ")")+1:])
		var state string
		var parent, id int
		if _, err := fmt.Sscan(fields, &state, &parent, &id); err != nil || id != g.id {
			continue
		}
		if state != "Z" && state != "X" {
			return false
		}
		members++
	}
	return members > 0
}

func (g *group) release() {}
