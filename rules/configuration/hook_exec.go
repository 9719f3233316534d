package configuration

import (
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/scanner"
)

var HookExec = scanner.Rule{
	ID:         "cfg-hook-exec",
	Category:   "configuration",
	Title:      "Repository settings run a command",
	Why:        "Hooks and helpers run on the machine of everyone who opens the repository in the client, on events that the user does not see. Some run before the user trusts the repository.",
	Fix:        "Read the command and everything it starts. If not everyone needs it, keep it in user settings.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The settings state which command the client runs. Many such commands are legitimate, such as formatters and checks. The finding is high if the command downloads, decodes or hides what it runs, or sends files, variables or keys to a host.",
	Refs:       []string{"OWASP-MCP:MCP05", "ATLAS:AML.T0050", "CWE-829"},
	Config: func(p *scanner.ConfigPass) {
		if p.User {
			return // users write their own hooks
		}
		for _, s := range p.Settings {
			switch {
			case pluginCode.MatchString(s.Pointer):
				p.Report(nil, s.Pointer, scanner.Medium, "the settings load code into the client", s.Text)
			case !commandSetting.MatchString(s.Pointer) || s.Text == "":
			case downloadRun.MatchString(s.Text), hiddenRun.MatchString(s.Text):
				p.Report(nil, s.Pointer, scanner.High, "the command downloads, decodes or hides what it runs, or sends data away", s.Text)
			case scriptOfRepository.MatchString(s.Text):
				p.Report(nil, s.Pointer, scanner.Medium, "the settings run a file in the repository, which can change while the settings stay the same", s.Text)
			default:
				p.Report(nil, s.Pointer, scanner.Medium, "the settings run a command", s.Text)
			}
		}
	},
}

var (
	commandSetting = lazyregexp.New(`^/hooks/(?:.*/)?(?:command|bash|powershell|script|cmd)$|` +
		`^/(?:apiKeyHelper|awsAuthRefresh|awsCredentialExport|gcpAuthRefresh|otelHeadersHelper|statusLine/command|fileSuggestion/command|toolDiscoveryCommand|toolCallCommand|` +
		`tools/discoveryCommand|tools/callCommand|mcp/serverCommand)$|` +
		`/headersHelper$|^/notify/0$`)
	pluginCode = lazyregexp.New(`^/plugin/\d+$`) // opencode and Kilo, which load packages or project files
	hiddenRun  = lazyregexp.New(`(?i)\b(?:eval|exec)\s+["']?\$\(|\bbase64\s+(?:-d|--decode)|-e(?:nc|ncodedcommand)?\s+[A-Za-z0-9+/=]{40,}|/dev/tcp/|\bnc\s+-\w*e|` +
		`\bcurl\b.*(?:-d|--data|-F|-T|--upload-file)\b.*(?:\$\(|@|env\b)|\b(?:env|printenv)\s*\|\s*(?:curl|nc|wget)\b|` +
		`\$\{?(?:ANTHROPIC|OPENAI|GITHUB|AWS)_\w*(?:KEY|TOKEN|SECRET)\w*\}?.*\bhttps?://|` +
		`\bhttps?://\S*\$\{?(?:ANTHROPIC|OPENAI|GITHUB|AWS)_\w*(?:KEY|TOKEN|SECRET)`)
	// scriptOfRepository matches a command that runs a file at a path relative to the project, or to a
	// client's variable such as CLAUDE_PROJECT_DIR.
	scriptOfRepository = lazyregexp.New(`^"?(?:(?:bash|sh|node|python3?|ruby|tsx|bun|deno run|npx tsx) +)?"?(?:\.{1,2}/|` +
		`\$\{?(?:CLAUDE_PROJECT_DIR|CLAUDE_PLUGIN_ROOT|GEMINI_PROJECT_DIR)\}?|[\w.-]+/[\w./-]+\.(?:sh|py|js|mjs|ts|rb))`)
)
