package config_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/policy"
	"github.com/mcpscan/mcpscan/scanner"
)

// pinned is a tool as listed by its server.
var pinned = &scanner.Known{Definition: &mcp.Definition{AgentSH: strings.Repeat("1a", 32)}}

// refused returns the calls, given as "SERVER TOOL", that a policy refuses, and the key that
// refuses each. An exclamation mark before TOOL means that the server did not list the tool.
func refused(s *config.Settings, calls ...string) (got []string) {
	for _, call := range calls {
		server, tool, _ := strings.Cut(call, " ")
		r := scanner.PolicyRequest{Server: server, Method: "tools/call", Target: tool, Tool: pinned}
		if name, unlisted := strings.CutPrefix(tool, "!"); unlisted {
			r.Target, r.Tool = name, nil
		}
		if d := s.Policy.Policy().Decide(&r); d.Verdict != scanner.Allow {
			got = append(got, call+": "+d.Rule)
		}
	}
	return got
}

// TestPolicyAsDocumented checks that configurations like those in the agentsh
// documentation, with other names, have the effects described there.
func TestPolicyAsDocumented(t *testing.T) {
	for _, c := range []struct {
		what, text string
		calls      []string
		want       []string
	}{
		{"servers by an allowlist, with a list of denied ones beside it", `
sandbox:
  mcp:
    enforce_policy: true
    server_policy: "allowlist"
    allowed_servers:
      - id: "corp-*"
      - id: "models"
    denied_servers:
      - id: "corp-test_*"
`, []string{"corp-a x", "models x", "models2 x", "other x", "corp-test_1 x"},
			[]string{"models2 x: server_policy", "other x: server_policy", "corp-test_1 x: denied_servers"}},
		{"servers by a denylist", `
sandbox: {mcp: {enforce_policy: true, server_policy: denylist, denied_servers: [{id: "bad_*"}]}}
`, []string{"good x", "bad_1 x"}, []string{"bad_1 x: denied_servers"}},
		{"tools by an allowlist with a hash, and denied ones", fmt.Sprintf(`
sandbox:
  mcp:
    enforce_policy: true
    tool_policy: "allowlist"
    allowed_tools:
      - server: "db"
        tool: "select_*"
        content_hash: "sha256:%s"
      - server: "files"
        tool: "open"
    denied_tools:
      - server: "*"
        tool: "run_*"
`, strings.Repeat("1a", 32)), []string{"db select_a", "db !select_a", "db drop_a", "files open", "files !open", "files close", "db run_a"},
			[]string{"db !select_a: allowed_tools", "db drop_a: tool_policy", "files close: tool_policy", "db run_a: denied_tools"}},
		{"declared servers, closed, with a catch-all among what is denied", `
sandbox:
  mcp:
    enforce_policy: true
    fail_closed: true
    servers:
      - id: files
        type: stdio
        command: npx
        args: ["@example/files-mcp", "/home/someone"]
      - id: meteo
        type: http
        url: https://mcp.example.org/sse
      - id: tools-of-ours
        type: http
        url: https://mcp.example.net:8443/mcp
        tls_fingerprint: "sha256:` + strings.Repeat("0b", 32) + `"
    server_policy: allowlist
    allowed_servers: [{id: files}, {id: meteo}]
    denied_servers: [{id: "*"}]
    tool_policy: denylist
    allowed_tools: [{server: "*", tool: "*"}]
    denied_tools:
      - {server: meteo, tool: "remove_*"}
      - {server: "*", tool: "shell"}
    version_pinning: {enabled: true, on_change: block, auto_trust_first: true}
    rate_limits: {enabled: true, default_rpm: 60, per_server: {meteo: {calls_per_minute: 10, burst: 3}}}
`, []string{"files open", "meteo look", "tools-of-ours x", "stranger x", "meteo remove_all", "files remove_all", "files shell", "files !open"},
			[]string{"tools-of-ours x: server_policy", "stranger x: server_policy", "meteo remove_all: denied_tools", "files shell: denied_tools", "files !open: fail_closed"}},
		{"a hash that is empty, and so ignored", `
enforce_policy: true
tool_policy: allowlist
allowed_tools: [{server: memo, tool: "open_*", content_hash: ""}]
denied_tools: [{server: memo, tool: open_all, content_hash: ""}]
`, []string{"memo open_one", "memo open_all", "memo close"}, []string{"memo open_all: denied_tools", "memo close: tool_policy"}},
		{"closed, with servers that are declared and no list", `
enforce_policy: true
fail_closed: true
servers: [{id: files}]
`, []string{"files open", "files !open", "stranger open"}, []string{"files !open: fail_closed", "stranger open: fail_closed"}},
		{"not closed, which is the default", `
enforce_policy: true
servers: [{id: files}]
`, []string{"files !open", "stranger !open"}, nil},
		{"the form of a generated policy", `
mcp_rules:
  enforce_policy: true
  tool_policy: "allowlist"
  allowed_tools:
    # Provenance: 2 events (10:30:17 - 10:30:18)
    - server: "memo"
      tool: "open_memo"
      content_hash: "sha256:` + strings.Repeat("1a", 32) + `"
  server_policy: "allowlist"
  allowed_servers:
    - id: "memo"
    - id: "search"
  # denied_tools:
  #   - server: "search"
  #     tool: "get_page"
  version_pinning: {enabled: true, on_change: "block", auto_trust_first: true}
  cross_server: {enabled: true, read_then_send: {enabled: true}}
`, []string{"memo open_memo", "memo close_memo", "search get_page", "mail send"},
			[]string{"memo close_memo: tool_policy", "search get_page: tool_policy", "mail send: server_policy"}},
		{"the whole configuration", `
sandbox:
  mcp:
    enforce_policy: true
    fail_closed: false
    server_policy: "allowlist"
    allowed_servers:
      - id: "corp-*"
    denied_servers:
      - id: "lab_*"
    tool_policy: "allowlist"
    allowed_tools:
      - server: "corp-db"
        tool: "select_*"
        content_hash: "sha256:` + strings.Repeat("1a", 32) + `"
    denied_tools:
      - server: "*"
        tool: "run_*"
    version_pinning:
      enabled: true
      on_change: "block"
      auto_trust_first: true
      pin_binary: true
    rate_limits:
      enabled: true
      default_rpm: 100
      default_burst: 10
      per_server:
        far-api:
          calls_per_minute: 10
          burst: 2
    cross_server:
      enabled: true
      shadow_tool:
        enabled: true
        similarity_check: true
        similarity_threshold: 0.85
      read_then_send:
        enabled: true
        window: "30s"
      burst:
        enabled: true
        max_calls: 10
        window: "5s"
      cross_server_flow:
        enabled: true
        same_turn_only: true
        window: "30s"
    detection:
      enabled: true
      custom_patterns:
        - name: "codename"
          pattern: "blue\\.heron"
          category: "exfiltration"
          severity: "critical"
          description: "Names a project"
    output_inspection:
      enabled: true
      on_detection: "block"
    servers:
      - id: "corp-db"
        command: "npx"
        args: ["-y", "@example/db-mcp"]
        env_allow: ["DB_TOKEN"]
        env_deny: ["AWS_*"]
`, []string{"corp-db select_a", "corp-db !select_a", "corp-db run_x", "corp-web open", "lab_1 select_a", "else select_a"},
			[]string{"corp-db !select_a: allowed_tools", "corp-db run_x: denied_tools", "corp-web open: tool_policy", "lab_1 select_a: denied_servers", "else select_a: server_policy"}},
		{"switched off, which is the default", `
tool_policy: allowlist
fail_closed: true
`, []string{"a !x"}, nil},
	} {
		if got := refused(parse(t, c.text), c.calls...); !slices.Equal(got, c.want) {
			t.Errorf("%s:\ngot:  %q\nwant: %q", c.what, got, c.want)
		}
	}
}

