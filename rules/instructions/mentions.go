package instructions

import (
	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/scanner"
)

// The men-* rules report the patterns of the agentsh design for MCP tool inspection, in its five
// categories, as mentions: the text names something that an attack would need, but may be harmless.
// The inj-* rules decide whether the text is an instruction.

// mention returns the check for a men-* rule. It reports mentions in definitions with the given
// severity, and mentions in results with the next lower severity.
func mention(definition scanner.Severity, message string) func(*scanner.TextPass) {
	return func(p *scanner.TextPass) {
		for _, m := range p.Matches {
			p.Report(scanner.Issue{Start: m.Start, End: m.End, Severity: clause.LowerInResult(p, definition), Message: message})
		}
	}
}

var MentionedDirective = scanner.Rule{
	ID:         "men-directive",
	Category:   "hidden_instructions",
	Title:      "Text uses the wording of a hidden instruction",
	Why:        "Emphasis aimed at a model (IMPORTANT: always …) is common in benign definitions and present in most poisoned ones.",
	Fix:        "Read the sentence and check whether it serves the tool or steers the model elsewhere.",
	Severity:   scanner.Low,
	Confidence: scanner.ConfidenceLow,
	Basis:      "A mention is not necessarily an instruction: about one in ten of the legitimate servers examined uses such emphasis.",
	Refs:       []string{"OWASP-MCP:MCP03", "CWE-1427"},
	Patterns: []scanner.Pattern{
		{Name: "important_suspicious", Expr: `important:\s*(before|first|always|never|must|do\b|copy|send|upload|download|execute|run|delete|remove)`, Anchors: []string{"important:"}},
		{Name: "hidden_directive", Expr: `\bhidden:`, Anchors: []string{"hidden:"}},
		{Name: "secret_directive", Expr: `(^|[^-_a-z0-9"'])secret:\s`, Anchors: []string{"secret:"}},
		{Name: "do_not_show", Expr: `do\s+not\s+show`, Anchors: []string{"not show"}},
		{Name: "ignore_previous", Expr: `ignore\s+previous`, Anchors: []string{"ignore"}},
		{Name: "system_override", Expr: `system\s+override`, Anchors: []string{"override"}},
	},
	Text: mention(scanner.Low, "uses wording typical of hidden instructions"),
}

var MentionedCredential = scanner.Rule{
	ID:         "men-credential",
	Category:   "credential_theft",
	Title:      "Text mentions credentials or credentials files",
	Why:        "A definition that names keys or key files should be checked; most name them because the tool needs them.",
	Fix:        "Check that the tool's purpose explains the mention.",
	Severity:   scanner.Note,
	Confidence: scanner.ConfidenceLow,
	Basis:      "A mention is not necessarily an instruction.",
	Refs:       []string{"OWASP-MCP:MCP01", "CWE-200"},
	Patterns: []scanner.Pattern{
		{Name: "ssh_key", Expr: `~?/?\.ssh/id_`, Anchors: []string{".ssh/id_"}},
		{Name: "ssh_dir", Expr: `~/?\.ssh`, Anchors: []string{"~/.ssh", "~.ssh"}},
		{Name: "env_file", Expr: `(^|[\s"'(/])\.env\b`, Anchors: []string{".env"}},
		{Name: "credentials", Expr: `credentials?\.[a-z]`, Anchors: []string{"credential"}},
		{Name: "api_key", Expr: `api[_-]?key`, Anchors: []string{"apikey", "api_key", "api-key"}},
		{Name: "secret_key", Expr: `secret[_-]?key`, Anchors: []string{"secretkey", "secret_key", "secret-key"}},
		{Name: "access_token", Expr: `access[_-]?token`, Anchors: []string{"accesstoken", "access_token", "access-token"}},
		{Name: "private_key", Expr: `private[_-]?key`, Anchors: []string{"privatekey", "private_key", "private-key"}},
		{Name: "passwd_file", Anchors: []string{"/etc/passwd"}},
		{Name: "shadow_file", Anchors: []string{"/etc/shadow"}},
	},
	Text: mention(scanner.Note, "mentions credentials or a credentials file"),
}

var MentionedExfilCommand = scanner.Rule{
	ID:         "men-exfil-command",
	Category:   "exfiltration",
	Title:      "Text mentions a command that can exfiltrate data",
	Why:        "curl, wget and netcat can send data off a machine; most mentions are ordinary documentation.",
	Fix:        "Check that the tool's purpose explains the command.",
	Severity:   scanner.Note,
	Confidence: scanner.ConfidenceLow,
	Basis:      "A mention is not necessarily an instruction.",
	Refs:       []string{"OWASP-MCP:MCP03", "CWE-200"},
	Patterns: []scanner.Pattern{
		{Name: "curl_upload", Expr: `\bcurl\s+[^\n]*https?://`, Anchors: []string{"curl"}},
		{Name: "wget", Expr: `\bwget\s+`, Anchors: []string{"wget"}},
		{Name: "netcat", Expr: `\bnc\s+-`, Anchors: []string{"nc -"}},
		{Name: "netcat_full", Anchors: []string{"netcat"}},
		{Name: "base64_curl", Expr: `base64[^\n]*\|[^\n]*curl`, Anchors: []string{"base64"}},
		{Name: "pipe_curl", Expr: `\|\s*curl`, Anchors: []string{"curl"}},
	},
	Text: mention(scanner.Note, "mentions a command that can exfiltrate data"),
}

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

var MentionedPathTraversal = scanner.Rule{
	ID:         "men-path-traversal",
	Category:   "path_traversal",
	Title:      "Text names a path outside the tool's directory",
	Why:        "Attackers use such paths to make tools access system directories, but the documentation of file tools contains them too.",
	Fix:        "Check that the tool's purpose explains the path, and that the server rejects path traversal.",
	Severity:   scanner.Note,
	Confidence: scanner.ConfidenceLow,
	Basis:      "A mention is not necessarily an instruction.",
	Refs:       []string{"OWASP-MCP:MCP05", "CWE-22"},
	Patterns: []scanner.Pattern{
		{Name: "dot_dot_traversal", Anchors: []string{"../.."}},
		{Name: "etc_dir", Anchors: []string{"/etc/"}},
		{Name: "root_dir", Expr: `(^|[\s"'(=:])/root/`, Anchors: []string{"/root/"}},
		{Name: "home_hidden", Expr: `/home/[^/\s]+/\.`, Anchors: []string{"/home/"}},
	},
	Text: mention(scanner.Note, "names a path outside the tool's directory"),
}
