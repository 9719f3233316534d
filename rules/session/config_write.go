package session

import (
	"fmt"
	"strings"

	"github.com/mcpscan/mcpscan/internal/capability"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/paths"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

// startFiles are files beside those of agents that a machine obeys: shells, schedulers,
// services, version control and remote logins read commands from them.
const startFiles = `(\.(bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zprofile|zshenv|zlogin|kshrc|cshrc|tcshrc|envrc|gitconfig|xprofile|xinitrc)|config\.fish|[\w.]*profile\.ps1` +
	`|\.ssh/(authorized_keys2?|config|rc)|authorized_keys2?|\.git/(hooks/[^/]+|config)|\.husky/[^/]+|etc/(cron[^/]*|profile\.d|sudoers\.d|init\.d)/[^/]+|etc/(crontab|profile|sudoers|environment|rc\.local|ld\.so\.preload|bash\.bashrc|zshrc)` +
	`|var/spool/cron/.+|systemd/(user|system)/[^/]+|launch(agents|daemons)/[^/]+|autostart/[^/]+\.desktop|programs/startup/[^/]+)`

// agentSettings are the files of agents that agentFiles has no name for.
const agentSettings = `((cline_)?mcp_(config|settings)\.json|\.claude\.json|\.(amazonq|aws/amazonq|kiro|roo|continue|zed|config/zed|config/opencode)/.*\.(json|ya?ml|toml)|(code|cursor|windsurf)/user/(settings|mcp|tasks)\.json|claude\.local\.md|\.roorules|copilot-instructions\.md)`

var (
	obeyedFile = lazyregexp.New(`(^|/)(` + paths.AgentFiles + `|` + agentSettings + `|` + startFiles + `)$`)
	// rulesFile is one of those that hold words for a model, and no commands.
	rulesFile = lazyregexp.New(`(^|/)(claude(\.local)?\.md|agents\.md|gemini\.md|copilot-instructions\.md|\.(cursor|windsurf|cline|roo)rules|\.goosehints|\.cursor/rules/.*|\.(claude|gemini|codex|windsurf|cursor)/.*\.mdc?)$`)
)

var ConfigWrite = scanner.Rule{
	ID:         "ses-config-write",
	Category:   "policy",
	Title:      "A call writes what an agent or the machine obeys",
	Why:        "Whoever has a line in such a file has a server, an approval or a command that runs from then on, long after the session (CVE-2025-54135, CVE-2025-53773). A text that the agent read can have asked for it.",
	Fix:        "Look at the file before the agent or a shell is started again, and find out what asked for the call. Keep servers that write files out of these places.",
	Severity:   scanner.Critical,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The tool writes, by its definition or its name, or takes a text beside the path; the path is known to be obeyed. Files with rules for a model, such as CLAUDE.md, are written by honest agents as well, and are high.",
	Refs:       []string{"OWASP-MCP:MCP02", "OWASP-LLM:LLM06", "ATLAS:AML.T0081", "CWE-15"},
	Arguments:  true,
	On:         scanner.OnCall,
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
			p.Report(scanner.JudgeIssue{Severity: severity, Subject: scanner.CallSubject, Name: p.Message.Target, Pointer: a.Pointer,
				Message:  fmt.Sprintf("%s of server %s writes a file that an agent or the machine obeys", text.QuoteName(p.Message.Target), text.QuoteName(p.Server.ID)),
				Evidence: a.Text, Key: a.Text, Offset: a.Offset})
		}
	},
}

// writesFiles reports whether a call writes: its tool is known to, or nobody knows what
// it does and it is given a text. A tool for everything says in an argument what it does.
func writesFiles(c *scanner.Call, args []scanner.Argument) bool {
	writes := c.Category == capability.Write
	for i := range args {
		name := ownName(&args[i])
		if paths.HasWord(name, actWords) && lookWords[strings.ToLower(args[i].Text)] {
			return false
		}
		writes = writes || c.Category == capability.Unknown && paths.HasWord(name, paths.TextArguments)
	}
	return writes
}

// actWords name the argument that says what a tool for everything does, and lookWords
// are what it says where nothing is written.
var (
	actWords  = names.Set(`command action operation op mode method`)
	lookWords = names.Set(`view read open get list ls cat show stat exists search find head tail r rb`)
)

// obeyed reports whether an argument is the path of a file that is obeyed. What is
// copied from there is not written.
func obeyed(a *scanner.Argument) (scanner.Severity, bool) {
	if !ofCall(a) || len(a.Text) > paths.MaxBytes || !strings.ContainsAny(a.Text, ".%/\\") {
		return 0, false
	}
	path, ok := paths.Parse(a.Text)
	if !ok || !suspect(&path) {
		return 0, false
	}
	if name := ownName(a); paths.HasWord(name, paths.TextArguments) || paths.HasWord(name, fromWords) {
		return 0, false
	}
	switch text := strings.TrimRight(path.Text(), " ."); {
	case !obeyedFile.MatchString(text) && !rulesFile.MatchString(text):
		return 0, false
	case rulesFile.MatchString(text):
		return scanner.High, true
	}
	return scanner.Critical, true
}

// fromWords name the argument that a file is taken from.
var fromWords = names.Set(`source src from origin input`)

// suspect reports whether a path has a part that all paths of files that are obeyed
// have one of: most paths have none, and are not compared with them.
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
	for _, word := range obeyedWords {
		if strings.Contains(base, word) {
			return true
		}
	}
	return false
}

var (
	obeyedParts = names.Set(`etc spool systemd launchagents launchdaemons autostart startup user`)
	obeyedWords = [...]string{"mcp", "claude", "agents.md", "gemini.md", "copilot", "authorized_keys", "profile.ps1", "config.fish", "approv"}
)
