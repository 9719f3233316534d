package instructions

import "github.com/mcpscan/mcpscan/scanner"

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
