package instructions

import (
	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/scanner"
)

var ForcedPreference = scanner.Rule{
	ID:         "inj-forced-preference",
	Category:   "tool_shadowing",
	Title:      "Text tells the model to prefer one tool to all others",
	Why:        "A model that chooses tools by their descriptions tends to pick the one that praises itself most, and that tool's server sees the data.",
	Fix:        "Ask the author for a description of what the tool does. Compare it with the tools that it tries to displace.",
	Severity:   scanner.Medium,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "Preference manipulation (MPMA) works with superlatives alone. Legitimate servers recommend their own tools for a purpose, so the rule reports only text that praises a tool above all others or claims precedence over them.",
	Refs:       []string{"OWASP-MCP:MCP03", "ATLAS:AML.T0111", "CWE-345"},
	Patterns: []scanner.Pattern{
		{
			Name: "superlative",
			Expr: `\b(best|greatest|most\s+(reliable|accurate|powerful|trusted|trustworthy|secure|advanced)|` +
				`only\s+(safe|correct|trusted|reliable))\s+(\w+\s+){0,2}?(tool|server|function|service|choice|option|plugin)\s+(in\s+the\s+world|ever|` +
				`available\s+anywhere|of\s+all|on\s+earth|you\s+can\s+(use|find)|that\s+exists|there\s+is)\b`,
			Anchors: clause.Combine([]string{"tool ", "server ", "function ", "service ", "choice ", "option ",
				"plugin "}, []string{"in the world", "ever", "available anywhere", "of all", "on earth", "you can",
				"that exists", "there is"}),
		},
		{
			Name: "above_all_others",
			Expr: `\b(always\s+|only\s+)?(prefer|choose|use|select|call|favou?r|prioriti[sz]e)\s+(this|` +
				`our)(\s+(\w+\s+)?(tool|server|function|service|one))?\s+(\w+\s+){0,3}?(over|above|instead\s+of|rather\s+than|regardless\s+of)\s+(all|any|` +
				`every)\s+(other|others|else|competing|similar|alternatives?)\b|` +
				`\b(all|any|every)\s+(other|competing|similar|alternative)\s+(\w+\s+)?tools?\s+(\w+\s+){0,2}(are|is)\s+(outdated|deprecated|broken|unsafe|` +
				`insecure|unreliable|inferior|obsolete)\b`,
			Anchors: append(
				clause.Wrapped(clause.Combine([]string{"prefer", "choose", "use", "select", "call", "favor", "favour", "prioritise", "prioritize"}, []string{" this", " our"})...),
				clause.Wrapped(clause.Combine([]string{"all", "any", "every"}, []string{" other", " competing", " similar", " alternative"})...)...),
		},
	},
	Text: clause.JudgeOrders(
		clause.Order{Severity: scanner.Medium, Data: scanner.Low, Message: preferenceMessage, Signals: preferenceSignals, Unless: nil},
		clause.Order{Severity: scanner.Medium, Data: scanner.Low, Message: preferenceMessage, Signals: preferenceSignals, Unless: nil},
	),
}

const preferenceMessage = "tells the model to prefer one tool to all others"

var preferenceSignals = []string{"praise or precedence", "over all others"}
