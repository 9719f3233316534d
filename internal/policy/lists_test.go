package policy

import (
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/scanner"
)

func servers(t testing.TB, globs ...string) (rules []ServerRule) {
	for _, g := range globs {
		rules = append(rules, ServerRule{ID: name(t, g)})
	}
	return rules
}

// tools parses lines of the form "SERVER TOOL [HASH]".
func tools(t testing.TB, lines ...string) (rules []ToolRule) {
	for _, l := range lines {
		f := strings.Fields(l)
		r := ToolRule{Server: name(t, f[0]), Tool: name(t, f[1])}
		if len(f) > 2 {
			var err error
			if r.Hash, err = ParseHash(f[2]); err != nil {
				t.Fatal(err)
			}
		}
		rules = append(rules, r)
	}
	return rules
}

// listed is a tool as listed by its server.
var listed = &scanner.Known{Definition: &mcp.Definition{Digest: mcp.Digest{1}, AgentSH: strings.Repeat("ab", 32)}}

// TestLists checks which calls are refused, and by which key.
func TestLists(t *testing.T) {
	hash := strings.Repeat("ab", 32)
	for _, c := range []struct {
		what         string
		lists        Lists
		server, tool string
		known        *scanner.Known
		want         string // the deciding key; "" for a call that passes
	}{
		{"nothing is filtered", Lists{}, "s", "t", nil, ""},
		{"a denied server", Lists{DeniedServers: servers(t, "untrusted_*")}, "untrusted_x", "t", listed, "denied_servers"},
		{"in any case", Lists{DeniedServers: servers(t, "untrusted_*")}, "Untrusted_x", "t", listed, "denied_servers"},
		{"denied and allowed", Lists{ServerMode: Allowlist, AllowedServers: servers(t, "*"), DeniedServers: servers(t, "un*")}, "unsafe", "t", listed, "denied_servers"},
		{"a name with a slash", Lists{DeniedTools: tools(t, "* exec_*")}, "io.github.x/srv", "exec_run", listed, "denied_tools"},
		{"a tool with a slash", Lists{DeniedTools: tools(t, "* *exec_*")}, "s", "ns/exec_run", listed, "denied_tools"},
		{"not among the servers", Lists{ServerMode: Allowlist, AllowedServers: servers(t, "internal-*")}, "other", "t", listed, "server_policy"},
		{"among them", Lists{ServerMode: Allowlist, AllowedServers: servers(t, "internal-*")}, "internal-a/b", "t", listed, ""},
		{"in another case", Lists{ServerMode: Allowlist, AllowedServers: servers(t, "internal-*")}, "Internal-a", "t", listed, "server_policy"},
		{"the rest is denied", Lists{ServerMode: Allowlist, AllowedServers: servers(t, "a"), DeniedServers: servers(t, "*")}, "a", "t", listed, ""},
		{"and the rest it is", Lists{ServerMode: Allowlist, AllowedServers: servers(t, "a"), DeniedServers: servers(t, "*")}, "b", "t", listed, "server_policy"},
		{"all are denied", Lists{ServerMode: Denylist, AllowedServers: servers(t, "a"), DeniedServers: servers(t, "*")}, "a", "t", listed, "denied_servers"},
		{"a denied tool", Lists{ToolMode: Allowlist, AllowedTools: tools(t, "* *"), DeniedTools: tools(t, "api delete_*")}, "api", "delete_all", listed, "denied_tools"},
		{"of another server", Lists{ToolMode: Denylist, DeniedTools: tools(t, "api delete_*")}, "files", "delete_all", listed, ""},
		{"denied in mode none", Lists{DeniedTools: tools(t, "api delete_*")}, "api", "delete_all", listed, "denied_tools"},
		{"not among the tools", Lists{ToolMode: Allowlist, AllowedTools: tools(t, "a x")}, "a", "y", listed, "tool_policy"},
		{"nothing is allowed", Lists{ToolMode: Allowlist}, "a", "y", listed, "tool_policy"},
		{"the tool of another server", Lists{ToolMode: Allowlist, AllowedTools: tools(t, "a x")}, "b", "x", listed, "tool_policy"},
		{"the hash with its prefix", Lists{ToolMode: Allowlist, AllowedTools: tools(t, "a x sha256:"+hash)}, "a", "x", listed, ""},
		{"the hash alone, in capitals", Lists{ToolMode: Allowlist, AllowedTools: tools(t, "a x "+strings.ToUpper(hash))}, "a", "x", listed, ""},
		{"the digest of the lockfile", Lists{ToolMode: Allowlist, AllowedTools: tools(t, "a x "+mcp.Digest{1}.String())}, "a", "x", listed, ""},
		{"another hash", Lists{ToolMode: Allowlist, AllowedTools: tools(t, "a x sha256:"+strings.Repeat("cd", 32))}, "a", "x", listed, "allowed_tools"},
		{"another digest", Lists{ToolMode: Allowlist, AllowedTools: tools(t, "a x "+mcp.Digest{2}.String())}, "a", "x", listed, "allowed_tools"},
		{"no hash, for it was not listed", Lists{ToolMode: Allowlist, AllowedTools: tools(t, "a x sha256:"+hash)}, "a", "x", nil, "allowed_tools"},
		{"a second rule without one", Lists{ToolMode: Allowlist, AllowedTools: tools(t, "a x "+mcp.Digest{2}.String(), "a x")}, "a", "x", listed, ""},
		{"a denied hash", Lists{DeniedTools: tools(t, "* * sha256:"+hash)}, "a", "x", listed, "denied_tools"},
		{"and none", Lists{DeniedTools: tools(t, "* * sha256:"+hash)}, "a", "x", nil, ""},
		{"closed, not listed", Lists{FailClosed: true, AllowedServers: servers(t, "a")}, "a", "x", nil, "fail_closed"},
		{"closed, listed", Lists{FailClosed: true, AllowedServers: servers(t, "a")}, "a", "x", listed, ""},
		{"closed, declared", Lists{FailClosed: true, Servers: []Declared{{ID: "a"}}}, "a", "x", listed, ""},
		{"closed, not declared", Lists{FailClosed: true, Servers: []Declared{{ID: "a"}}}, "b", "x", listed, "fail_closed"},
		{"closed, nothing declared", Lists{FailClosed: true}, "b", "x", listed, "fail_closed"},
	} {
		c.lists.Enforced = true
		d := c.lists.Policy().Decide(&scanner.PolicyRequest{Server: c.server, Method: "tools/call", Target: c.tool, Tool: c.known})
		got := ""
		if d.Verdict != scanner.Allow {
			got = d.Rule
		}
		if got != c.want {
			t.Errorf("%s: %s of %s is refused by %q, want %q", c.what, c.tool, c.server, got, c.want)
		}
		c.lists.Enforced = false
		if d := c.lists.Policy().Decide(&scanner.PolicyRequest{Server: c.server, Method: "tools/call", Target: c.tool, Tool: c.known}); d != (scanner.Decision{}) {
			t.Errorf("%s: decided without enforce_policy: %+v", c.what, d)
		}
	}
}

