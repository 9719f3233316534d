package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// initializeBody is a client's first message.
const initializeBody = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`

// postTo posts a message, and returns the status, the session ID and the body of the response.
func postTo(t *testing.T, url, session, message string) (status int, id, body string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, resp.Header.Get("Mcp-Session-Id"), string(data)
}

// TestProxyOfCommands checks that each server that the configuration starts by a command has its
// own path, gets only the environment that the configuration and the flags allow, and is judged as
// it is behind mcpscan proxy -- COMMAND.
func TestProxyOfCommands(t *testing.T) {
	t.Setenv("PROXY_TEST_TOKEN", "value-t0ken-of-server")
	t.Setenv("PROXY_TEST_PASSED", "value-passed")
	t.Setenv("PROXY_TEST_KEPT", "value-kept")
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	configuration := `{"mcpServers":{
		"env":{"command":"fakeserver","args":["environment"],"env":{"OWN":"value-own","TOKEN":"${PROXY_TEST_TOKEN}"}},
		"bad":{"command":"fakeserver","args":["poisoned"]},
		"ends":{"command":"fakeserver","args":["exits"]},
		"none":{"command":"no-such-command"}}}`
	for name, text := range map[string]string{"mcp.json": configuration, "block.yaml": "output_inspection:\n  on_detection: block\n"} {
		if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := startHTTPProxy(t, "--servers", at("mcp.json"), "--run-servers", "--env", "PROXY_TEST_PASSED", "--config", at("block.yaml"), "--record", at("rec.jsonl"),
		"--format", "json="+at("live.json"), "--approvals", "ignore", "--allow-incomplete")
	base := p.url[:strings.LastIndex(p.url, "/")]
	list := func(name string) string {
		t.Helper()
		status, session, body := postTo(t, base+"/"+name, "", initializeBody)
		if status != http.StatusOK || session == "" {
			t.Fatalf("%s: %d %s", name, status, body)
		}
		_, _, body = postTo(t, base+"/"+name, session, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
		postTo(t, base+"/"+name, session, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"sum","arguments":{"text":"value-t0ken-of-server"}}}`) // given to env only
		return body
	}
	env := list("env")
	for text, want := range map[string]bool{"OWN=value-own": true, "TOKEN=value-t0ken-of-server": true, "PROXY_TEST_PASSED=value-passed": true, "PROXY_TEST_KEPT": false} {
		if strings.Contains(env, text) != want {
			t.Errorf("the server says %s; expected %s: %t", env, text, want)
		}
	}
	if body := list("bad"); strings.Contains(body, `"sum"`) {
		t.Errorf("a poisoned tool is listed: %s", body)
	}
	if seen := jsonReport(t, "scan", "--no-config", base+"/env"); seen.Summary.Tools != 1 {
		t.Errorf("a scan through the proxy sees %d tools", seen.Summary.Tools)
	}
	for name, want := range map[string]string{"ends": "it exited with code 3", "none": "\"no-such-command\" is not in the PATH"} {
		status, _, body := postTo(t, base+"/"+name, "", initializeBody)
		var got struct{ Error struct{ Message string } }
		if err := json.Unmarshal([]byte(body), &got); err != nil || status != http.StatusBadGateway || !strings.Contains(got.Error.Message, want) {
			t.Errorf("%s: %d %s, want %s", name, status, body, want)
		}
	}
	p.end(t)
	if n := sameAsReplay(t, at("live.json"), at("rec.jsonl"), "--config", at("block.yaml")); n == 0 {
		t.Error("nothing was found")
	}
	if strings.Contains(readFile(t, at("rec.jsonl"))+p.stderr.String(), "t0ken-") {
		t.Error("the recording or standard error has the token")
	}
	for _, want := range []string{"ends: cannot find the database <U+001B>[31mred", `withheld tool "sum" from the list`, "server ends sent no valid response: it exited with code 3"} {
		if !bytes.Contains(p.stderr.Bytes(), []byte(want)) {
			t.Errorf("standard error lacks %s:\n%s", want, p.stderr)
		}
	}
}

