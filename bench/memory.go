//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// sampleEvery is the time between two samples of the memory of a program.
const sampleEvery = time.Millisecond

// run runs a program, and returns its peak memory in bytes. On Linux, the kernel's figure is at least
// the peak of this process, because it starts the program. If the figure is not higher, peak is the last
// sample taken while the program ran.
func run(cmd *exec.Cmd) (peak float64, err error) {
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ended, sampled := make(chan struct{}), make(chan float64)
	go func() { sampled <- sample(cmd.Process.Pid, ended) }()
	err = cmd.Wait()
	close(ended)
	last := <-sampled
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		peak = bytesOf(usage)
	}
	if runtime.GOOS == "linux" && peak <= ownPeak() && last > 0 {
		peak = last
	}
	return peak, err
}

// sample returns the peak memory of a process, in bytes, as last read before the process ended, or 0 if
// it was never read.
func sample(pid int, ended <-chan struct{}) (last float64) {
	name := fmt.Sprintf("/proc/%d/status", pid)
	for {
		select {
		case <-ended:
			return last
		case <-time.After(sampleEvery):
		}
		status, _ := os.ReadFile(name)
		_, peak, found := strings.Cut(string(status), "VmHWM:")
		if fields := strings.Fields(peak); found && len(fields) > 0 {
			if kib, err := strconv.Atoi(fields[0]); err == nil {
				last = float64(kib) * 1024
			}
		}
	}
}

// ownPeak returns the peak memory of this process in bytes.
func ownPeak() float64 {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return bytesOf(&usage)
}

// bytesOf returns the peak memory in bytes; Linux counts in KiB.
func bytesOf(usage *syscall.Rusage) float64 {
	if runtime.GOOS == "linux" {
		return float64(usage.Maxrss) * 1024
	}
	return float64(usage.Maxrss)
}
