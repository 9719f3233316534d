//go:build unix

package shapes

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// The limits for any input of up to fullSize, compressed or not.
const (
	fullSize   = 64_000_000
	mostMemory = 256 << 10 // in KiB, the unit of the operating system
	mostReport = 50_000_000
)

// TestMemory checks that for any shape of input, memory use and the size of reports stay
// within limits.
func TestMemory(t *testing.T) {
	if !*full {
		t.Skip("needs hours for all shapes: -full")
	}
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range All() {
		if !*all && !slices.Contains(quick, s.Name) {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			// A message of fullSize is skipped as too long; one of half the size is read.
			for _, size := range []int{fullSize, fullSize / 2} {
				measureMemory(t, program, s, size)
			}
		})
	}
}

func measureMemory(t *testing.T, program string, s Shape, size int) {
	t.Helper()
	dir := laid(t, s, s.sizeOf(size))
	for _, command := range s.Commands {
		used := usageOf(t, dir, program, command)
		t.Logf("%s: %d MiB, %.1f s of processor time", command[0], used.KiB>>10, used.Seconds)
		if used.KiB > mostMemory {
			t.Errorf("mcpscan %s took %d MiB of memory", strings.Join(command, " "), used.KiB>>10)
		}
	}
	reports, _ := filepath.Glob(filepath.Join(dir, "report.*"))
	for _, name := range reports {
		if info, err := os.Stat(name); err == nil && info.Size() > mostReport && filepath.Ext(name) != ".events" { // a log of audit events is not a report
			t.Errorf("%s has %d bytes", filepath.Base(name), info.Size())
		}
	}
}

// usage is the resource usage of a process.
type usage struct {
	KiB     int64
	Seconds float64
	Exit    int
}

// usageFile is the environment variable with the path of the file to which this process writes the
// resource usage of the program in its arguments.
const usageFile = "SHAPES_USAGE"

// usageOf runs a command and returns its resource usage. The operating system counts the parent's
// memory at the time of the fork, and a test keeps its inputs in memory, so a separate process
// forks the command.
func usageOf(t *testing.T, dir, program string, command []string) (u usage) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "usage")
	run(t, dir, self, append([]string{program}, command...), usageFile+"="+file)
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &u)
	}
	if err != nil || u.KiB == 0 {
		t.Fatalf("what mcpscan took is not known: %v", err)
	}
	return u
}

// measure runs the program in the arguments and returns its exit code.
func measure(file string) int {
	os.Unsetenv(usageFile)
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	_ = cmd.Run() // the exit code contains the error
	r, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return 2
	}
	u := usage{KiB: int64(r.Maxrss), Seconds: cmd.ProcessState.UserTime().Seconds(), Exit: cmd.ProcessState.ExitCode()}
	if runtime.GOOS == "darwin" { // the unit there is bytes
		u.KiB >>= 10
	}
	data, err := json.Marshal(u)
	if err == nil {
		err = os.WriteFile(file, data, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	return u.Exit
}