// TestSettingsOfAPolicy checks that settings next to a policy's lists reach the engine from all
// three key paths.
func TestSettingsOfAPolicy(t *testing.T) {
	const text = `
version_pinning: {enabled: true, on_change: alert, auto_trust_first: false, pin_binary: false}
cross_server: {burst: {window: 7s}}
rate_limits: {default_rpm: 4}
detection: {custom_patterns: [{name: codename, pattern: blue heron}], rules: {custom-codename: {severity: low}}}
`
	nested := strings.ReplaceAll(text, "\n", "\n    ")
	for place, text := range map[string]string{"top": text, "sandbox.mcp": "sandbox:\n  mcp:" + nested, "mcp_rules": "mcp_rules:" + nested} {
		s := parse(t, text)
		if p := s.Pinning(); p.OnChange != scanner.Alert || !p.Reviewed {
			t.Errorf("%s: pinning is %+v", place, p)
		}
		if l := s.Limits(); l.BurstWindow != 7*time.Second || l.Rate.CallsPerMinute != 4 {
			t.Errorf("%s: limits are %+v", place, l)
		}
		if len(s.Patterns) != 1 || s.Detection.Rules["custom-codename"].Severity == nil {
			t.Errorf("%s: the patterns are %+v", place, s.Patterns)
		}
		pin, binary := scanner.Rule{ID: "version-pin", OptIn: true}, scanner.Rule{ID: "binary-mismatch"}
		_, pins := s.Rule(&pin)
		_, compares := s.Rule(&binary)
		if !pins || compares {
			t.Errorf("%s: version-pin runs: %v, binary-mismatch runs: %v", place, pins, compares)
		}
	}
	s := parse(t, "")
	if p := s.Pinning(); p.OnChange != scanner.Block || p.Reviewed || s.Policy != nil {
		t.Errorf("without a word: %+v, %+v", p, s.Policy)
	}
}

