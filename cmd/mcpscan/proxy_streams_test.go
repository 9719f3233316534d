//go:build unix

package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// piped is a proxy whose streams are pipes to the test.
type piped struct {
	t           *testing.T
	dir         string
	cmd         *exec.Cmd
	in          io.WriteCloser
	out, errout io.ReadCloser
	lines       *bufio.Reader
}

// startPiped starts a proxy that denies calls of the tool secret.
func startPiped(t *testing.T) *piped {
	t.Helper()
	p := &piped{t: t, dir: t.TempDir()}
	policy := filepath.Join(p.dir, "mcpscan.yaml")
	if err := os.WriteFile(policy, []byte("mcp_rules: {enforce_policy: true, denied_tools: [{server: '*', tool: secret}]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.cmd = exec.Command("mcpscan", "proxy", "--config", policy, "--session", "off", "--name", "s",
		"--events", filepath.Join(p.dir, "events"), "--format", "json="+filepath.Join(p.dir, "report"), "--", "fakeserver", "honest")
	var failed [4]error
	p.in, failed[0] = p.cmd.StdinPipe()
	p.out, failed[1] = p.cmd.StdoutPipe()
	p.errout, failed[2] = p.cmd.StderrPipe()
	failed[3] = p.cmd.Start()
	if err := errors.Join(failed[:]...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	})
	p.lines = bufio.NewReader(p.out)
	return p
}

// send sends a message to the proxy.
func (p *piped) send(message string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, message+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

// answer returns the next line from the proxy.
func (p *piped) answer() string {
	p.t.Helper()
	line, err := p.lines.ReadString('\n')
	if err != nil {
		p.t.Fatal(err)
	}
	return line
}

// initialize makes the client's first request.
func (p *piped) initialize() {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	p.answer()
}

// TestClientStopsReading checks that a client that stops reading, but not sending, ends the
// connection, with the server's exit code, the report and the audit events.
func TestClientStopsReading(t *testing.T) {
	p := startPiped(t)
	p.initialize()
	p.out.Close()
	p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	if err := p.cmd.Wait(); err != nil {
		t.Error(err)
	}
	if events := readFile(t, p.dir, "events"); !strings.Contains(events, "mcp_tool_seen") {
		t.Errorf("events: %q", events)
	}
	if report := readFile(t, p.dir, "report"); !strings.Contains(report, `"coverage"`) {
		t.Errorf("report: %q", report)
	}
}

// TestClosedStandardError checks that the proxy works without a reader of its standard error.
func TestClosedStandardError(t *testing.T) {
	p := startPiped(t)
	p.errout.Close()
	p.initialize()
	p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"secret"}}`)
	if answer := p.answer(); !strings.Contains(answer, "blocked by mcpscan") {
		t.Errorf("got %s", answer)
	}
	p.send(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	p.answer()
	p.in.Close()
	if err := p.cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// TestEventsOfKilledProxy checks that audit events are in the file as soon as their message is
// forwarded.
func TestEventsOfKilledProxy(t *testing.T) {
	p := startPiped(t)
	p.initialize()
	p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	p.answer()
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.cmd.Wait()
	if events := readFile(t, p.dir, "events"); !strings.Contains(events, "mcp_tool_seen") {
		t.Errorf("events: %q", events)
	}
}
