package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mcpscan/mcpscan/internal/fakeserver"
)

// TestMain makes the program a command of the test binary, and puts the fake servers
// beside it.
func TestMain(m *testing.M) {
	testscript.Main(withFakes{m}, map[string]func(){
		"mcpscan":      main,
		"sdkserver":    sdkServer,
		"genrecording": genRecording,
	})
}

// withFakes runs the tests with the fake servers in PATH.
type withFakes struct{ m *testing.M }

func (w withFakes) Run() int {
	mcpscan, err := exec.LookPath("mcpscan")
	if err == nil {
		err = fakeserver.Install(filepath.Dir(mcpscan))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return w.m.Run()
}

// TestScripts runs the command line as a user does.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("..", "..", "testdata", "scripts"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			// Nothing of the machine's CI or terminal reaches a script.
			env.Vars = withoutCI(env.Vars)
			examples, err := filepath.Abs(filepath.Join("..", "..", "docs", "examples"))
			if err != nil {
				return err
			}
			env.Setenv("EXAMPLES", examples)
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"sarif":         checkSARIF,
			"count":         countMatches,
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

// countMatches is the script command "count N TEXT FILE": FILE has TEXT N times.
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
