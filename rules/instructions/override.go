package instructions

import (
	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/sense"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var Override = scanner.Rule{
	ID:         "inj-override",
	Category:   "hidden_instructions",
	Title:      "Text tells the model to ignore its instructions",
	Why:        "A model that complies ignores the system prompt and the user, and follows the author of the text instead.",
	Fix:        "Do not let a model read the text. Remove the server, or report the text to its author.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "No legitimate tool or data needs a model to forget its instructions. Quoted, negated and defensive wording is not reported here; men-directive reports some of it.",
	Refs:       []string{"OWASP-MCP:MCP06", "OWASP-LLM:LLM01", "ATLAS:AML.T0051.001", "CWE-1427"},
	Patterns: []scanner.Pattern{
		{
			Name:    "drop_instructions",
			Expr:    `\b` + clause.DropVerbs + `(\s+[\w'’-]+){0,5}?\s+` + clause.InstructionQualifiers + `(\s+(or|and)\s+\w+)?(\s+[\w'’-]+){0,2}?\s+` + clause.Instructions + `\b`,
			Anchors: []string{"ignor", "disregard", "forget", "overrid", "bypass", "discard", "supersed", "replac", "neglect", "set aside", "no attention"},
		},
		{
			Name: "drop_all_instructions",
			Expr: `\b(ignore|disregard|forget)\s+(about\s+)?(all|any|every|everything|the|these|those|and|your|my|of|said|told|were|was|you|have|been|so|far|` +
				`\s)+(instructions?|(safety|security)\s+\w+|guidelines|(above|before|previous(ly)?|prior|earlier|` +
				`preceding)(\s+(instructions?|prompts?|messages?|text|context|data))?)\b`,
			Anchors: []string{"ignore", "disregard", "forget"},
		},
		{
			Name: "drop_the_rest",
			Expr: `\b(ignore|disregard)\s+all\s+(the\s+)?(other\s+)?(info\w*|data|text|content)\s+(except|but)\b|` +
				`\b(override|bypass|skip|ignore)\s+(the\s+|all\s+)?(manual|human|standard|normal|automated)\s+(scoring|reviews?|evaluation|screening|moderation|` +
				`checks?|assessment)\b|` +
				`\b(ignore|disregard|pay\s+no\s+attention\s+to|forget)\s+(about\s+)?(the\s+)?(rest|remainder|contents?)\s+of\s+(this|the)\s+(article|page|` +
				`document|text|e?-?mail|message|file|issue|ticket|website|post)\b[^.\n]{0,20}?\b(and|instead|but)\b|` +
				`\bignore\s+(all\s+)?(the\s+)?(rest|remainder|remaining|other\s+(data|text|content)|everything\s+else|anything\s+else|negative|positive|` +
				`all\s+(negative|positive))(\s+(of|indicators?|aspects|text|content|data|information))*\b`,
			Anchors: []string{"ignore ", "disregard all", "disregard the", "forget the", "forget about the",
				"no attention to the", "override manual", "override human", "override the ", "override standard",
				"override automated", "bypass ", "skip "},
		},
		{
			Name: "drop_the_request",
			Expr: `\b(forget|ignore|disregard)\s+what\s+the\s+user\s+(asked|said|wants|requested)\b|` +
				`\b(your\s+(\w+\s+)?(rules|instructions|guidance|guidelines|orders)|(all\s+)?(previous|prior)\s+(instructions|guidance))\s+(\w+\s+){0,2}?(are|is|` +
				`have\s+been|has\s+been)\s+(\w+\s+)?(void|superseded|replaced|cancel\w+|revoked|lifted|suspended)\b|` +
				`\b(safety|content)\s+(filters?|rules|polic(y|ies)|guidelines|restrictions|guardrails|checks)\s+(are|is|have\s+been|` +
				`has\s+been)\s+(\w+\s+){0,2}?(void|lifted|suspended|disabled|off|waived|deactivated|revoked)\b|` +
				`\b(text|message|comment|document|file|page)\s+(\w+\s+){0,4}outranks\b|` +
				`\bhas\s+been\s+(told|asked|instructed)\s+to\s+(\w+\s+){1,6}is\s+(hereby\s+)?(replaced|superseded|void|cancel\w+)\b|` +
				`\b(ignore|disregard|abandon)\s+(the\s+)?(user['’]?s?|human['’]?s?)\s+((actual|original|real|current|initial)\s+)?(request|task|question|query|` +
				`goal|prompt|message|intent)\b`,
			Anchors: []string{"ignore", "disregard", "abandon", "forget what", "outranks", "void", "disabled",
				"off", "waived", "deactivated", "superseded", "replaced", "cancel", "revoked", "lifted",
				"suspended"},
		},
		{
			Name:    "system_override",
			Expr:    `\b(system|safety|admin|security)\s*:?\s*override\b|\boverride\s+(code|mode|sequence)\b`,
			Anchors: []string{"override"},
		},
		{
			Name: "new_instructions",
			Expr: `\b(your\s+(new|real|actual|updated|true)\s+(instructions?|task|goal|objective|role|mission)|the\s+(real|actual)\s+instructions?)\s+(is|are)\b|` +
				`\bnew\s+(system\s+)?(instructions?|directive|system\s+message|system\s+prompt)\s*:`,
			Anchors: clause.Combine([]string{"new", "real", "actual", "updated", "true"}, []string{" "}, []string{"instruction", "task", "goal", "objective", "role", "mission", "directive", "system"}),
		},
	},
	Definition: sense.Check(&sense.OverridesInstructions),
	Text: clause.JudgeOrders(
		clause.Order{Severity: scanner.High, Data: scanner.High, Message: sense.DropMessage, Signals: dropSignals, Unless: ordinaryDrop},
		clause.Order{Severity: scanner.High, Data: scanner.High, Message: sense.DropMessage, Signals: dropSignals, Unless: reportedDrop},
		clause.Order{Severity: scanner.High, Data: scanner.High, Message: "tells the model to ignore other text", Signals: dropSignals, Unless: nil},
		clause.Order{Severity: scanner.Critical, Data: scanner.High, Message: "tells the model to ignore the user's request", Signals: dropSignals, Unless: nil},
		clause.Order{Severity: scanner.High, Data: scanner.High, Message: "claims to override the system", Signals: []string{"a claim of authority"}, Unless: ordinaryDrop},
		clause.Order{Severity: scanner.High, Data: scanner.High, Message: "gives the model new instructions", Signals: []string{"a claim of authority"}, Unless: nil},
	),
}

