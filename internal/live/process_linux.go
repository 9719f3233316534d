package live

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// prepare makes cmd start in a new session without a terminal, and makes the kernel kill the process
// when we die. The thread that starts the process must live as long as the process.
//
// It also makes us a subreaper: orphaned descendants of the server become our children, so that
// those in other sessions are found as well.
func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	becomeParent()
	servers.Lock()
	servers.open++
	servers.Unlock()
}

// becomeParent makes us a subreaper, which needs no privilege. On a kernel without this feature,
// orphaned processes become children of init.
var becomeParent = sync.OnceFunc(func() {
	for pid, p := range processes() {
		if p.parent == os.Getpid() {
			before[pid] = true
		}
	}
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
})

// before holds the child processes that existed before the first server was started: a script that
// execs us leaves us its children.
var before = map[int]bool{}

// servers holds the number of servers that have not been released. An orphaned process outside the
// servers' sessions may belong to any server, and is killed when the last server is released.
var servers struct {
	sync.Mutex
	open int
}

// members returns the running processes in the session, and all their running descendants.
func (g *group) members() (pids []int) {
	all := processes()
	var roots []int
	for pid, p := range all {
		if p.session == g.id || p.group == g.id {
			roots = append(roots, pid)
		}
	}
	for pid := range family(all, roots...) {
		if !all[pid].dead {
			pids = append(pids, pid)
		}
	}
	return pids
}

func (g *group) alive() bool { return len(g.members()) > 0 }

// release kills processes that escaped from any server, once no server is running.
func (g *group) release() {
	servers.Lock()
	defer servers.Unlock()
	servers.open--
	if servers.open > 0 {
		return
	}
	for range killRounds {
		if !endStrays() {
			return
		}
		time.Sleep(killPause)
	}
}

// endStrays kills the orphaned processes that became our children, and reports whether
// there were any. Processes that we started ourselves are in our session, or were waited
// for.
func endStrays() (found bool) {
	us := os.Getpid()
	if us == 1 { // as PID 1, we inherit all orphans, and the kernel kills everything when we exit
		return false
	}
	all := processes()
	session := all[us].session
	for pid, p := range all {
		if p.parent != us || p.session == session || before[pid] {
			continue
		}
		found = true
		for below := range family(all, pid) {
			_ = syscall.Kill(below, syscall.SIGKILL)
		}
		_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil) // no other code reaps it
	}
	return found
}

// process is an entry of the process table in /proc.
type process struct {
	parent, group, session int
	dead                   bool // exited but not reaped, possibly for ever in a container without an init
}

// processes reads the process table.
func processes() map[int]process {
	all := map[int]process{}
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue // not a process
		}
		stat, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue // it has exited
		}
		// The fields after the name, which may contain anything: state, parent, group, session.
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if len(fields) < 4 {
			continue
		}
		p := process{dead: fields[0] == "Z" || fields[0] == "X"}
		p.parent, _ = strconv.Atoi(fields[1])
		p.group, _ = strconv.Atoi(fields[2])
		p.session, _ = strconv.Atoi(fields[3])
		all[pid] = p
	}
	return all
}

// family returns the roots and all their descendants.
func family(all map[int]process, roots ...int) map[int]bool {
	below := map[int][]int{}
	for pid, p := range all {
		below[p.parent] = append(below[p.parent], pid)
	}
	found := map[int]bool{}
	for todo := roots; len(todo) > 0; {
		pid := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !found[pid] {
			found[pid] = true
			todo = append(todo, below[pid]...)
		}
	}
	return found
}
