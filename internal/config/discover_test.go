package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
)

// tree creates empty files and returns the directory that contains them.
func tree(t *testing.T, names ...string) string {
	// Brackets have a special meaning in patterns, but are valid in directory names.
	root := filepath.Join(t.TempDir(), "[x]")
	for _, n := range names {
		p := filepath.Join(root, n)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestDiscover(t *testing.T) {
	root := tree(t,
		"p/.mcp.json", "p/.vscode/mcp.json", "p/a.code-workspace", "p/opencode.jsonc", "p/server.json", "p/sub/.mcp.json",
		"p/.claude/agents/r.md", "p/.claude/agents/sub/s.md", "p/.claude/skills/s/SKILL.md", "p/.claude/skills/s/more.md", "p/.claude/commands/c.md",
		"p/.continue/agents/x.yaml", "p/.continue/mcpServers/b.yaml", "p/.continue/mcpServers/a.json", "p/.cursor/mcp.json/not-a-file",
		"h/.claude.json", "h/.claude/plugins/cache/m/p/1/.mcp.json", "h/.claude/plugins/marketplaces/m/.mcp.json",
		"h/.codex/config.toml", "h/.config/Claude/claude_desktop_config.json", "h/.config/zed/settings.json",
		"h/.config/Code/User/mcp.json",
		"h/Library/Application Support/Claude/claude_desktop_config.json",
		"h/Library/Application Support/Code - Insiders/User/profiles/x/mcp.json",
		"ad/Claude/claude_desktop_config.json", "ad/Block/goose/config/config.yaml", "lad/crush/crush.json",
		"pd/OpenAI/Codex/config.toml", "pf/ClaudeCode/managed-mcp.json",
		"cc/.claude.json", "cc/agents/a.md", "cc/plugins/repos/r/plugin.json", "cx/config.toml", "oc/any-name.json", "xdg/mcp-config.json",
		"co/mcp-config.json", "co/agents/a.agent.md", "od/opencode.json",
		"p2/.gemini/agents/a.md", "p2/.codex/agents/a.toml", "p2/.kiro/agents/team/a.md", "p2/.amazonq/default.json", "p2/.amazonq/agents/default.json", "p2/qwen-extension.json", "p2/.trae/mcp.json",
		"p2/skills/s/SKILL.md", "p2/.github/hooks/a.json", "p2/.github/plugin/plugin.json", "p2/.plugin/plugin.json", "p2/.codex/hooks.json", "p2/.cursor-plugin/plugin.json",
		"h2/.mcp.json", "h2/.config/Claude/Claude Extensions/ant.dir.x/manifest.json", "h2/.vscode-server/data/User/mcp.json", "h2/.vscode-server/data/Machine/settings.json", "h2/.vscode-server/data/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
		"h2/.codeium/mcp_config.json", "h2/.codeium/windsurf-next/mcp_config.json", "h2/.config/Antigravity/User/settings.json", "h2/.gemini/agents/a.md", "h2/.codex/agents/a.toml",
		"h2/.config/Code/User/globalStorage/kilocode.kilo-code/settings/mcp_settings.json", "h2/.config/kilo/opencode.json", "h2/.kiro/agents/a.md", "h2/.aws/amazonq/default.json", "h2/.aws/amazonq/cli-agents/a.json",
		"h2/.copilot/installed-plugins/m/p/.mcp.json", "h2/.config/github-copilot/intellij/mcp.json", "h2/.config/opencode/config.json", "h2/.local/share/crush/crush.json", "h2/.qwen/extensions/e/qwen-extension.json",
		"h2/.config/Trae CN/User/mcp.json", "h2/.openclaw/openclaw.json", "h2/.gitlab/duo/mcp.json",
		"lad2/github-copilot/intellij/mcp.json", "pd2/gemini-cli/system-defaults.json", "pd2/ampcode/managed-settings.json", "pf2/ClaudeCode/managed-settings.d/10.json",
	)
	at := func(dir string) string { return filepath.Join(root, dir) }
	project := []string{
		"claude-code project p/.mcp.json", "claude-code project p/.claude/agents/r.md", "claude-code project p/.claude/agents/sub/s.md",
		"claude-code project p/.claude/skills/s/SKILL.md", "claude-code project p/.claude/commands/c.md", "vscode project p/.vscode/mcp.json", "vscode project p/a.code-workspace",
		"continue project p/.continue/mcpServers/a.json", "continue project p/.continue/mcpServers/b.yaml",
		"continue project p/.continue/agents/x.yaml",
		"opencode project p/opencode.jsonc",
	}
	env := map[string]string{}
	getenv := func(k string) string { return env[k] }
	for _, c := range []struct {
		name string
		dirs Dirs
		env  map[string]string
		want []string
	}{
		{"project only", Dirs{GOOS: "linux", Project: at("p")}, nil, project},
		{"nothing", Dirs{GOOS: "linux"}, nil, nil},
		{"linux", Dirs{GOOS: "linux", Home: at("h"), AppData: at("ad")}, nil, []string{
			"claude-desktop user h/.config/Claude/claude_desktop_config.json", "claude-code user h/.claude.json",
			"claude-code user h/.claude/plugins/cache/m/p/1/.mcp.json", "vscode user h/.config/Code/User/mcp.json",
			"codex user h/.codex/config.toml", "zed user h/.config/zed/settings.json",
		}},
		{"darwin", Dirs{GOOS: "darwin", Home: at("h")}, nil, []string{
			"claude-desktop user h/Library/Application Support/Claude/claude_desktop_config.json",
			"claude-code user h/.claude.json", "claude-code user h/.claude/plugins/cache/m/p/1/.mcp.json",
			"vscode user h/Library/Application Support/Code - Insiders/User/profiles/x/mcp.json",
			"codex user h/.codex/config.toml", "zed user h/.config/zed/settings.json",
		}},
		{"windows", Dirs{GOOS: "windows", AppData: at("ad"), LocalAppData: at("lad"), ProgramData: at("pd")},
			map[string]string{"ProgramFiles": at("pf")}, []string{
				"claude-desktop user ad/Claude/claude_desktop_config.json", "goose user ad/Block/goose/config/config.yaml",
				"crush user lad/crush/crush.json", "claude-code system pf/ClaudeCode/managed-mcp.json",
				"codex system pd/OpenAI/Codex/config.toml",
			}},
		{"agents and extensions of a project", Dirs{GOOS: "linux", Project: at("p2")}, nil, []string{
			"claude-code project p2/skills/s/SKILL.md", "cursor project p2/.cursor-plugin/plugin.json",
			"copilot project p2/.github/hooks/a.json", "copilot project p2/.github/plugin/plugin.json", "copilot project p2/.plugin/plugin.json",
			"gemini-cli project p2/.gemini/agents/a.md", "codex project p2/.codex/hooks.json", "codex project p2/.codex/agents/a.toml", "kiro project p2/.kiro/agents/team/a.md",
			"amazonq project p2/.amazonq/default.json", "amazonq project p2/.amazonq/agents/default.json", "qwen-code project p2/qwen-extension.json", "trae project p2/.trae/mcp.json",
		}},
		{"remote machines, plugins and newer clients", Dirs{GOOS: "linux", Home: at("h2")}, nil, []string{
			"claude-desktop user h2/.config/Claude/Claude Extensions/ant.dir.x/manifest.json",
			"vscode user h2/.vscode-server/data/Machine/settings.json", "vscode user h2/.vscode-server/data/User/mcp.json", "user h2/.mcp.json",
			"windsurf user h2/.codeium/windsurf-next/mcp_config.json", "windsurf user h2/.codeium/mcp_config.json", "antigravity user h2/.config/Antigravity/User/settings.json",
			"gemini-cli user h2/.gemini/agents/a.md", "codex user h2/.codex/agents/a.toml",
			"cline user h2/.vscode-server/data/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
			"kilo user h2/.config/Code/User/globalStorage/kilocode.kilo-code/settings/mcp_settings.json", "kilo user h2/.config/kilo/opencode.json",
			"kiro user h2/.kiro/agents/a.md", "amazonq user h2/.aws/amazonq/default.json", "amazonq user h2/.aws/amazonq/cli-agents/a.json",
			"copilot user h2/.copilot/installed-plugins/m/p/.mcp.json", "copilot user h2/.config/github-copilot/intellij/mcp.json",
			"opencode user h2/.config/opencode/config.json", "crush user h2/.local/share/crush/crush.json", "qwen-code user h2/.qwen/extensions/e/qwen-extension.json",
			"trae user h2/.config/Trae CN/User/mcp.json", "openclaw user h2/.openclaw/openclaw.json", "gitlab-duo user h2/.gitlab/duo/mcp.json",
		}},
		{"newer places on Windows", Dirs{GOOS: "windows", LocalAppData: at("lad2"), ProgramData: at("pd2")}, map[string]string{"ProgramFiles": at("pf2")}, []string{
			"copilot user lad2/github-copilot/intellij/mcp.json", "claude-code system pf2/ClaudeCode/managed-settings.d/10.json",
			"gemini-cli system pd2/gemini-cli/system-defaults.json", "amp system pd2/ampcode/managed-settings.json",
		}},
		{"moved", Dirs{GOOS: "linux", Home: at("h"), XDGConfig: at("xdg")}, map[string]string{
			"CLAUDE_CONFIG_DIR": at("cc"), "CODEX_HOME": at("cx"), "OPENCODE_CONFIG": at("oc/any-name.json"), "OPENCODE_CONFIG_DIR": at("od"), "COPILOT_HOME": at("co"),
		}, []string{
			"claude-code user cc/.claude.json", "claude-code user cc/agents/a.md", "claude-code user cc/plugins/repos/r/plugin.json",
			"codex user cx/config.toml", "copilot user co/mcp-config.json", "copilot user co/agents/a.agent.md", "copilot user xdg/mcp-config.json",
			"opencode user oc/any-name.json", "opencode user od/opencode.json",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			env = c.env
			c.dirs.Getenv = getenv
			var got []string
			locations, _ := Discover(c.dirs)
			for _, l := range locations {
				rel, err := filepath.Rel(root, l.Path)
				if err != nil || strings.HasPrefix(rel, "..") {
					continue // a system file of the machine that runs the test
				}
				got = append(got, strings.TrimSpace(l.Client+" "+l.Scope+" "+filepath.ToSlash(rel)))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

func TestDiscoverOnce(t *testing.T) {
	root := tree(t, ".cursor/mcp.json")
	got, _ := Discover(Dirs{GOOS: "linux", Project: root, Home: root})
	if len(got) != 1 || got[0].Scope != "project" {
		t.Errorf("got %v, want the file once, as the project's", got)
	}
}

// TestPlaces checks the table itself: patterns can match, systems exist, and no
// line is a duplicate.
func TestPlaces(t *testing.T) {
	seen := map[place]bool{}
	for _, p := range places() {
		if seen[p] {
			t.Errorf("%v is there twice", p)
		}
		seen[p] = true
		if !doublestar.ValidatePattern(p.pattern) || strings.HasPrefix(p.pattern, "/") || strings.Contains(p.pattern, `\`) {
			t.Errorf("%v: the pattern cannot match", p)
		}
		for _, s := range strings.Fields(p.systems) {
			if s != "linux" && s != "darwin" && s != "windows" {
				t.Errorf("%v: no system %q", p, s)
			}
		}
	}
}

func TestClientOf(t *testing.T) {
	for path, want := range map[string]string{
		".mcp.json":                              "claude-code",
		"/home/u/p/.cursor/mcp.json":             "cursor",
		`C:\Users\u\p\.vscode\mcp.json`:          "vscode",
		"/home/u/.codex/config.toml":             "codex",
		"site/config.toml":                       "",
		"mcp.json":                               "",
		`C:\x\Claude\claude_desktop_config.json`: "claude-desktop",
	} {
		if got := clientOf(path); got != want {
			t.Errorf("clientOf(%q) = %q, want %q", path, got, want)
		}
	}
}

func TestProjectOf(t *testing.T) {
	for path, want := range map[string]string{
		"/p/.mcp.json":                        "/p",
		"/p/services/api/.mcp.json":           "/p/services/api",
		"/p/services/api/.CURSOR/mcp.json":    "/p/services/api",
		"/p/.kiro/settings/mcp.json":          "/p",
		"/p/.claude/agents/review/reader.md":  "/p",
		"/p/mcp.json":                         "/p",
		"/p/conf/servers.json":                "",
		"/p/.claude_desktop/some_config.json": "",
	} {
		if got := ProjectOf(filepath.FromSlash(path)); got != filepath.FromSlash(want) {
			t.Errorf("ProjectOf(%q) = %q, want %q", path, got, want)
		}
	}
}

// TestBelongs checks that a file's path determines whether it belongs to the user.
func TestBelongs(t *testing.T) {
	home := t.TempDir()
	d := Dirs{GOOS: "linux", Home: home, XDGConfig: filepath.Join(home, "xdg"), Project: filepath.Join(home, "p")}
	for name, want := range map[string]bool{
		".claude.json": true, ".claude/settings.json": true, ".cursor/mcp.json": true, "xdg/Code/User/mcp.json": true, "xdg/Claude/claude_desktop_config.json": true,
		"p/.mcp.json": false, "p/.claude/settings.json": false, "p/.cursor/mcp.json": false, ".mcp.json": true, "p/q/.mcp.json": false, "../.claude.json": false,
	} {
		if got := d.Belongs(filepath.Join(home, filepath.FromSlash(name))); got != want {
			t.Errorf("%s belongs to the user: %v", name, got)
		}
	}
	if (Dirs{GOOS: "linux"}).Belongs("/etc/claude-code/managed-settings.json") != true {
		t.Error("the settings of a machine are those of a project")
	}
}
