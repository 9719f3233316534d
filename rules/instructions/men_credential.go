package instructions

import "github.com/mcpscan/mcpscan/scanner"

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
