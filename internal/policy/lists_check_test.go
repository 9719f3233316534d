package policy_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/mcpscan/mcpscan/internal/config"
	"github.com/mcpscan/mcpscan/scanner"
)

func lists(t *testing.T, yaml string) *config.Settings {
	t.Helper()
	s, err := config.ParseSettings("p.yaml", []byte(yaml), config.Vocabulary{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestCheck checks that parts of a policy without effect are reported with their
// positions, and nothing else is.
func TestCheck(t *testing.T) {
	const on = "enforce_policy: true\n"
	for _, c := range []struct {
		yaml string
		want []string
	}{
		{on + "server_policy: allowlist\nallowed_servers: [{id: a}, {id: b}]\ndenied_servers: [{id: \"*\"}]\n", nil},
		{on + "tool_policy: denylist\nallowed_tools: [{server: \"*\", tool: \"*\"}]\ndenied_tools: [{server: a, tool: \"x*\"}]\n", nil},
		{on + "fail_closed: true\nallowed_servers: [{id: a}]\n", nil},
		{"version_pinning: {enabled: true, on_change: block}\n", nil},
		{"fail_closed: true\nservers: [{id: a}]", []string{"1:14: this policy has no effect: enforce_policy is not true"}},
		{on + "allowed_servers: [{id: a}]", []string{"2:20: allowed_servers has no effect: server_policy is none, not allowlist"}},
		{on + "tool_policy: denylist\nallowed_tools: [{server: a, tool: b}]", []string{"3:18: allowed_tools has no effect: tool_policy is denylist, not allowlist"}},
		{"version_pinning: {on_change: block}", []string{"1:19: pins are not compared: version_pinning.enabled is not true"}},
		{on + "server_policy: allowlist\ntool_policy: allowlist\nfail_closed: true", []string{"2:16: no server is allowed: allowed_servers is empty",
			"3:14: no tool is allowed: allowed_tools is empty", "4:14: no server is allowed: fail_closed blocks every server that is not listed in servers or allowed_servers"}},
		{on + "server_policy: allowlist\nallowed_servers: [{id: un-a}, {id: \"*\"}, {id: b}]\ndenied_servers: [{id: \"UN-*\"}, {id: un-b}]", []string{
			`3:20: the pattern "UN-*" at 4:19 denies the server before any allow rule`,
			"3:43: this rule has no effect: the rule at 3:32 already matches everything that this one matches",
			"4:33: this rule has no effect: the rule at 4:19 already matches everything that this one matches"}},
		{on + "tool_policy: allowlist\nallowed_tools: [{server: a, tool: exec_it}]\ndenied_tools: [{server: \"*\", tool: \"exec_*\"}, {server: A, tool: \"exec_*\"}]", []string{
			`3:18: the patterns "*" and "exec_*" at 4:17 deny the tool before any allow rule`,
			"4:48: this rule has no effect: the rule at 4:17 already matches everything that this one matches"}},
		{on + "tool_policy: denylist\ndenied_tools: [{server: \"*\", tool: \"api_*\"}, {server: a, tool: \"api_read_*\"}, {server: a, tool: \"api?x\"}]", []string{
			"3:47: this rule has no effect: the rule at 3:17 already matches everything that this one matches"}},
		{"servers: [{id: a, env_allow: [X], env_deny: [Y]}]", []string{"1:12: env_deny has no effect with env_allow: the server gets only the variables that env_allow lists and the standard ones"}},
	} {
		var got []string
		for _, p := range lists(t, c.yaml).Policy.Policy().Check() {
			got = append(got, fmt.Sprintf("%s: %s", p.At, p.Says))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s\ngot:  %q\nwant: %q", c.yaml, got, c.want)
		}
	}
}

// TestUnused checks that patterns that match nothing in a recording are reported.
func TestUnused(t *testing.T) {
	p := lists(t, `
allowed_servers: [{id: "notes*"}, {id: web}]
allowed_tools: [{server: notes, tool: "read_*"}, {server: notes, tool: search}, {server: "*", tool: search}]
denied_tools: [{server: "*", tool: "exec_*"}]
`).Policy.Policy().Watch()
	p.Tool("notes", "read_note")
	p.Decide(&scanner.PolicyRequest{Server: "mail", Method: "tools/call", Target: "search"})
	var got []string
	for _, u := range p.Unused() {
		got = append(got, fmt.Sprintf("%s: %s", u.At, u.Says))
	}
	want := []string{`2:36: the pattern "web" matches no server in the recordings`,
		`3:51: the patterns "notes" and "search" match no tool in the recordings`, `4:17: the patterns "*" and "exec_*" match no tool in the recordings`}
	if !slices.Equal(got, want) {
		t.Errorf("got:  %q\nwant: %q", got, want)
	}
}
