package session

import (
	"testing"

	"github.com/mcpscan/mcpscan/scanner"
)

// TestObeyed checks which paths belong to files from which an agent or the machine
// takes instructions, however the paths are written.
func TestObeyed(t *testing.T) {
	for severity, paths := range map[scanner.Severity][]string{
		scanner.Critical: {"mcp.json", ".mcp.json", "a/.cursor/mcp.json", "/home/ann/.claude.json", "~/.claude/settings.json", ".claude/hooks/pre.sh",
			".vscode/tasks.json", ".gemini/settings.json", "~/.codex/config.toml", "x/mcp_config.json", "cline_mcp_settings.json",
			`%41ppData\\Roaming\\Claude\\claude_desktop_config.json`, "~/.config/Code/User/settings.json", ".kiro/settings/mcp.json", "~/.config/zed/settings.json",
			"~/.bashrc", "$HOME/.profile", "/root/.zshenv", "~/.config/fish/config.fish", "C:/Users/ann/Documents/PowerShell/Microsoft.PowerShell_profile.ps1",
			"~/.ssh/authorized_keys", "~/.ssh/config", "/work/.git/hooks/pre-commit", ".git/config", ".husky/pre-push", ".envrc", "~/.gitconfig",
			"/etc/cron.d/x", "/etc/crontab", "/etc/cron.daily/x", "/var/spool/cron/crontabs/root", "/etc/profile.d/x.sh", "/etc/sudoers", "/etc/ld.so.preload",
			"~/.config/systemd/user/x.service", "/etc/systemd/system/x.service", "~/Library/LaunchAgents/x.plist", "~/.config/autostart/x.desktop",
			`C:\\Users\\ann\\AppData\\Roaming\\Microsoft\\Windows\\Start Menu\\Programs\\Startup\\x.bat`,
			"file:///root/%2ebashrc", "a/b/../.mcp.json", "~/.BASHRC", "~/.bashrc.", "~/.bashrc\x00.txt"},
		scanner.High: {"CLAUDE.md", "a/AGENTS.md", "GEMINI.md", ".cursorrules", ".cursor/rules/x.mdc", ".github/copilot-instructions.md", ".clinerules", ".goosehints"},
		0: {"", "README.md", "src/mcp.go", "docs/claude.md.txt", "bashrc", "my.bashrc", ".gitignore", "etc/hosts", "x/.git/HEAD", ".github/workflows/ci.yml",
			"profile", "config.json", "mcp.json/x", "a\nb/.bashrc", ".env", "crontab.md"},
	} {
		for _, path := range paths {
			if got, is := obeyed(&scanner.Argument{Name: "path", Pointer: "/arguments/path", Text: path}); got != severity || is != (severity > 0) {
				t.Errorf("%q: %s, %v", path, got, is)
			}
		}
	}
}