// TestOtherRequests checks that the decision about a request other than a call depends only on the
// server, whoever sends the request.
func TestOtherRequests(t *testing.T) {
	l := Lists{Enforced: true, FailClosed: true, ServerMode: Allowlist, AllowedServers: servers(t, "good"), ToolMode: Allowlist}
	for method, decides := range map[string]bool{"resources/read": true, "prompts/get": true, "sampling/createMessage": true,
		"elicitation/create": true, "initialize": false, "tools/list": false, "ping": false} {
		for server, allowed := range map[string]bool{"good": true, "bad": false} {
			d := l.Policy().Decide(&scanner.PolicyRequest{Server: server, Method: method, Target: "x"})
			if refused := d.Verdict == scanner.Block; refused != (decides && !allowed) {
				t.Errorf("%s of %s: %+v", method, server, d)
			}
		}
	}
}

// TestAmbiguousCalls checks that a call with two names is refused if the policy
// distinguishes tools.
func TestAmbiguousCalls(t *testing.T) {
	denied := Lists{Enforced: true, DeniedTools: tools(t, "* exec")}
	none := Lists{Enforced: true}
	for _, c := range []struct {
		lists   *Lists
		name    scanner.Argument
		refused bool
	}{
		{&denied, scanner.Argument{Pointer: "/name", Text: "exec"}, true},
		{&denied, scanner.Argument{Pointer: "/Name", Text: "exec"}, true},
		{&denied, scanner.Argument{Pointer: "/name", Text: "read"}, false},
		{&denied, scanner.Argument{Pointer: "/arguments/name", Text: "exec"}, false},
		{&none, scanner.Argument{Pointer: "/name", Text: "exec"}, false},
	} {
		d := c.lists.Policy().Decide(&scanner.PolicyRequest{Server: "s", Method: "tools/call", Target: "read", Arguments: []scanner.Argument{{Pointer: "/name", Text: "read"}, c.name}})
		if (d.Verdict == scanner.Block) != c.refused {
			t.Errorf("%+v: %+v", c.name, d)
		}
	}
}