var dropSignals = []string{"an imperative to ignore or replace earlier instructions", "not negated, quoted or described"}

// ordinarilyDropped matches what programs ignore or override in normal operation.
var ordinarilyDropped = text.LazyExpr(`\b(security\s+group|firewall|branch|routing|default|existing\s+rules|queue|cache|style|lint|eslint|gitignore|css|switch|` +
	`button|config(uration)?|template\s+prompts?|prompt\s+templates?|retention|bucket|iam|network)\b`)

func ordinaryDrop(t []byte, start, end int) bool {
	if reportedDrop(t, start, end) {
		return true
	}
	from, to := clause.Around(t, start, end)
	return ordinarilyDropped.Match(t[from:to]) && !toModels.Match(t[start:end])
}

// reportedDrop reports whether the match does not tell the reader to ignore its instructions:
// someone else ignores something, something other than instructions is ignored, the author refers
// to their own earlier text, or the text advises against obeying data.
func reportedDrop(t []byte, start, end int) bool {
	from, to := clause.Around(t, start, end)
	return ownMessage.Match(t[start:end]) || othersDrop.Match(t[start:end]) && !clause.AddressesReader(t[from:start]) || droppedByOthers.Match(t[from:start]) || dropsOther.Match(t[end:to]) ||
		toldByData.Match(t[end:to]) && !givenEarlier.Match(t[start:end])
}

var (
	// toModels matches references to earlier instructions, which only the model can have
	// received.
	toModels = text.LazyExpr(`\b(previous(ly)?|prior|above|earlier|preceding)\b.*\b(instructions?|prompts?|directives?)$`)
	// ownMessage, othersDrop, droppedByOthers and dropsOther match the cases of reportedDrop.
	ownMessage      = lazyregexp.New(`\bmy\s+(\w+\s+)?(messages?|texts?|notes?|comments?|posts?|requests?|questions?)$`)
	othersDrop      = lazyregexp.New(`^(ignores|disregards|forgets|overrides|bypasses|discards|supersedes|replaces|neglects)\b`)
	droppedByOthers = lazyregexp.New(`\b(they|we|it|users?|admins?|models?|terms|assistants?|attackers?|who|which|let\s+\w+)\s+((can|could|may|might|would|will)\s+)?$`)
	dropsOther      = lazyregexp.New(`^\s*(e-?mails?|mails?|answers?|attempts?|outputs?|values?|commits?|comments?|posts?|repl(y|ies)|reviews?|steps?|questions?|` +
		`versions?|letters?|invoices?|reminders?|releases?|(about|regarding|concerning)\s+(the|our|my|your)\s)`)
	toldByData = lazyregexp.New(`^\s*(inside|contained|embedded|within|found|(that\s+)?it\s+contains|` +
		`(in|from)\s+(it|them|(the|this|that|these)\s+(\w+\s+)?(itself|contract|documents?|text|pages?|e?-?mails?|messages?|contents?|files?|data|` +
		`results?|tool|outputs?|website|article|comments?)))\b`)
	givenEarlier = lazyregexp.New(`\b(previous(ly)?|prior|above|earlier|preceding|system|your)\b`)
)
