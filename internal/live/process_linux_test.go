package live

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// TestServerDiesWithUs checks that a server that ignores signals and the end of its input is killed
// if we are killed before we can stop it.
func TestServerDiesWithUs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	target := helper(t, "lister")
	us := exec.Command(target.Command[0])
	us.Env = append(target.Env, pidVar+"="+file)
	if err := us.Start(); err != nil {
		t.Fatal(err)
	}
	pid := 0
	for range 15000 {
		if data, err := os.ReadFile(file); err == nil && len(data) > 0 {
			pid, _ = strconv.Atoi(string(data))
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err := us.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = us.Wait() // killed
	if pid == 0 {
		t.Fatal("the server did not start")
	}
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	for range 15000 {
		if !running(pid) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("process %d still runs", pid)
}
