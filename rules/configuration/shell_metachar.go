package configuration

import (
	"fmt"

	"github.com/mcpscan/mcpscan/internal/configfile"
	"github.com/mcpscan/mcpscan/internal/entries"
	"github.com/mcpscan/mcpscan/internal/launch"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/scanner"
)

var ShellMetachar = scanner.Rule{
	ID:         "cfg-shell-metachar",
	Category:   "shell_injection",
	Title:      "A command line contains a second command",
	Why:        "Some clients start servers through a shell, which runs text after ; or && or inside $(…) as another command, under the name of an approved server.",
	Fix:        "Remove the second command. A server entry is one program with its arguments; put other commands into a reviewed script.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "Arguments may contain such characters for legitimate reasons, so the rule requires a command after them, or a download that is run.",
	Refs:       []string{"OWASP-MCP:MCP05", "ATLAS:AML.T0050", "CWE-78"},
	Config: func(p *scanner.ConfigPass) {
		entries.EachCommand(p, func(e *configfile.Entry, l *launch.Command) {
			if commandMeta.MatchString(e.Command) && l.Code != launch.InCommand {
				p.Report(e, "/command", scanner.High, "the command contains a second command or a redirection", e.Command)
			}
			for i, arg := range e.Args {
				if message := chained(e.Args, i, l); message != "" {
					p.Report(e, fmt.Sprintf("/args/%d", i), scanner.High, message, arg)
				}
			}
		})
	},
}

// chained describes the problem with an argument, or returns "" if there is none. In shell code, it
// reports only downloads that are executed, because another rule covers chained commands.
func chained(args []string, i int, l *launch.Command) string {
	arg := args[i]
	switch {
	case downloadRun.MatchString(arg):
		return "the argument downloads something and runs it"
	case i == l.Code:
		return ""
	case operator.MatchString(arg) && i+1 < len(args) && (i == 0 || args[i-1] == "" || args[i-1][0] != '-') && programWord.MatchString(args[i+1]):
		return "the argument is a shell operator, followed by a command"
	case secondCommand.MatchString(arg), substitution.MatchString(arg):
		return "the argument contains a shell command"
	}
	return ""
}

// commands detects programs that attackers append to a command line.
const commands = `(?:sudo +)?(?:curl|wget|bash|sh|zsh|nc|ncat|socat|rm|chmod|chown|python3?|node|perl|ruby|php|powershell|pwsh|iwr|iex|eval|exec|base64|certutil|` +
	`bitsadmin|mshta|osascript|cat|env|touch|mkfifo|ssh|scp|crontab|launchctl|open|calc(?:\.exe)?|whoami|id)\b`

var (
	commandMeta   = lazyregexp.New("&&|\\|\\||[;|`\n]|\\$\\(|[<>]\\s*[&/.\\w-]+$")
	operator      = lazyregexp.New(`^(?:&&|\|\||;|\||&|>|>>)$`)
	programWord   = lazyregexp.New(`^(?:` + commands + `|[./~][\w./-]*$)`)
	secondCommand = lazyregexp.New(`(?:&&|\|\||[;|&\n])\s*` + commands + `(?:\s+[-\w/~."'$:]|\s*$)`)
	substitution  = lazyregexp.New("\\$\\(\\s*" + commands + "[^)]*\\)|`\\s*" + commands + "[^`]*`")
	downloadRun   = lazyregexp.New(`(?i)\b(?:curl|wget|iwr|invoke-webrequest|fetch)\b[^|;&\n]*(?:\|\s*(?:sudo\s+)?(?:env\s+)?(?:ba|z|da|k)?sh\b|` +
		`\|\s*(?:python|perl|ruby|node|php)\d?\b|\|\s*iex\b)|` +
		`\b(?:ba|z)?sh\s+-c\s+["']?\$\((?:curl|wget)\b|\b(?:ba|z)?sh\s+<\(\s*(?:curl|wget)\b|\biex\b.{0,40}\b(?:iwr|downloadstring|invoke-webrequest)\b|` +
		`\bbase64\s+(?:-d|--decode|-D)\b[^|]*\|\s*(?:ba|z)?sh\b`)
)