// TestProxyOfPinnedCommand checks that a server is not started if its executable differs from the
// approved one.
func TestProxyOfPinnedCommand(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(at(name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write("server", "#!/bin/sh\nexec fakeserver honest\n")
	write("mcp.json", `{"mcpServers":{"one":{"command":"`+filepath.ToSlash(at("server"))+`"}}}`)
	write("block.yaml", "version_pinning: {enabled: true, on_change: block}\n")
	var out, errs bytes.Buffer
	if code := run([]string{"lock", "--run-servers", "--lockfile", at("mcpscan.lock"), at("mcp.json")}, streams{strings.NewReader(""), &out, &errs}); code != exitClean {
		t.Fatalf("exit %d: %s%s", code, out.String(), errs.String())
	}
	p := startHTTPProxy(t, "--servers", at("mcp.json"), "--run-servers", "--config", at("block.yaml"), "--lockfile", at("mcpscan.lock"))
	if status, _, body := postTo(t, p.url, "", initializeBody); status != http.StatusOK {
		t.Fatalf("the approved server: %d %s", status, body)
	}
	write("server", "#!/bin/sh\nexec fakeserver poisoned\n")
	if status, _, body := postTo(t, p.url, "", initializeBody); status != http.StatusBadGateway || !strings.Contains(body, "differs from the approved file, and version_pinning.on_change is block") {
		t.Errorf("the other server: %d %s", status, body)
	}
	p.end(t)
}

// TestFailClosedIsEnforced checks that the proxy refuses what it cannot inspect only if the policy with
// fail_closed is enforced.
func TestFailClosedIsEnforced(t *testing.T) {
	for settings, refused := range map[string]bool{"fail_closed: true\n": false, "enforce_policy: true\nfail_closed: true\n": true, "enforce_policy: true\n": false} {
		at := filepath.Join(t.TempDir(), "mcpscan.yaml")
		if err := os.WriteFile(at, []byte(settings), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		in := strings.NewReader(proxied + `{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"x":NaN}}` + "\n")
		run([]string{"proxy", "--config", at, "--session", "off", "--name", "s", "--", "fakeserver", "honest"}, streams{in, &out, &errs})
		if got := strings.Contains(out.String(), "and fail_closed is set"); got != refused {
			t.Errorf("%q: refused %v, want %v\n%s%s", settings, got, refused, out.String(), errs.String())
		}
	}
}

// TestApprovalsOverHTTP checks that a proxy in front of several servers applies a lockfile that is written
// while it runs, also to servers that it starts afterwards.
func TestApprovalsOverHTTP(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{
		"mcp.json": `{"mcpServers":{"calc":{"command":"fakeserver","args":["honest"]}}}`,
		"pin.yaml": "version_pinning: {enabled: true, on_change: block, auto_trust_first: false}\n",
	} {
		if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := startHTTPProxy(t, "--servers", at("mcp.json"), "--run-servers", "--config", at("pin.yaml"), "--lockfile", at("own.lock"), "--approvals", "ignore")
	url := p.url[:strings.LastIndex(p.url, "/")] + "/calc"
	lists := func(session string, approved bool) {
		t.Helper()
		if _, _, body := postTo(t, url, session, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`); strings.Contains(body, `"sum"`) != approved {
			t.Errorf("the server lists %s; approved: %t", body, approved)
		}
	}
	_, session, _ := postTo(t, url, "", initializeBody)
	lists(session, false)
	lock := exec.Command("mcpscan", "lock", "--run-servers", "--config", at("pin.yaml"), "--lockfile", at("own.lock"), at("mcp.json"))
	if out, err := lock.CombinedOutput(); err != nil {
		t.Fatalf("%s (%v)", out, err)
	}
	lists(session, true)
	_, session, _ = postTo(t, url, "", initializeBody)
	lists(session, true)
	p.end(t)
	if said := p.stderr.String(); strings.Count(said, "own.lock changed: its approvals apply from now on") != 1 {
		t.Errorf("standard error: %s", said)
	}
}
