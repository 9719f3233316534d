package fakeserver

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// names are the programs that Install provides.
var names = []string{"npx", "uvx", "pipx", "bun", "docker", "fakeserver", "fakehttp"}

// Install builds the program in the directory fakes, and installs it in dir under each of its names. The fakes
// are a separate program, which starts ten times as fast as a test binary.
func Install(dir string) error {
	suffix := ""
	if runtime.GOOS == "windows" {
		suffix = ".exe"
	}
	first := filepath.Join(dir, names[0]+suffix)
	build := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", first, "github.com/mcpscan/mcpscan/internal/fakeserver/fakes")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building the fake servers: %w\n%s", err, out)
	}
	for _, name := range names[1:] {
		if err := os.Link(first, filepath.Join(dir, name+suffix)); err != nil {
			return err
		}
	}
	return nil
}
