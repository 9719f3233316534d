//go:build unix

package live

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// running reports whether a process is running; a zombie is not.
func running(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err == nil {
		_, after, _ := strings.Cut(string(stat), ") ")
		return !strings.HasPrefix(after, "Z")
	}
	return syscall.Kill(pid, 0) == nil
}

func leaveSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// A grandchild keeps standard output open for an hour, and ignores its input.
func TestGrandchildrenAreEnded(t *testing.T) {
	t.Parallel()
	modes := []string{"launcher", "orphan"}
	if runtime.GOOS == "linux" {
		modes = append(modes, "session", "daemon")
	}
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			res, s, err := list(t, helper(t, mode))
			if mode != "orphan" && (err != nil || s.count(ServerToClient, `"name":"a"`) != 1) {
				t.Errorf("got %+v, %v", res, err)
			}
			if mode == "orphan" && (err == nil || !strings.Contains(err.Error(), "exit status 4")) {
				t.Errorf("got %v", err)
			}
			pid := 0
			if _, err := fmt.Sscanf(res.stderr, "child %d", &pid); err != nil {
				t.Fatalf("%q: %v", res.stderr, err)
			}
			t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
			for range 15000 { // a killed process does not vanish at once
				if !running(pid) {
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
			t.Errorf("process %d still runs", pid)
		})
	}
}
