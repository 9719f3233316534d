package configuration

import (
	"slices"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/entries"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/scanner"
)

var AutoApprove = scanner.Rule{
	ID:         "cfg-auto-approve",
	Category:   "policy",
	Title:      "Tools or servers run without confirmation",
	Why:        "The prompt before a call is the last chance to notice that poisoned text controls the model. A repository that answers the prompt for everyone who opens it takes away that chance.",
	Fix:        "Allow only individual read-only tools, in user settings; leave consent for servers and commands to each user.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "The finding is high if a project approves everything, every command, every server or access to every file of the user, or gives Codex full access, and medium or low if it approves less, such as specific tools that write files or run commands, or switches off Claude Code's sandbox. In a user's own settings, the severity is one level lower, but at least low. Tools that only read are not reported.",
	Refs:       []string{"OWASP-MCP:MCP02", "OWASP-LLM:LLM06", "ATLAS:AML.T0081", "CWE-862"},
	Config: func(p *scanner.ConfigPass) {
		for i := range p.Entries {
			approvedTools(p, &p.Entries[i])
		}
		for _, s := range p.Settings {
			if p.User && pluginSetting.MatchString(s.Pointer) {
				continue // users choose their own plugins
			}
			for _, a := range approvals {
				if a.pointer.MatchString(s.Pointer) && a.value.MatchString(s.Text) {
					p.Report(nil, s.Pointer, entries.UnlessOwn(p, a.severity, scanner.Severity(max(a.severity-1, scanner.Low))), a.message, lastToken(s.Pointer)+": "+s.Text)
					break
				}
			}
		}
	},
}

// approvedTools reports the tools that an entry allows to run without confirmation.
func approvedTools(p *scanner.ConfigPass, e *configfile.Entry) {
	for _, a := range e.AutoApprove {
		switch {
		case a.Every:
			evidence := a.Text
			if evidence == "true" {
				evidence = lastToken(a.Pointer) + ": " + evidence
			}
			p.Report(e, a.Pointer, entries.UnlessOwn(p, scanner.High, scanner.Medium), "every tool of the server runs without confirmation", evidence)
			return
		case actingTool(a.Text):
			p.Report(e, a.Pointer, entries.UnlessOwn(p, scanner.Medium, scanner.Low), "a tool that can write data or run commands needs no confirmation", a.Text)
		}
	}
}

// actingTool reports whether a tool's name indicates an action that users want to be asked about.
func actingTool(name string) bool {
	return slices.ContainsFunc(names.Words(name), func(w string) bool { return actingWords[w] })
}

var actingWords = names.Set(`execute exec run eval shell bash terminal command cmd delete remove drop destroy write edit create update
	modify send post push merge publish deploy transfer pay purchase move rename upload install kill truncate insert grant revoke`)

// approval is a setting that removes a safeguard of a client, such as asking for confirmation.
type approval struct {
	pointer, value *lazyregexp.Regexp
	severity       scanner.Severity // in a project's configuration; one level lower in a user's, but at least low
	message        string
}

func approves(pointer, value string, severity scanner.Severity, message string) approval {
	return approval{lazyregexp.New(pointer), lazyregexp.New(value), severity, message}
}

// editorKey matches the start of a pointer to a VS Code setting, in any file that can contain
// such settings.
const editorKey = `^(?:/settings|/customizations/vscode/settings)?/chat\.`

// pluginSetting matches the settings that select plugins or their sources.
var pluginSetting = lazyregexp.New(`^/(?:enabledPlugins|extraKnownMarketplaces)/|/chat\.plugins\.`)

