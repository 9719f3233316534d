package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/capability"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/mcp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/paths"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// startFiles matches files, except agents' files, that control what shells, schedulers, services,
// version control and remote logins run.
const startFiles = `(\.(bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zprofile|zshenv|zlogin|kshrc|cshrc|tcshrc|envrc|gitconfig|xprofile|` +
	`xinitrc)|config\.fish|[\w.]*profile\.ps1` +
	`|\.ssh/(authorized_keys2?|config|rc)|authorized_keys2?|\.git/(hooks/[^/]+|config)|\.husky/[^/]+|` +
	`etc/(cron[^/]*|profile\.d|sudoers\.d|init\.d)/[^/]+|etc/(crontab|profile|sudoers|environment|rc\.local|ld\.so\.preload|bash\.bashrc|zshrc)` +
	`|var/spool/cron/.+|systemd/(user|system)/[^/]+|launch(agents|daemons)/[^/]+|autostart/[^/]+\.desktop|programs/startup/[^/]+)`

// agentSettings matches agents' files that paths.AgentFiles does not match.
const agentSettings = `((cline_)?mcp_(config|settings)\.json|\.claude\.json|\.(amazonq|aws/amazonq|kiro|roo|continue|zed|config/zed|config/opencode)/.*\.(json|ya?ml|` +
	`toml)|(code|cursor|windsurf)/user/(settings|mcp|tasks)\.json|claude\.local\.md|\.roorules|copilot-instructions\.md)`

var (
	obeyedFile = lazyregexp.New(`(^|/)(` + paths.AgentFiles + `|` + agentSettings + `|` + startFiles + `)$`)
	// rulesFile matches files that contain text for a model, but no commands.
	rulesFile = lazyregexp.New(`(^|/)(claude(\.local)?\.md|agents\.md|gemini\.md|copilot-instructions\.md|\.(cursor|windsurf|cline|roo)rules|\.goosehints|` +
		`\.cursor/rules/.*|\.(claude|gemini|codex|windsurf|cursor)/.*\.mdc?)$`)
	// offeredFile matches files whose content takes effect only if the user accepts it: VS Code asks
	// before it installs a recommended extension, and inserts a snippet that the user selects.
	offeredFile = lazyregexp.New(`(^|/)\.vscode/(extensions\.json|[^/]+\.code-snippets)$`)
	// worktree matches the directories in which agents check out branches of a repository. The
	// files in them are ordinary files of the repository.
	worktree = lazyregexp.New(`^(.*/)?\.(claude|codex|cursor)/worktrees/[^/]+/`)
)

var ConfigWrite = scanner.Rule{
	ID:         "ses-config-write",
	Category:   "policy",
	Title:      "A call writes a file that controls an agent or the machine",
	Why:        "A line in such a file can add a server, an approval or a command that takes effect long after the session (CVE-2025-54135, CVE-2025-53773). Untrusted text that the agent read may have asked for the write.",
	Fix:        "Check the file before you restart the agent or a shell, and find out what caused the call. Do not give servers that write files access to these locations.",
	Severity:   scanner.Critical,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The tool's definition or name says that it writes, or the call passes text along with the path; the path names a known configuration or startup file. Agents also write rule files for a model, such as CLAUDE.md, for legitimate reasons, so calls that write these are rated high instead of critical. VS Code's recommended extensions and snippets are rated medium, because the user has to accept them.",
	Refs:       []string{"OWASP-MCP:MCP02", "OWASP-LLM:LLM06", "ATLAS:AML.T0081", "CWE-15"},
	Arguments:  true,
	On:         mcp.OnCall,
	Judge: func(p *scanner.JudgePass) {
		c := p.Call()
		if c == nil || c.Category != capability.Write && c.Category != capability.Unknown {
			return
		}
		for i := range p.Message.Arguments {
			a := &p.Message.Arguments[i]
			severity, is := obeyed(a)
			if !is || !writesFiles(c, p.Message.Arguments) {
				continue
			}
			p.Report(scanner.JudgeIssue{Severity: severity, Subject: mcp.CallSubject, Name: p.Message.Target, Pointer: a.Pointer,
				Message:  fmt.Sprintf("%s of server %s writes a file that controls an agent or the machine", text.QuoteName(p.Message.Target), text.QuoteName(p.Server.ID)),
				Evidence: a.Text, Key: a.Text, Offset: a.Offset})
		}
	},
}

// writesFiles reports whether a call writes a file: its tool is known to write, or has an unknown
// category and takes text. An argument may select the action of a general-purpose tool; if that
// action only reads, the call does not write.
func writesFiles(c *scanner.Call, args []scanner.Argument) bool {
	writes := c.Category == capability.Write
	for i := range args {
		name := ownName(&args[i])
		if names.HasWord(name, actWords) && lookWords[strings.ToLower(args[i].Text)] {
			return false
		}
		writes = writes || c.Category == capability.Unknown && names.HasWord(name, paths.TextArguments)
	}
	return writes
}

// actWords are names of the argument that selects a general-purpose tool's action, and lookWords
// are the argument's values for reading.
var (
	actWords  = names.Set(`command action operation op mode method`)
	lookWords = names.Set(`view read open get list ls cat show stat exists search find head tail r rb`)
)

// obeyed reports whether an argument is the path of a file from which a machine or agent takes
// instructions. The source of a copy does not count, because the call does not write it.
func obeyed(a *scanner.Argument) (scanner.Severity, bool) {
	if !ofCall(a) || len(a.Text) > paths.MaxBytes || !strings.ContainsAny(a.Text, ".%/\\") {
		return 0, false
	}
	path, ok := paths.Parse(a.Text)
	if !ok || !suspect(&path) {
		return 0, false
	}
	if name := ownName(a); names.HasWord(name, paths.TextArguments) || names.HasWord(name, fromWords) {
		return 0, false
	}
	text := strings.TrimRight(path.Text(), " .")
	if m := worktree.FindStringIndex(text); m != nil {
		text = text[m[1]:]
	}
	switch {
	case offeredFile.MatchString(text):
		return scanner.Medium, true
	case !obeyedFile.MatchString(text) && !rulesFile.MatchString(text):
		return 0, false
	case rulesFile.MatchString(text):
		return scanner.High, true
	}
	return scanner.Critical, true
}

// fromWords contains argument names that denote a source file.
var fromWords = names.Set(`source src from origin input`)

// suspect reports whether a path has a component typical of files from which a machine or agent
// takes instructions. The paths of all such files have one, so the regular expressions run on few
// other paths.
func suspect(l *paths.Path) bool {
	for _, part := range l.Parts {
		if part[0] == '.' || obeyedParts[strings.ToLower(part)] {
			return true
		}
	}
	if len(l.Parts) == 0 {
		return false
	}
	base := strings.ToLower(l.Parts[len(l.Parts)-1])
	return slices.ContainsFunc(obeyedWords, func(word string) bool { return strings.Contains(base, word) })
}

var (
	obeyedParts = names.Set(`etc spool systemd launchagents launchdaemons autostart startup user`)
	obeyedWords = []string{"mcp", "claude", "agents.md", "gemini.md", "copilot", "authorized_keys", "profile.ps1", "config.fish", "approv"}
)