// TestVariables checks which variables a declared server may have.
func TestVariables(t *testing.T) {
	names := func(globs ...string) (out []Name) {
		for _, g := range globs {
			out = append(out, name(t, g))
		}
		return out
	}
	l := Lists{Servers: []Declared{
		{ID: "allow", EnvAllow: names("GITHUB_TOKEN", "CACHE_*", "AWS_*")},
		{ID: "deny", EnvDeny: names("AWS_*", "ANTHROPIC_API_KEY")},
		{ID: "both", EnvAllow: names("MODE"), EnvDeny: names("MODE", "OTHER")},
		{ID: "neither"},
	}}
	for _, c := range []struct {
		server, variable string
		allowed          bool
	}{
		{"allow", "GITHUB_TOKEN", true}, {"allow", "PATH", true}, {"allow", "Path", true}, {"allow", "SYSTEMROOT", true},
		{"allow", "CACHE_DIR", true}, {"allow", "MODE", false}, {"allow", "github_token", false},
		{"allow", "AWS_REGION", true}, {"allow", "AWS_SESSION_TOKEN", false}, {"allow", "CACHE_PASSWORD", false},
		{"deny", "AWS_SECRET_ACCESS_KEY", false}, {"deny", "aws_region", false}, {"deny", "ANTHROPIC_API_KEY", false}, {"deny", "GITHUB_TOKEN", true},
		{"both", "MODE", true}, {"both", "OTHER", false}, {"both", "THIRD", false},
		{"neither", "AWS_SECRET_ACCESS_KEY", true}, {"unknown", "AWS_SECRET_ACCESS_KEY", true},
	} {
		if d := l.Variable(c.server, c.variable); (d.Verdict == scanner.Allow) != c.allowed {
			t.Errorf("%s of %s: %+v", c.variable, c.server, d)
		}
	}
}

// TestInherits checks that a started server gets only standard variables unless its entry
// allows others.
func TestInherits(t *testing.T) {
	names := func(globs ...string) (out []Name) {
		for _, g := range globs {
			out = append(out, name(t, g))
		}
		return out
	}
	lists := &Lists{Servers: []Declared{{ID: "plain"}, {ID: "allow", EnvAllow: names("AWS_*", "X_TOKEN")},
		{ID: "deny", EnvDeny: names("AWS_*")}, {ID: "both", EnvAllow: names("OTHER"), EnvDeny: names("AWS_*")}}}
	variables := []string{"PATH", "Path", "OTHER", "AWS_REGION", "AWS_SECRET_KEY", "X_TOKEN"}
	for server, want := range map[string]string{
		"plain":   "PATH Path",
		"unknown": "PATH Path",
		"allow":   "PATH Path AWS_REGION X_TOKEN",
		"deny":    "PATH Path OTHER X_TOKEN",
		"both":    "PATH Path OTHER",
	} {
		var got []string
		for _, v := range variables {
			if lists.Inherits(server, v) {
				got = append(got, v)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s inherits %v, want %s", server, got, want)
		}
	}
	if none := (*Lists)(nil); !none.Inherits("a", "HOME") || none.Inherits("a", "OTHER") {
		t.Error("without a policy a server gets the standard variables")
	}
}
