package action

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// lockedFiles returns the lockfile that mcpscan writes for the servers in the given files.
func lockedFiles(t *testing.T, program string, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program, "lock", "-q", "--run-servers", "--now", "2026-01-06", ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return readFile(t, dir, "mcpscan.lock")
}

// TestActionExecutables runs the action over pull requests that remove the file which a server
// starts.
func TestActionExecutables(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("mcpscan")
	if err != nil {
		t.Fatal(err)
	}
	const config, script = `{"mcpServers":{"notes":{"command":"sh","args":["run.sh"]}}}`, "exec fakeserver honest\n"
	lock := lockedFiles(t, program, map[string]string{".mcp.json": config, "run.sh": script})
	for _, tt := range []struct {
		name    string
		inputs  map[string]string
		base    map[string]string
		head    map[string]string
		code    int
		summary string
	}{
		{"removed", nil, map[string]string{".mcp.json": config, "run.sh": script, "mcpscan.lock": lock}, map[string]string{"run.sh": ""}, 1, "removes the approved executable"},
		{"replaced by a directory", nil, map[string]string{".mcp.json": config, "run.sh": script, "mcpscan.lock": lock},
			map[string]string{"run.sh/evil": "exec fakeserver poisoned\n"}, 1, "removes the approved executable"},
		{"removed in a subdirectory", map[string]string{"working-directory": "a b"},
			map[string]string{"a b/.mcp.json": config, "a b/run.sh": script, "a b/mcpscan.lock": lock}, map[string]string{"a b/run.sh": ""}, 1, "removes the approved executable"},
		{"removed in a directory of the lockfile's project", nil,
			map[string]string{"a/.mcp.json": config, "a/run.sh": script, "mcpscan.lock": lock}, map[string]string{"a/run.sh": ""}, 1, "removes the approved executable"},
		{"never committed", nil, map[string]string{".mcp.json": config, "mcpscan.lock": lock}, map[string]string{"README": "text"}, 0, "such as one that a build writes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRunner(t)
			r.pullRequest(2, tt.base, tt.head)
			r.inputs = map[string]string{"binary-path": program}
			for name, value := range tt.inputs {
				r.inputs[name] = value
			}
			out := r.run()
			if out["exit-code"] != fmt.Sprint(tt.code) || r.code != tt.code {
				t.Errorf("the action exits %d, mcpscan %s; want %d\n%s", r.code, out["exit-code"], tt.code, r.log.String())
			}
			if !strings.Contains(r.summary.String(), tt.summary) {
				t.Errorf("the summary does not mention %q:\n%s", tt.summary, r.summary.String())
			}
		})
	}
}