// TestBadPolicies checks that mistakes are reported with their positions, and never
// allow anything.
func TestBadPolicies(t *testing.T) {
	for text, want := range map[string]string{
		"enforce_polcy: true":                                                        `1:1: unknown key "enforce_polcy"; did you mean "enforce_policy"?`,
		"enforce_policy: yes please":                                                 "1:17: expected true or false",
		"server_policy: allow_list":                                                  `1:16: unknown policy "allow_list"; did you mean "allowlist"?`,
		"denied_tools: [{server: a, tols: x}]":                                       `1:28: unknown key "tols"; did you mean "tool"?`,
		"denied_tools: [{server: a}]":                                                "expected a server and a tool",
		`denied_tools: [{server: a, tool: "exec_[a-z]"}]`:                            `'[' is not a wildcard here`,
		`denied_servers: [{id: "{a,b}"}]`:                                            `'{' is not a wildcard here`,
		"denied_servers: [{}]":                                                       "expected the id of a server",
		"allowed_tools: [{server: a, tool: b, content_hash: sha256:1g}]":             "expected 64 hexadecimal digits",
		`denied_tools: [{server: a, tool: b, content_hash: "sha256:..."}]`:           "a placeholder: write the full digest",
		`denied_tools: [{server: a, tool: b, content_hash: "sha256:1a2b3c..."}]`:     "a placeholder: write the full digest",
		`denied_tools: [{server: a, tool: b, content_hash: "sha256:a1b2c3"}]`:        "6 of 64 hexadecimal digits: a truncated digest",
		`allowed_tools: [{server: a, tool: b, content_hash: " "}]`:                   "expected a non-empty string",
		"version_pinning: {on_change: deny}":                                         `unknown on_change "deny"`,
		"servers: [{command: npx}]":                                                  "the server has no id",
		"servers: [{id: a}, {id: a}]":                                                `the server "a" is declared twice, first at 1:12`,
		"servers: [{id: a, type: ws}]":                                               `unknown type "ws"`,
		"servers: [{id: a, tls_fingerprint: abc}]":                                   "expected sha256: and 64 hexadecimal digits",
		"sandbox: {mpc: {}}":                                                         `unknown key "mpc"; did you mean "mcp"?`,
		"sandbox: {mcp: {overrides: []}}":                                            `unknown key "overrides"`,
		"fail_closed: true\nmcp_rules: {enforce_policy: true}":                       "2:29: two policies: one under mcp_rules, another under the top of the file at 1:14; keep one",
		"mcp_rules: {servers: []}\nsandbox: {mcp: {servers: []}}":                    "2:26: two policies: one under sandbox.mcp, another under mcp_rules at 1:22",
		"cross_server: {enabled: true}\nmcp_rules: {cross_server: {enabled: false}}": `2:28: duplicate key "cross_server": under mcp_rules, and under the top of the file at 1:16`,
	} {
		_, err := config.ParseSettings("p.yaml", []byte(text), vocabulary())
		var bad *config.SettingsError
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\ngot:  %v\nwant: %s", text, err, want)
		}
	}
}

// TestPartialHashes checks that an allow rule with an incomplete digest is read with a warning, and
// allows nothing.
func TestPartialHashes(t *testing.T) {
	for _, hash := range []string{"sha256:...", "sha256:1a2b3c...", "sha256:a1b2c3"} {
		s := parse(t, "enforce_policy: true\ntool_policy: allowlist\nallowed_tools: [{server: a, tool: b, content_hash: \""+hash+"\"}]")
		if got := refused(s, "a b", "a !b"); !slices.Equal(got, []string{"a b: allowed_tools", "a !b: allowed_tools"}) {
			t.Errorf("%s: refused are %q", hash, got)
		}
		if found := s.Policy.Policy().Check(); !slices.ContainsFunc(found, func(p policy.Problem) bool { return p.Idle && strings.Contains(p.Says, "this rule allows nothing") }) {
			t.Errorf("%s: nothing is reported: %+v", hash, found)
		}
	}
}
