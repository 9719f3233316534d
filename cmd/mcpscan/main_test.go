package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mcpscan/mcpscan/internal/fakeserver"
)

// TestMain puts the program and the fake servers into PATH.
func TestMain(m *testing.M) {
	testscript.Main(withPrograms{m}, map[string]func(){
		"sdkserver":     sdkServer,
		"sessionclient": sessionClient,
		"sessionload":   sessionLoad,
		"relay":         relay,
		"timedproxy":    timedProxy,
		"genrecording":  genRecording,
	})
}

// withPrograms runs the tests with the program and the fake servers in PATH.
type withPrograms struct{ m *testing.M }

func (w withPrograms) Run() int {
	command, err := exec.LookPath("genrecording")
	if err == nil {
		err = install(filepath.Dir(command))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := flag.Set("test.parallel", parallelTests); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return w.m.Run()
}

// parallelTests is the default number of parallel tests: more than processors, because most tests wait
// for other processes.
const parallelTests = "8"

// install builds the program and the fake servers into a directory. The test binary could
// also act as the program, but it initialises packages that only tests import, and
// scripts start the program a thousand times.
func install(dir string) error {
	args := []string{"build", "-buildvcs=false", "-ldflags=-s -w", "-o", dir + string(filepath.Separator)}
	if raceDetector() {
		args = append(args, "-race")
	}
	if out, err := exec.Command("go", append(args, ".")...).CombinedOutput(); err != nil {
		return fmt.Errorf("building mcpscan: %w\n%s", err, out)
	}
	return fakeserver.Install(dir)
}

// raceDetector reports whether the race detector is enabled.
func raceDetector() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// TestScripts runs the scripts in testdata/scripts, which test the command line
// from the user's perspective.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("..", "..", "testdata", "scripts"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			// Scripts must not depend on the machine's CI or terminal.
			env.Vars = withoutCI(env.Vars)
			examples, err := filepath.Abs(filepath.Join("..", "..", "docs", "examples"))
			if err != nil {
				return err
			}
			env.Setenv("EXAMPLES", examples)
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("MCPSCAN_SESSION", noSession) // otherwise, all proxies would share a session, because the test is their client
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"sarif":         checkSARIF,
			"count":         countMatches,
			"entry":         startEntry,
			"findings":      wantFindings,
			"flood":         flood,
			"same-findings": sameFindings,
			"waitfile":      waitFile,
			"zipfiles":      zipFiles,
		},
	})
}

func withoutCI(vars []string) []string {
	var kept []string
	for _, v := range vars {
		name, _, _ := strings.Cut(v, "=")
		if name != "CI" && name != "NO_COLOR" && !strings.HasPrefix(name, "GITHUB_") && !strings.HasPrefix(name, "XDG_") {
			kept = append(kept, v)
		}
	}
	return kept
}

// countMatches is the script command "count N TEXT FILE", which checks that FILE
// contains TEXT N times.
func countMatches(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 || neg {
		ts.Fatalf("usage: count N TEXT FILE")
	}
	if got := strings.Count(ts.ReadFile(args[2]), args[1]); args[0] != itoa(got) {
		ts.Fatalf("%s has %q %d times, want %s", args[2], args[1], got, args[0])
	}
}

func readFile(t *testing.T, elem ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
