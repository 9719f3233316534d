package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestApprovalsWhileRunning checks that a running proxy applies what other processes do with the
// lockfile, that the client learns of definitions that are no longer withheld, and that a lockfile that
// cannot be read changes nothing.
func TestApprovalsWhileRunning(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) { // atomically, because the proxy may read it at any time
		t.Helper()
		next := filepath.Join(dir, "next")
		if err := errors.Join(os.WriteFile(next, []byte(text), 0o600), os.Rename(next, filepath.Join(dir, name))); err != nil {
			t.Fatal(err)
		}
	}
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command("mcpscan", args...)
		cmd.Dir = dir
		return cmd
	}
	succeeds := func(want string, args ...string) {
		t.Helper()
		if out, err := command(args...).CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Fatalf("%v: %s (%v), want %q", args, out, err, want)
		}
	}
	write("mcpscan.yaml", "version_pinning: {enabled: true, on_change: block, auto_trust_first: false}\napproval: {auto_trust_first: false}\n")
	write(".mcp.json", `{"mcpServers":{"calc":{"command":"fakeserver","args":["changes","absent"]}}}`)
	proxy := command("proxy", "--name", "calc", "--record", "rec.jsonl", "--format", "json=live.json", "--", "fakeserver", "changes", "absent")
	var said bytes.Buffer
	proxy.Stderr = &said
	in, _ := proxy.StdinPipe()
	out, _ := proxy.StdoutPipe()
	if err := proxy.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = proxy.Process.Kill() })
	client := bufio.NewReader(out)
	receives := func(want string) {
		t.Helper()
		if line, err := client.ReadString('\n'); err != nil || !strings.Contains(line, want) {
			t.Fatalf("got %s (%v), want %s", line, err, want)
		}
	}
	lists := func(want string) {
		t.Helper()
		_, _ = io.WriteString(in, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`+"\n")
		receives(want)
	}
	_, _ = io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`+"\n")
	receives(`"listChanged":true`)
	lists(`"tools":[]`)
	write("mcpscan.yaml", "version_pinning: {enabled: false}\napproval: {auto_trust_first: false}\n")
	succeeds("calc", "lock", "--run-servers", ".mcp.json")
	lists(`"tools":[]`)
	succeeds("running proxies apply this at once", "approve", "calc", "--reason", "reviewed")
	receives(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`) // without a message from the client
	lists(`"name":"sum"`)
	write("mcpscan.lock", "{")
	lists(`"name":"sum"`)
	time.Sleep(3 * time.Second / 2) // an idle proxy looks at its files every second
	lists(`"name":"sum"`)
	in.Close()
	_, _ = io.Copy(io.Discard, client)
	if err := proxy.Wait(); proxy.ProcessState.ExitCode() != exitIncomplete {
		t.Errorf("the proxy ends with %v", err)
	}
	for want, count := range map[string]int{
		"mcpscan: mcpscan.lock changed: its approvals apply from now on\n":                                                      2,
		"mcpscan: not inspected: the lockfile changed and cannot be read; the approvals read before still apply: mcpscan.lock:": 2, // once when it happens, once in the coverage
		"then mcpscan approve calc; the client sees them when it next requests the list, at the latest after a restart\n":       1,
		"mcpscan: mcpscan.yaml changed: the change applies once you restart the client\n":                                       1,
		"restart the proxy": 0,
	} {
		if got := strings.Count(said.String(), want); got != count {
			t.Errorf("standard error has %d times %q, want %d: %s", got, want, count, &said)
		}
	}
	if rec := readFile(t, dir, "rec.jsonl"); strings.Count(rec, `"type":"mcp_ignored"`) != 2 || strings.Count(rec, `"type":"mcp_skipped"`) != 1 || strings.Contains(rec, "list_changed") {
		t.Errorf("the recording: %s", rec)
	}
	if report := readFile(t, dir, "live.json"); !strings.Contains(report, "later messages are judged by its new approvals") {
		t.Errorf("the report: %s", report)
	}
}
