package action

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/fakeserver"
)

// root is the relative path from this package to the repository root.
const root = "../.."

// The exit codes of mcpscan, as documented in docs/action.md.
const (
	exitClean    = 0
	exitFindings = 1
)

var update = flag.Bool("update", false, "write the version into the documents instead of comparing them")

// TestMain runs the tests with a build of mcpscan and a fake npx in PATH.
func TestMain(m *testing.M) { os.Exit(withMcpscan(m)) }

func withMcpscan(m *testing.M) int {
	dir, err := os.MkdirTemp("", "mcpscan-action")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	build := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", filepath.Join(dir, "mcpscan"), "../../cmd/mcpscan")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build ./cmd/mcpscan: %v\n%s", err, out)
		return 1
	}
	if err := fakeserver.Install(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	// Tests must not depend on the machine's CI, terminal or XDG directories.
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if name == "CI" || name == "NO_COLOR" || strings.HasPrefix(name, "GITHUB_") || strings.HasPrefix(name, "XDG_") {
			os.Unsetenv(name)
		}
	}
	return m.Run()
}

func readFile(t *testing.T, elem ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
