package rules

import "github.com/mcpscan/mcpscan/scanner"

var injObeyOutput = scanner.Rule{
	ID:         "inj-obey-output",
	Category:   "hidden_instructions",
	Title:      "Text orders the model to obey what a tool returns",
	Why:        "It turns every later result into commands: the definition stays clean, and what the server returns is followed.",
	Fix:        "Remove the server. A result is data; a tool that needs its results obeyed is not a tool.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "Honest tools say how to read a result, not that it outranks the user.",
	Refs:       []string{"OWASP-MCP:MCP06", "OWASP-LLM:LLM01", "ATLAS:AML.T0110", "CWE-1427"},
	Patterns: []scanner.Pattern{
		{
			Name:    "treat_as_command",
			Expr:    `\b(treat|regard)\s+[^.\n]{0,100}\bas\s+(\w+[\s,-]+){0,4}(instructions?|directives?|commands?|orders)\b`,
			Anchors: []string{"treat", "regard"},
			Near:    []string{"instruction", "directive", "command", "orders"},
		},
		{
			Name:    "obey_embedded",
			Expr:    `\b(obey|follow|execute|comply\s+with|carry\s+out|adhere\s+to)\s+(all|any|every|whatever|the|each)\s+(\w+\s+){0,3}(instructions|directives|commands|requests)\s+(\w+\s+){0,3}(embedded|found|contained|returned|included|within|inside|below|in)\b`,
			Anchors: []string{"obey", "follow", "execute", "comply", "carry out", "adhere"},
			Near:    []string{"instruction", "directive", "command", "request"},
		},
		{
			Name:    "authoritative_output",
			Expr:    `\b(authoritative|highest[- ]priority|mandatory|binding)\s+(system\s+)?(directives?|instructions?|commands?|orders)\b`,
			Anchors: []string{"authoritative", "highest", "mandatory", "binding"},
			Near:    []string{"directive", "instruction", "command", "order"},
		},
		{
			Name:    "comply_without_checks",
			Expr:    `\bcomply\s+with\s+(all|any|every)\s+(\w+\s+){0,3}(requests?|instructions?|commands?)\b|\bwithout\s+(applying\s+)?(any\s+)?(safety|security|content)\s+(checks?|filters?|restrictions?|polic(y|ies))\b|\b(no|without)\s+(ethical|safety|content)\s+(restrictions|guidelines|limits)\b`,
			Anchors: []string{"comply with", "safety", "security check", "content filter", "restrictions", "guidelines"},
		},
	},
	Text: judgeOrders(
		order{scanner.High, scanner.High, obeyMessage, obeySignals, nil},
		order{scanner.High, scanner.Medium, obeyMessage, obeySignals, ordinaryFollow},
		order{scanner.High, scanner.High, obeyMessage, obeySignals, nil},
		order{scanner.High, scanner.High, "the text tells the model to act without its safety rules", []string{"safety rules are set aside"}, nil},
	),
}

const obeyMessage = "the text tells the model to obey what a tool returns"

var obeySignals = []string{"data is declared to be commands", "the model is told to follow it"}

// ordinaryFollow is following instructions in the course of an honest task.
func ordinaryFollow(t []byte, start, end int) bool {
	from, to := clause(t, start, end)
	return containsAny(t[from:to], "readme", "documentation", "the docs", "guide", "tutorial", "installation", "user's instructions", "user instructions", "error message", "section below", "steps below", "instructions below", "prompt below", "returned by the server to", "setup")
}