// approvals are checked in order; the first match wins. The keys are taken from the clients'
// documentation.
var approvals = []approval{
	// Claude Code.
	approves(`^/enableAllProjectMcpServers$`, `^true$`, scanner.High, "every server in the repository starts without confirmation"),
	approves(`^/enabledMcpjsonServers/\d+$`, `.`, scanner.Medium, "a server in the repository starts without confirmation"),
	approves(`^/permissions/defaultMode$`, `^bypassPermissions$`, scanner.High, "tools and commands run without confirmation"),
	approves(`^/permissions/defaultMode$`, `^(?:acceptEdits|auto)$`, scanner.Medium, "files change without confirmation"),
	approves(`^/skipDangerousModePermissionPrompt$`, `^true$`, scanner.Medium, "the settings suppress the warning that is shown before all confirmations are switched off"),
	approves(`^/permissions/allow/\d+$`, `^(?:\*|Bash|Bash\(\*\)|Bash\(:\*\))$`, scanner.High, "every command runs without confirmation"),
	approves(`^/permissions/allow/\d+$`, `^mcp__\*|^mcp__[^*]*?(?:__\*)?\*$`, scanner.Medium, "all tools that match a pattern run without confirmation"),
	approves(`^/permissions/allow/\d+$`, `^mcp__[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$`, scanner.Medium, "every tool of a server runs without confirmation"),
	approves(`^/permissions/allow/\d+$`,
		`(?i)^mcp__.*__.*(?:exec|run_|shell|command|delete|drop_|write|deploy|send|push|merge)`, scanner.Low,
		"a tool that can write data or run commands needs no confirmation"),
	approves(`^/sandbox/enabled$`, `^false$`, scanner.Medium, "commands run outside the sandbox, even if the user has switched it on"),
	approves(`^/permissions/additionalDirectories/\d+$`, `^(?:`+everything+`|`+home+`[\\/]?)$`, scanner.High, "every file of the user can be read without confirmation"),
	approves(`^/permissions/additionalDirectories/\d+$`, `(?:^|[\\/])`+keys+`[\\/]?$`, scanner.Medium, "credentials of the user can be read without confirmation"),
	approves(`^/enabledPlugins/[^/]+(?:/\d+)?$`, `^[^f]`, scanner.Medium, "a plugin, which can add servers and hooks, is enabled for everyone who opens the project"),
	approves(`^/extraKnownMarketplaces/[^/]+/source/(?:repo|url|package|path)$`, `.`, scanner.Low, "the project adds a plugin marketplace"),
	// VS Code.
	approves(editorKey+`plugins\.(?:marketplaces|paths)/`, `.`, scanner.Low, "the project adds a plugin location"),
	approves(editorKey+`tools\.(?:global\.)?autoApprove$`, `^true$`, scanner.High, "every tool and command runs without confirmation"),
	approves(editorKey+`tools\.terminal\.autoApprove/(?:\*|~1\.\*~1|~1\.\+~1|~1\^\.\*\$?~1)(?:/approve)?$`, `^true$`, scanner.High, "every command runs without confirmation"),
	approves(editorKey+`tools\.terminal\.autoApprove/`+
		`(?:rm|sudo|curl|wget|bash|sh|zsh|eval|chmod|python3?|node|npx|powershell)(?:/approve)?$`, `^true$`, scanner.Medium, "a command that can do anything runs without confirmation"),
	approves(editorKey+`tools\.(?:edits|urls)\.autoApprove/(?:\*\*~1\*|\*|https?:~1~1\*(?:~1\*)?)(?:/.*)?$`,
		`^true$`, scanner.Medium, "every file can be changed, or every address read, without confirmation"),
	// Gemini CLI and Qwen Code.
	approves(`^/(?:tools/)?autoAccept$`, `^true$`, scanner.Medium, "tools considered harmless run without confirmation"),
	approves(`^/(?:general/defaultApprovalMode|tools/approvalMode)$`, `^yolo$`, scanner.High, "tools and commands run without confirmation"),
	approves(`^/(?:general/defaultApprovalMode|tools/approvalMode)$`, `^auto_?-?edit$`, scanner.Medium, "files change without confirmation"),
	approves(`^/(?:tools/allowed|allowedTools)/\d+$`, `^(?:\*|run_shell_command|ShellTool|execute_bash|execute_cmd)$`, scanner.High, "every command runs without confirmation"),
	approves(`^/allowedTools/\d+$`, `^@[^/*]+(?:/\*)?$`, scanner.Medium, "every tool of a server runs without confirmation"),
	// Codex.
	approves(`^(?:/profiles/[^/]+)?/sandbox_mode$`, `^danger-full-access$`, scanner.High, "commands run outside the sandbox"),
	approves(`^(?:/profiles/[^/]+)?/approval_policy$`, `^never$`, scanner.Medium, "commands run without confirmation"),
	// opencode, Kilo.
	approves(`^/permission(?:/\*|/bash(?:/\*)?)?$`, `^allow$`, scanner.High, "every command runs without confirmation"),
	approves(`^/permission/(?:edit|webfetch)(?:/\*)?$`, `^allow$`, scanner.Medium, "files change, or pages are read, without confirmation"),
	// Amp, Zed, Crush, Cursor.
	approves(`^/amp\.dangerouslyAllowAll$`, `^true$`, scanner.High, "every tool and command runs without confirmation"),
	approves(`^/amp\.commands\.allowlist/\d+$`, `^\*$`, scanner.High, "every command runs without confirmation"),
	approves(`^/agent/always_allow_tool_actions$`, `^true$`, scanner.High, "every tool and command runs without confirmation"),
	approves(`^/agent/tool_permissions/default$`, `^allow$`, scanner.High, "every tool and command runs without confirmation"),
	approves(`^/permissions/allowed_tools/\d+$`, `^(?:bash|edit|write|\*)$`, scanner.Medium, "a tool that can write data or run commands needs no confirmation"),
	approves(`^/permissions/allow/\d+$`, `^(?:Shell\(\*+\)|Mcp\(\*:\*\)|Write\(\*+(?:/\*+)?\))$`, scanner.High, "all commands, tools or file changes run without confirmation"),
}
