package main

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestProxyLLMChangedTools checks that the configured servers run as long as the proxy, and that
// their tools are listed again after they announce a change. Calls to the changed tool must then be
// blocked, if so configured, in the current and later sessions, and added tools must be known.
func TestProxyLLMChangedTools(t *testing.T) {
	for _, block := range []bool{true, false} {
		provider := &answering{t: t, next: make(chan [2]string, 1)}
		api := httptest.NewServer(provider)
		defer api.Close()
		at := llmServer(t, map[string]string{"pins.yaml": "version_pinning: {enabled: true, on_change: " + map[bool]string{true: "block", false: "alert"}[block] + "}\n"})
		p := startHTTPProxy(t, "--llm", "--upstream", api.URL, "--servers", at("mcp.json"), "--run-servers", "--config", at("pins.yaml"), "--approvals", "ignore",
			"--record", at("rec.jsonl"), "--format", "json="+at("live.json"), "--events", at("events.jsonl"))
		passes := func(agent, tool string) bool {
			provider.next <- [2]string{"application/json", llmAnswer("t", tool, `{}`)}
			_, got := askLLM(t, agent, p.url+"v1/messages", `{"model":"claude-x","max_tokens":5,"messages":[{"role":"user","content":"Add."}]}`)
			return strings.Contains(got, `"tool_use"`)
		}
		if !passes("agent/1", "sum") {
			t.Fatal("the call was blocked before the change")
		}
		if err := os.WriteFile(at("changed"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		waitUntil(t, func() bool { return strings.Contains(readFile(t, at("rec.jsonl")), "Was added later.") })
		for _, agent := range []string{"agent/1", "agent/2"} {
			if passes(agent, "sum") == block {
				t.Errorf("block %v: the changed tool was wrongly decided for %s", block, agent)
			}
			if !passes(agent, "late") {
				t.Errorf("the added tool was blocked for %s", agent)
			}
		}
		p.end(t)
		if n := sameAsReplay(t, at("live.json"), at("rec.jsonl"), "--config", at("pins.yaml")); n == 0 {
			t.Error("nothing was found")
		}
		if !strings.Contains(readFile(t, at("events.jsonl")), `"server_id":"math","server_type":"stdio","tool_name":"late"`) {
			t.Errorf("the added tool is not attributed: %s", readFile(t, at("events.jsonl")))
		}
	}
}

// TestProxyLLMServerEnds checks that a server that exits is counted once, and that its
// tools remain known.
func TestProxyLLMServerEnds(t *testing.T) {
	provider := &answering{t: t, next: make(chan [2]string, 1)}
	api := httptest.NewServer(provider)
	defer api.Close()
	at := llmServer(t, map[string]string{"shut.yaml": "enforce_policy: true\nfail_closed: true\nallowed_servers: [{id: math}]\n"})
	p := startHTTPProxy(t, "--llm", "--upstream", api.URL, "--servers", at("mcp.json"), "--run-servers", "--config", at("shut.yaml"), "--approvals", "ignore", "--allow-incomplete", "--events", at("events.jsonl"), "--record", at("rec.jsonl"), "--format", "json="+at("live.json"))
	// The server must not see the file before its content is written.
	if err := os.WriteFile(at("new"), []byte("exit"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(at("new"), at("changed")); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, func() bool { return strings.Contains(readFile(t, at("rec.jsonl")), "exit status 3") })
	provider.next <- [2]string{"application/json", llmAnswer("t", "sum", `{}`)}
	if _, got := askLLM(t, "agent/1", p.url+"v1/messages", `{"model":"claude-x","max_tokens":5,"messages":[{"role":"user","content":"Add."}]}`); !strings.Contains(got, `"tool_use"`) {
		t.Errorf("the tool is not known any more: %s", got)
	}
	p.end(t)
	const want = "server math: tools/list: the connection ended: the server exited with exit status 3; mcpscan continues with the tools as last listed"
	if strings.Count(p.stderr.String(), want) != 1 || strings.Count(readFile(t, at("live.json")), want) != 1 {
		t.Errorf("standard error: %s\nreport: %s", p.stderr, readFile(t, at("live.json")))
	}
}

// llmServer writes the given files, and a configuration with a server that changes or exits when
// the file "changed" appears. at returns their paths.
func llmServer(t *testing.T, files map[string]string) (at func(string) string) {
	t.Helper()
	dir := t.TempDir()
	at = func(name string) string { return filepath.Join(dir, name) }
	trigger, _ := json.Marshal(at("changed"))
	files["mcp.json"] = `{"mcpServers":{"math":{"command":"fakeserver","args":["changes",` + string(trigger) + `]}}}`
	for name, text := range files {
		if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return at
}

func waitUntil(t *testing.T, done func() bool) {
	t.Helper()
	for range 15000 {
		if done() {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("it did not happen")
}
