package servers

import (
	"strings"
	"testing"

	"github.com/mcpscan/mcpscan/internal/baseline"
	"github.com/mcpscan/mcpscan/internal/config"
)

// TestPackageName checks that only the package determines the name of a server.
func TestPackageName(t *testing.T) {
	for _, c := range []struct {
		want    string
		command []string
	}{
		{"some-mcp", []string{"npx", "-y", "some-mcp@1.2.3"}},
		{"server-filesystem", []string{"npx", "@modelcontextprotocol/server-filesystem", "/path"}},
		{"@playwright/mcp", []string{"npx", "@playwright/mcp@0.0.40"}},
		{"mcp_server_sqlite", []string{"python", "-m", "mcp_server_sqlite"}},
		{"mcp-server-time", []string{"uvx", "--from", "mcp-server-time==1.0", "time"}},
		{"fetch", []string{"docker", "run", "-i", "--rm", "mcp/fetch:latest"}},
		{"tides", []string{"go", "run", "example.com/x/tides@v1.0.0"}},
		{"", []string{"node", "/x/dist/index.js"}},
		{"", []string{"python3", "notes.py", "--verbose"}},
		{"", []string{"uv", "run", "weather.py"}},
		{"", []string{"/opt/tides", "north"}},
		{"", []string{"run", "--token", "mcpKp7Xq2Vn9Rt4"}},
	} {
		if got := packageName(&config.Server{Command: c.command[0], Args: c.command[1:]}); got != c.want {
			t.Errorf("%q is named %q, want %q", c.command, got, c.want)
		}
	}
}

// TestProgramName checks that a server without a package is named after its program or script, if
// that contains mcp as a word.
func TestProgramName(t *testing.T) {
	for _, c := range []struct {
		want    string
		command []string
	}{
		{"mcp-server-git", []string{"/usr/local/bin/mcp-server-git", "--repo", "/my-mcp-notes"}},
		{"notes-mcp", []string{`notes-mcp.exe`}},
		{"my-mcp-server", []string{"node", "--enable-source-maps", "/opt/my-mcp-server/dist/index.js"}},
		{"mcp_server_sqlite", []string{"python3", "src/mcp_server_sqlite.py", "other-mcp.db"}},
		{"", []string{"node", "/opt/mcp/server/index.js"}},
		{"", []string{"node", "/opt/my-mcp-servers/tides.js"}},
		{"", []string{"/opt/tides", "north", "tides-mcp"}},
		{"", []string{"/opt/mcpherson", "https://mcp.example/x-mcp"}},
		{"", []string{"node", "mcp-sk-ant-api03-Kp7Xq2Vn9Rt4Kp7Xq2Vn9Rt4Kp7Xq2Vn9Rt4"}},
		{"", []string{"./a-mcp\u202e"}},
	} {
		if got := programName(c.command[0], c.command[1:]); got != c.want {
			t.Errorf("%q is named %q, want %q", c.command, got, c.want)
		}
	}
}

// TestURLName checks that two servers on one host have different names.
func TestURLName(t *testing.T) {
	for address, want := range map[string]string{
		"https://h.example/mcp":             "h.example",
		"https://h.example:8443/":           "h.example:8443",
		"https://h.example/a/mcp?key=1":     "h.example/a/mcp",
		"https://user:pass@h.example/b/mcp": "h.example/b/mcp",
	} {
		if got := urlName(address); got != want {
			t.Errorf("%s is called %s, want %s", address, got, want)
		}
	}
}

// TestCall checks that a server gets its own name from the lockfile, never another server's.
func TestCall(t *testing.T) {
	entry := func(command ...string) *config.Server {
		return &config.Server{Transport: "stdio", Command: command[0], Args: command[1:]}
	}
	locked := func(command ...string) *baseline.LockedIdentity {
		return &baseline.LockedIdentity{Identity: baseline.IdentityOf(entry(command...))}
	}
	known := Known{
		"browser": locked("npx", "-y", "@playwright/mcp@0.0.40"),
		"docs":    locked("npx", "-y", "server-filesystem@1.0.0", "/docs"),
		"code":    locked("npx", "-y", "server-filesystem@1.0.0", "/code"),
		"fetch":   locked("uvx", "fetch==1.0"),
		"old":     nil,
	}
	for _, c := range []struct {
		want    string
		command []string
	}{
		{"browser", []string{"npx", "-y", "@playwright/mcp@0.0.49"}},
		{"code", []string{"npx", "-y", "server-filesystem@1.0.0", "/code"}},
		{"", []string{"npx", "-y", "server-filesystem@1.0.0", "/other"}},
		{"fetch", []string{"uvx", "fetch==1.1"}},
		{"fetch-" + strings.TrimPrefix(FallbackID("npx", []string{"@other/fetch"}, ""), "mcp-"), []string{"npx", "@other/fetch"}},
		{"old", []string{"npx", "old"}},
	} {
		got, err := known.Name(entry(c.command...))
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%q is called %q (%v), want %q", c.command, got, err, c.want)
		}
	}
}

// TestOwnName checks where a server's name for itself is found in the versions of the protocol.
func TestOwnName(t *testing.T) {
	for frame, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","serverInfo":{"name":"Tides"}}}`:                                       "Tides",
		`{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"Tides"}}}}`: "Tides",
		`{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`:                                                                                         "",
	} {
		if got := ownName([]byte(frame)); got != want {
			t.Errorf("%s: %q, want %q", frame, got, want)
		}
	}
}
