package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// llmSaid is an exchange with a model. declares is the description of the tool mcp__mail__send in
// the request, or "" if the request does not declare it. calls are the tools called in the answer,
// and reasons say why each call is blocked, or are "" for calls that pass.
type llmSaid struct {
	declares string
	calls    []string
	reasons  []string
}

// policyLeaks are defects found by running another project's LLM proxy: its policy let calls pass,
// or applied the wrong criterion. line refers to section 1.7 of the notes on that project.
var policyLeaks = []struct {
	line, name, config string
	talk               []llmSaid
}{
	{"Real evaluation order", "a call that the lists allow has no rate limit", "enforce_policy: true\ntool_policy: allowlist\nallowed_tools: [{server: \"*\", tool: \"*\"}]\nrate_limits: {enabled: true, default_rpm: 1, default_burst: 1}\n",
		[]llmSaid{{"", []string{"mcp__mail__look", "mcp__mail__look"}, []string{"", "rate limit"}}}},
	{"Real evaluation order", "a pin that only alerts ends the chain before the lists", "enforce_policy: true\ndenied_tools: [{server: mail, tool: send}]\nversion_pinning: {enabled: true, on_change: alert}\n",
		[]llmSaid{{"Sends mail.", nil, nil}, {"Sends mail, and deletes it.", []string{"mcp__mail__send"}, []string{"deny the tool"}}}},
	{"Real evaluation order", "a name over a limit is refused for its limit, not for the list behind it", "enforce_policy: true\ndenied_tools: [{server: mail, tool: look}]\nrate_limits: {enabled: true, default_rpm: 1, default_burst: 1}\n",
		[]llmSaid{{"", []string{"mcp__mail__look", "mcp__mail__look"}, []string{"deny the tool", "rate limit"}}}},
	{"server_policy allowlist/denylist/none", "denied_servers counts for nothing in allowlist mode", "enforce_policy: true\nserver_policy: allowlist\nallowed_servers: [{id: \"*\"}]\ndenied_servers: [{id: \"ma*\"}]\n",
		[]llmSaid{{"", []string{"mcp__mail__look", "mcp__notes__look"}, []string{"denies the server", ""}}}},
	{"server_policy allowlist/denylist/none", "denied_tools counts for nothing in allowlist mode", "enforce_policy: true\ntool_policy: allowlist\nallowed_tools: [{server: \"*\", tool: \"*\"}]\ndenied_tools: [{server: mail, tool: send}]\n",
		[]llmSaid{{"", []string{"mcp__mail__send", "mcp__mail__look"}, []string{"deny the tool", ""}}}},
	{"server_policy allowlist/denylist/none", "denied_tools counts for nothing in none mode", "enforce_policy: true\ntool_policy: none\ndenied_tools: [{server: mail, tool: send}]\n",
		[]llmSaid{{"", []string{"mcp__mail__send", "mcp__mail__look"}, []string{"deny the tool", ""}}}},
	{"Glob = path.Match", "a star does not match a server with a slash", "enforce_policy: true\ndenied_tools: [{server: \"*\", tool: \"exec_*\"}]\n",
		[]llmSaid{{"", []string{"mcp__io.github.x/srv__exec_sh", "mcp__io.github.x/srv__look"}, []string{"deny the tool", ""}}}},
	{"Glob = path.Match", "a star does not match a tool with a slash", "enforce_policy: true\ndenied_tools: [{server: \"*\", tool: \"*exec_*\"}]\n",
		[]llmSaid{{"", []string{"mcp__mail__ns/exec_sh", "mcp__mail__ns/look"}, []string{"deny the tool", ""}}}},
	{"Glob = path.Match", "a denied tool in another case", "enforce_policy: true\ndenied_tools: [{server: mail, tool: \"send*\"}]\n",
		[]llmSaid{{"", []string{"mcp__Mail__SEND_all"}, []string{"deny the tool"}}}},
	{"Glob = path.Match", "an allowed tool in another case is another tool", "enforce_policy: true\ntool_policy: allowlist\nallowed_tools: [{server: mail, tool: \"send*\"}]\n",
		[]llmSaid{{"", []string{"mcp__mail__SEND", "mcp__mail__send"}, []string{"not in allowed_tools", ""}}}},
	{"Version pin", "a changed tool is called", "version_pinning: {enabled: true, on_change: block}\n",
		[]llmSaid{{"Sends mail.", []string{"mcp__mail__send"}, []string{""}}, {"Sends mail, and deletes it.", []string{"mcp__mail__send", "mcp__mail__look"}, []string{"changed", ""}}}},
	{"Version pin", "a pin that alerts tells nobody of the change", "version_pinning: {enabled: true, on_change: alert}\n",
		[]llmSaid{{"Sends mail.", nil, nil}, {"Sends mail, and deletes it.", []string{"mcp__mail__send"}, []string{""}}}},
	{"Rate: token bucket per server", "another tool of the server has a bucket of its own", "cross_server: {enabled: false}\nrate_limits: {enabled: true, default_rpm: 1, default_burst: 2, per_server: {mail: {calls_per_minute: 1, burst: 1}}}\n",
		[]llmSaid{{"", []string{"mcp__mail__look", "mcp__mail__list", "mcp__notes__look", "mcp__notes__list", "mcp__notes__find"}, []string{"", "rate limit", "", "", "rate limit"}}}},
}

