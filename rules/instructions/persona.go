package instructions

import (
	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/scanner"
)

var Persona = scanner.Rule{
	ID:         "inj-persona",
	Category:   "hidden_instructions",
	Title:      "Text gives the model a different identity",
	Why:        "A model that adopts a persona also adopts its rules. This is a common way to bypass the model's restrictions.",
	Fix:        "Remove the server, unless it offers role play and the user asked for it.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "A tool has no legitimate reason to give the model a different identity. Templates that users select are not reported.",
	Refs:       []string{"OWASP-MCP:MCP06", "OWASP-LLM:LLM01", "ATLAS:AML.T0051.001", "CWE-1427"},
	Patterns: []scanner.Pattern{
		{
			Name: "adopt_persona",
			Expr: `\b` + clause.TheModel + `\s+(must|should|will|shall|has\s+to|needs?\s+to|is\s+to)\s+(\w+\s+){0,2}(adopt|assume|take\s+on|embody|become)\s+(the|a|an|` +
				`this)?\s*(\w+\s+){0,2}(persona|identity|character|role|personality)\b`,
			Anchors: []string{"persona", "identity", "character", "role"},
		},
		{
			Name: "you_are_now",
			Expr: `\byou\s+are\s+(now\s+|no\s+longer\s+)?(in\s+|an?\s+|the\s+|acting\s+)?(\w+,?\s+){0,3}?((developer|god|dan|jailbreak|debug|maintenance|` +
				`unrestricted|admin|sudo|evil|root|override)\s+mode|dan\b|unrestricted|jailbroken|unfiltered|uncensored|evil|hacker|` +
				`free\s+(from|of)\s+(all|any|your|the)|bound\s+(by|to)|without\s+(rules|restrictions|limits))\b|` +
				`\b(dan|jailbreak|unrestricted)\s+mode\s+(is\s+)?(now\s+)?(enabled|activated|on|active)\b|` +
				`\b(enter(ing)?|switch\s+to|activate)\s+(dan|jailbreak|unrestricted|developer|sudo)\s+mode\s*[.!\n]`,
			Anchors: clause.Wrapped("you are", "dan mode", "jailbreak mode", "unrestricted mode", "developer mode", "sudo mode"),
		},
		{
			Name:    "now_in_charge",
			Expr:    `\byou\s+are\s+(now|no\s+longer)\s+(an?\s+|the\s+)?(\w+\s+){0,2}?(admin(istrator)?|root|superuser|assistant|developer)\b`,
			Anchors: []string{"you are now", "you are no longer"},
		},
		{
			Name: "from_now_on",
			Expr: `\b(from\s+now\s+on|henceforth|for\s+the\s+(rest|remainder)\s+of\s+(this|the)\s+\w+)\W+(you\s+(are|act|speak|will\s+act)|act\s+as|speak\s+as|` +
				`behave\s+as)\b|` +
				`\bact\s+as\s+[^.\n]{1,60}\s+from\s+(here|now)\s+on\b|\bpretend\s+(that\s+)?you\s+(have\s+no|are\s+not|are\s+an?\s+unrestricted)\b|` +
				`\byou\s+act\s+on\s+behalf\s+of\s+the\s+author\b|\byour\s+(new\s+)?(identity|name)\s+(\w+\s+){0,4}is\s+["'“]`,
			Anchors: []string{"from now on", "from here on", "henceforth", "for the rest of", "for the remainder of", "pretend", "on behalf of the author", "your identity", "your name", "your new"},
		},
		{
			Name:    "act_as",
			Expr:    `\b(act|behave|pretend|respond|roleplay)\s+(as|like|to\s+be)\s+(if\s+you\s+(were|are|had)\s+)?(an?\s+|the\s+)?(unrestricted|unfiltered|jailbroken|uncensored|evil|malicious|hacker|dan\b)`,
			Anchors: []string{"act as", "behave as", "behave like", "pretend", "respond as", "act like", "roleplay"},
		},
	},
	Text: clause.JudgeOrders(
		clause.Order{Severity: scanner.Medium, Data: scanner.High, Message: personaMessage, Signals: personaSignals, Unless: accessRole},
		clause.Order{Severity: scanner.High, Data: scanner.High, Message: personaMessage, Signals: personaSignals, Unless: nil},
		clause.Order{Severity: scanner.High, Data: scanner.Low, Message: personaMessage, Signals: personaSignals, Unless: nil},
		clause.Order{Severity: scanner.Medium, Data: scanner.High, Message: personaMessage, Signals: personaSignals, Unless: nil},
		clause.Order{Severity: scanner.High, Data: scanner.High, Message: personaMessage, Signals: personaSignals, Unless: nil},
	),
}

// accessRole reports whether the role is a set of permissions rather than a persona.
func accessRole(t []byte, start, end int) bool {
	from, to := clause.Around(t, start, end)
	return clause.ContainsAny(t[from:to], "iam", "arn", "aws", "role with", "role is", "role before", "role first")
}

const personaMessage = "gives the model another identity or mode"

var personaSignals = []string{"the model is addressed", "another identity"}
