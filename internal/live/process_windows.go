package live

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is a job object that contains the server and its children, even after the server has
// exited. Without a job, taskkill kills what is left of the process tree.
type group struct {
	job windows.Handle // 0 without a job
	pid int
}

// accounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION, which x/sys lacks.
type accounting struct {
	times           [4]int64
	pageFaults      uint32
	processes       uint32
	activeProcesses uint32
	terminated      uint32
}

// prepare makes cmd start in its own process group, so that a Ctrl-C in our console does not interrupt
// it.
func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// adopt puts a process that was just started into a job that ends with our process.
func adopt(cmd *exec.Cmd) *group {
	g := &group{pid: cmd.Process.Pid}
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return g
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
		},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err == nil {
		err = assign(job, uint32(g.pid))
	}
	if err != nil {
		windows.CloseHandle(job)
		return g
	}
	g.job = job
	return g
}

func assign(job windows.Handle, pid uint32) error {
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, pid)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(h)
	return windows.AssignProcessToJobObject(job, h)
}

// terminate does nothing, because Windows has no SIGTERM.
func (g *group) terminate() {}

func (g *group) kill() {
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, 1)
		return
	}
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(g.pid)).Run()
}

// alive reports whether the job contains a process. Without a job, this is unknown, so it returns
// true.
func (g *group) alive() bool {
	if g.job == 0 {
		return true
	}
	var info accounting
	err := windows.QueryInformationJobObject(g.job, windows.JobObjectBasicAccountingInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), nil)
	return err != nil || info.activeProcesses > 0
}

func (g *group) release() {
	if g.job != 0 {
		windows.CloseHandle(g.job)
	}
}

// pass does nothing, because Windows cannot send signals to a process.
func (g *group) pass(os.Signal) { g.terminate() }

func exitCode(state *os.ProcessState) int { return max(state.ExitCode(), 0) }
