package rules_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
)

// TestWhereAgentshDeviates checks that where agentsh differs from its documentation,
// mcpscan follows the documentation.
func TestWhereAgentshDeviates(t *testing.T) {
	const on = "enforce_policy: true\n"
	search := listing("search", "x")
	hash := fmt.Sprintf("%x", sha256.Sum256([]byte(`{"name":"search","description":"x","inputSchema":{"type":"object"}}`)))
	eleven := "b > " + calling("list_inbox") + strings.Repeat("\na > "+calling("list_rows"), 11)
	for _, c := range []struct{ deviation, policy, frames, want string }{
		{"fail_closed changes a text and blocks nothing",
			on + "fail_closed: true\nservers: [{id: a}]", "a > " + calling("search"), "1 block registry fail_closed"},
		{"a tool that is not in the registry passes whatever the policy says",
			on + "denied_tools: [{server: a, tool: search}]", "a > " + calling("search"), "1 block policy denied_tools"},
		{"mcp_rules of a generated policy are read and never asked",
			"mcp_rules: {enforce_policy: true, denied_tools: [{server: a, tool: search}]}", "a > " + calling("search"), "1 block policy denied_tools"},
		{"cross_server alone does nothing without enforce_policy",
			"cross_server: {enabled: true}", "a > " + calling("read_secret") + "\nb > " + calling("send_email"), "2 block cross-server read-then-send"},
		{"names without an underscore behind a known prefix are of no category",
			"", "a > " + calling("getUser") + "\nb > " + calling("slack_send_message"), "2 block cross-server read-then-send"},
		{"the tenth call is blocked where ten are allowed",
			"cross_server: {burst: {max_calls: 10, window: 1m}}", eleven, "12 block cross-server burst"},
		{"a name in another case shadows nothing",
			"", "a < " + search + "\nb < " + listing("Search", "y") + "\nb > " + calling("Search"), "3 block cross-server shadow-tool"},
		{"denied_servers is passed over under an allowlist",
			on + "server_policy: allowlist\nallowed_servers: [{id: \"*\"}]\ndenied_servers: [{id: a}]", "a > " + calling("search"), "1 block policy denied_servers"},
		{"denied_tools is passed over under an allowlist",
			on + "tool_policy: allowlist\nallowed_tools: [{server: \"*\", tool: \"*\"}]\ndenied_tools: [{server: \"*\", tool: \"exec_*\"}]", "a > " + calling("exec_it"), "1 block policy denied_tools"},
		{"a slash in a name passes a wildcard",
			on + "denied_tools: [{server: \"*\", tool: \"*exec_*\"}]", "a > " + calling("ns/exec_it"), "1 block policy denied_tools"},
		{"a content_hash with sha256: in front matches no tool",
			on + "tool_policy: allowlist\nallowed_tools: [{server: a, tool: search, content_hash: \"sha256:" + hash + "\"}]", "a < " + search + "\na > " + calling("search"), ""},
		{"pins go by the bare name of a tool, whatever its server",
			"version_pinning: {enabled: true}", "a < " + listing("list_rows", "x") + "\nb/s2 < " + listing("list_rows", "y") + "\nb/s2 > " + calling("list_rows"), ""},
		{"a definition that changed is trusted once it has been listed twice",
			"version_pinning: {enabled: true}", "a < " + search + strings.Repeat("\na < "+listing("search", "y"), 2) + "\na > " + calling("search"), "4 block pin version-pin"},
		{"the older design asks the policy ahead of the rate",
			on + "denied_tools: [{server: a, tool: search}]\nrate_limits: {enabled: true, default_rpm: 1, default_burst: 1}",
			"a > " + calling("list_rows") + "\na > " + calling("search"), "2 block rate rate-limit"},
	} {
		if got := decided(t, c.policy, c.frames); got != c.want {
			t.Errorf("%s:\ngot:\n%s\nwant:\n%s", c.deviation, got, c.want)
		}
	}
}
