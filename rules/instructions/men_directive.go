package instructions

import "github.com/mcpscan/mcpscan/scanner"

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