// elsewhere contains the lines of the notes' section 1.7 that do not concern a model's calls, with
// the tests that cover them.
var elsewhere = map[string][]string{
	"Env: allowlist":                           {"TestVariables", "TestInherits", "scan_environment.txtar"},
	"Binary pin: LookPath":                     {"scan_command.txtar"},
	"Server detect: patterns, derived IDs":     {"TestPackageName", "TestUnique", "TestLaunch"},
	"Glob = path.Match, in the lists":          {"TestLists", "TestGlob"},
	"Real evaluation order, of other messages": {"TestDecisions"},
}

// TestLLMPolicyLeaks checks that the whole policy applies to calls in a model's
// answer.
func TestLLMPolicyLeaks(t *testing.T) {
	provider := &answering{t: t, next: make(chan [2]string, 1)}
	server := httptest.NewServer(provider)
	defer server.Close()
	for _, leak := range policyLeaks {
		t.Run(leak.line+"/"+leak.name, func(t *testing.T) {
			dir := t.TempDir()
			config, events := filepath.Join(dir, "mcpscan.yaml"), filepath.Join(dir, "events.jsonl")
			if err := os.WriteFile(config, []byte(leak.config), 0o600); err != nil {
				t.Fatal(err)
			}
			p := startHTTPProxy(t, "--llm", "--upstream", server.URL, "--config", config, "--events", events, "--format", "json="+filepath.Join(dir, "live.json"))
			for _, s := range leak.talk {
				provider.next <- [2]string{"application/json", llmCalls(s.calls)}
				checkCalls(t, s, second(askLLM(t, "agent/1", p.url+"v1/messages", llmDeclares(s.declares))))
			}
			p.end(t)
			if changed := strings.Contains(readFile(t, events), `"type":"mcp_tool_changed"`); changed != (len(leak.talk) > 1) {
				t.Errorf("a changed tool in the events: %v", changed)
			}
		})
	}
	exists := proofs(t)
	for line, tests := range elsewhere {
		if i := slices.IndexFunc(tests, func(name string) bool { return !exists[name] }); i >= 0 {
			t.Errorf("%s: there is no test %s", line, tests[i])
		}
	}
}

func second(_ int, s string) string { return s }

// llmDeclares returns a request that declares the tool mcp__mail__send.
func llmDeclares(description string) string {
	tools := ""
	if description != "" {
		tools = `{"name":"mcp__mail__send","description":"` + description + `","input_schema":{"type":"object"}}`
	}
	return `{"model":"claude-x","max_tokens":5,"tools":[` + tools + `],"messages":[{"role":"user","content":"Hi"}]}`
}

// llmCalls returns an answer that calls tools.
func llmCalls(tools []string) string {
	calls := []string{`{"type":"text","text":"Well."}`}
	for i, name := range tools {
		calls = append(calls, `{"type":"tool_use","id":"`+string(rune('a'+i))+`","name":"`+name+`","input":{}}`)
	}
	return `{"id":"m","type":"message","role":"assistant","model":"m","content":[` + strings.Join(calls, ",") + `],"stop_reason":"tool_use","usage":{}}`
}

// checkCalls compares an answer that the agent received with the expected decision
// about each call.
func checkCalls(t *testing.T, s llmSaid, answer string) {
	t.Helper()
	var got struct {
		Content []struct{ Type, Name, Text string }
	}
	if err := json.Unmarshal([]byte(answer), &got); err != nil || len(got.Content) != len(s.calls)+1 {
		t.Fatalf("%d calls, and the agent got %s (%v)", len(s.calls), answer, err)
	}
	for i, name := range s.calls {
		block := got.Content[i+1]
		blocked := strings.HasPrefix(block.Text, "[mcpscan] Tool '"+name+"' blocked by policy: ")
		switch {
		case s.reasons[i] == "" && (block.Type != "tool_use" || block.Name != name):
			t.Errorf("the call of %s was not passed on: %v", name, block)
		case s.reasons[i] != "" && (!blocked || !strings.Contains(block.Text, s.reasons[i])):
			t.Errorf("the call of %s was not blocked for %q: %v", name, s.reasons[i], block)
		}
	}
}

// TestLLMBadPolicy checks that the proxy does not start with policies that make the other project
// deny everything or compare an invalid pattern literally.
func TestLLMBadPolicy(t *testing.T) {
	for text, want := range map[string]string{
		"server_policy: allow_list":                                     "unknown policy",
		`denied_tools: [{server: a, tool: "exec_[a-z"}]`:                "is not a wildcard here",
		"rate_limits: {enabled: true, default_burst: 0}":                "from 1 to",
		"version_pinning: {enabled: true, on_change: \"[alert only]\"}": "unknown on_change",
	} {
		config := filepath.Join(t.TempDir(), "mcpscan.yaml")
		if err := os.WriteFile(config, []byte("enforce_policy: true\n"+text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		var stderr bytes.Buffer
		if code := run([]string{"proxy", "--llm", "--listen", "127.0.0.1:0", "--max-time", "1ms", "--config", config}, streams{strings.NewReader(""), io.Discard, &stderr}); code != exitUsage || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: exit %d, %s", text, code, &stderr)
		}
	}
}
