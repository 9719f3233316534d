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

// prepare gives the process a session of its own, without a terminal, and has the kernel
// kill it when we die. The thread that starts it has to live as long as it does.
//
// It also makes us the parent of every process below the server that loses its own, so
// that one with a session of its own is found as well.
func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	becomeParent()
	servers.Lock()
	servers.open++
	servers.Unlock()
}

// becomeParent needs no privilege. A kernel that does not know it leaves processes that
// double-fork to init.
var becomeParent = sync.OnceFunc(func() {
	for pid, p := range processes() {
		if p.parent == os.Getpid() {
			before[pid] = true
		}
	}
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
})

// before are our children of the time before the first server: a script that ends in exec
// leaves us its own.
var before = map[int]bool{}

// servers counts those that are not released yet. A process without its parent and session can
// belong to any of them, and ends with the last.
var servers struct {
	sync.Mutex
	open int
}

// members are the processes that still run of the session, and below one of its
// processes.
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

// release ends what escaped from all servers once none of them is left.
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

// endStrays kills the processes that we became the parent of, and says whether there were
// any. A process that we started ourselves is in our session, or was waited for.
func endStrays() (found bool) {
	us := os.Getpid()
	if us == 1 { // everybody's orphans are ours, and the kernel ends all when we do
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
		_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil) // nobody else waits for it
	}
	return found
}

// process is what /proc reports a process.
type process struct {
	parent, group, session int
	dead                   bool // and not waited for, which it stays for ever in a container without an init
}

// processes reads the table of processes.
func processes() map[int]process {
	all := map[int]process{}
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue // it is no process
		}
		stat, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue // it ended meanwhile
		}
		// The fields after the name, which may hold anything: state, parent, group, session.
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

// family are processes and all that are below them.
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
