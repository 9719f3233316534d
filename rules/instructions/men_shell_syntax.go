package instructions

import (
	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/scanner"
)

var MentionedShellSyntax = scanner.Rule{
	ID:         "men-shell-syntax",
	Category:   "shell_injection",
	Title:      "Text chains shell commands",
	Why:        "Chained commands in a definition or default value can end up in a shell.",
	Fix:        "Check that the tool runs commands on purpose, and that it quotes its input.",
	Severity:   scanner.Note,
	Confidence: scanner.ConfidenceLow,
	Basis:      "A mention is not necessarily an instruction. Separators alone occur in all code, so a command word must follow.",
	Refs:       []string{"OWASP-MCP:MCP05", "CWE-78"},
	Patterns: []scanner.Pattern{
		{Name: "chained_command", Expr: `(;|&&|\|)\s*(rm\s|curl\s|wget\s|bash\b|sh\s+-c|chmod\s|nc\s+-|python[0-9.]*\s+-c)`,
			Anchors: clause.Combine([]string{";", "&&", "|"}, []string{"", " ", "\n"}, clause.Wrapped("rm ", "curl ", "wget ", "bash", "sh -c", "chmod ", "nc -", "python"))},
		{Name: "cmd_substitution", Expr: `\$\(\s*(curl|cat|wget|whoami|id|env|printenv|base64)\b`, Anchors: []string{"$("}},
		{Name: "backtick_exec", Expr: "`\\s*(curl|wget|whoami|printenv|rm\\s+-)[^`\\n]*`", Anchors: []string{"`curl", "`wget", "`whoami", "`printenv", "`rm "}},
	},
	Text: mention(scanner.Note, "chains shell commands"),
}
