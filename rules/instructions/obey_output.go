package instructions

import (
	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/sense"
	"github.com/mcpscan/mcpscan/scanner"
)

var ObeyOutput = scanner.Rule{
	ID:         "inj-obey-output",
	Category:   "hidden_instructions",
	Title:      "Text tells the model to obey tool output",
	Why:        "Every later result becomes a command: the definition itself contains no harmful command, but the model follows whatever the server returns.",
	Fix:        "Remove the server. Tool output is data; a legitimate tool does not ask the model to obey it.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "Legitimate tools explain how to read a result; they do not claim that it outranks the user.",
	Refs:       []string{"OWASP-MCP:MCP06", "OWASP-LLM:LLM01", "ATLAS:AML.T0110", "CWE-1427"},
	Patterns: []scanner.Pattern{
		{
			Name: "treat_as_command",
			Expr: `\b(treat|regard|interpret|consider)\s+(it|them|this|(the|its|any|all|every\w*|whatever)(\s+\w+){0,4}?\s+(outputs?|results?|responses?|reply|` +
				`replies|texts?|contents?|messages?|returned|data|returns))(\s+\w+){0,6}?\s+(as|to\s+be)\s+(\w+[\s,-]+){0,4}?(instructions?|directives?|commands?|` +
				`orders)\b`,
			Anchors: []string{"treat ", "regard ", "interpret ", "consider "},
		},
		{
			Name: "obey_embedded",
			Expr: `\b(obey|follow|execute|comply\s+with|carry\s+out|adhere\s+to|adopt)\s+(all|any|every|whatever|the|each)\s+(\w+\s+){0,3}(instructions?|` +
				`directives?|commands?|requests?|persona|identity)\s+(\w+\s+){0,3}?(embedded|found|contained|returned|included|given|provided|within|inside|in|by|` +
				`from)\s[^.\n]{0,40}?\b(outputs?|results?|response|reply|contents?|page|webpage|documents?|files?|e-?mails?|text|messages?|data|tool|image|issue|` +
				`comments?)\b`,
			Anchors: []string{"obey", "follow", "execute", "comply", "carry out", "adhere", "adopt "},
		},
		{
			Name:    "authoritative_output",
			Expr:    `\b(is|are|as|be)\s+(an?\s+|the\s+|your\s+)?(authoritative|highest[- ]priority|mandatory|binding)\s+(system\s+)?(directives?|instructions?|commands?|orders)\b`,
			Anchors: []string{"authoritative", "highest", "mandatory", "binding"},
		},
		{
			Name: "comply_without_checks",
			Expr: `\byou\s+(\w+\s+){0,3}comply\s+with\s+(all|any|every)\s+(\w+\s+){0,3}(requests?|instructions?|commands?)\b|` +
				`\bwithout\s+(applying\s+)?(any\s+)?(safety|security|content)\s+(checks?|filters?|restrictions?|polic(y|ies))\b|` +
				`\b(no|without)\s+(ethical|safety|content)\s+(restrictions|guidelines|limits|filters?)\b`,
			Anchors: []string{"comply with", "safety", "security check", "security filter", "content filter",
				"content restriction", "content polic", "content limit", "security polic", "restrictions",
				"guidelines", "ethical"},
		},
	},
	Definition: sense.Check(&sense.ObeysOutput),
	Text: clause.JudgeOrders(
		clause.Order{Severity: scanner.High, Data: scanner.High, Message: obeyMessage, Signals: obeySignals, Unless: asData},
		clause.Order{Severity: scanner.High, Data: scanner.Medium, Message: obeyMessage, Signals: obeySignals, Unless: ordinaryFollow},
		clause.Order{Severity: scanner.High, Data: scanner.High, Message: obeyMessage, Signals: obeySignals, Unless: nil},
		clause.Order{Severity: scanner.High, Data: scanner.High, Message: "tells the model to ignore its safety rules", Signals: []string{"disables safety rules"}, Unless: notTold},
	),
}

const obeyMessage = "tells the model to obey tool output"

var obeySignals = []string{"declares data to be commands", "tells the model to follow the data"}

// asData reports whether the text is in fact a warning not to follow instructions in data.
func asData(t []byte, start, end int) bool {
	return clause.ContainsAny(t[start:end], "untrusted", "rather than", "instead of", "pose", "separate")
}

// notTold reports whether the text describes a mode of the tool and does not address the model.
func notTold(t []byte, start, end int) bool {
	from, to := clause.Around(t, start, end)
	return !speaksToModel.Match(t[from:to])
}

var speaksToModel = lazyregexp.New(`\b(you|your|respond|reply|answer|comply|obey|always|act)\b`)

// ordinaryFollow reports whether the clause is about following legitimate instructions, such as a
// guide.
func ordinaryFollow(t []byte, start, end int) bool {
	from, to := clause.Around(t, start, end)
	return clause.ContainsAny(t[from:to], "readme", "documentation", "the docs", "guide", "tutorial",
		"installation", "user's instructions", "user instructions", "error message", "section below", "steps below",
		"instructions below", "prompt below", "returned by the server to", "review instructions", "setup")
}
