package instructions

import "github.com/mcpscan/mcpscan/scanner"

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
