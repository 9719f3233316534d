package instructions

import (
	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/scanner"
)

var ToolCall = scanner.Rule{
	ID:         "inj-tool-call",
	Category:   "hidden_instructions",
	Title:      "Data tells the model to call a tool",
	Why:        "One server's result makes the agent act through another server: a confused deputy attack on any agent with several tools.",
	Fix:        "Do not let an agent act on the text. Find out who wrote it.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "Data has no reason to mention the agent's tools. In definitions, which document tools, this wording is low.",
	Refs:       []string{"OWASP-MCP:MCP06", "OWASP-LLM:LLM01", "ATLAS:AML.T0053", "CWE-1427"},
	Patterns: []scanner.Pattern{
		{
			Name: "agent_should",
			Expr: `\b(the\s+)?((ai|llm|language)\s+(agent|assistant|model)|agent|assistant|ai|llm)\s+(should|must|shall|needs?\s+to|has\s+to|` +
				`is\s+required\s+to)\s+(\w+\s+){0,3}?((call|invoke|execute|forward|delete|transfer)\b|` +
				`(use|run|send|open|read)\s+(\w+\s+){0,4}?(tool|function|command|api|file|e-?mail|message|transaction)\b)`,
			Anchors: clause.Combine([]string{"agent", "assistant", "ai", "model", "llm"}, []string{" "}, []string{"should", "must", "shall", "need", "has to", "is required"}),
		},
		{
			Name: "must_now_call",
			Expr: `\b(you\s+must|must|you\s+should|you\s+(have|need)\s+to|please|immediately)\s+(now\s+|immediately\s+|next\s+|first\s+)*(call|` +
				`invoke)\s+(the\s+)?([a-z]+_\w+|[` + "`" + `'"][\w.-]+[` + "`" + `'"]|[\w.-]+\s+(tool|` +
				`function))\b|\bby\s+(calling|invoking|using)\s+(the\s+)?[` + "`" + `'"]?[a-z]+_[a-z_]+[` + "`" + `'"]?(\s+(tool|function))?\s+with\b`,
			Anchors: []string{"call ", "invoke ", "calling ", "invoking ", "using "},
		},
		{
			Name: "call_what_acts",
			Expr: `\b(call|use|invoke|run)\s+(the\s+)?[` + "`" + `'"]?(delete|transfer|send|update|remove|pay|export|reset|grant|invite|share|forward|post|move|book|` +
				`reserve|create|wipe|drop|merge)_\w+[` + "`" + `'"]?(\s+(tool|` +
				`function))?\s+(with|on|to|for|right|now|immediately|using|and)\b`,
			Anchors: clause.Combine([]string{"delete", "transfer", "send", "update", "remove", "pay", "export", "reset", "grant", "invite", "share", "forward", "post", "move", "book", "reserve", "create", "wipe", "drop", "merge"}, []string{"_"}),
		},
		{
			Name: "run_this_command",
			Expr: `\b(execute|run)\s+(the\s+following|this)\s+(\w+\s+){0,2}(command|script|code)\s+(immediately|now|by|first)\b|` +
				`\byou\s+now\s+have\s+(full\s+)?(admin\w*|elevated|root|unrestricted)\b|\[?\s*action\s+required\s*\]?\s*:\s*(immediately|you\s+must|please)\b|` +
				`\b(bash|shell|terminal|command)\s+tool\s+(and|to)\s+(run|execute)\b`,
			Anchors: []string{"execute the following", "run the following", "execute this", "run this", "you now have", "action required", "bash tool", "shell tool", "terminal tool", "command tool"},
		},
	},
	Text: clause.JudgeOrders(
		clause.Order{Severity: scanner.Low, Data: scanner.High, Message: toolCallMessage, Signals: toolCallSignals, Unless: nil},
		clause.Order{Severity: scanner.Low, Data: scanner.High, Message: toolCallMessage, Signals: toolCallSignals, Unless: remedy},
		clause.Order{Severity: scanner.Low, Data: scanner.High, Message: toolCallMessage, Signals: toolCallSignals, Unless: nil},
		clause.Order{Severity: scanner.Medium, Data: scanner.High, Message: toolCallMessage, Signals: toolCallSignals, Unless: nil},
	),
}

const toolCallMessage = "tells the model to call a tool or run something"

var toolCallSignals = []string{"the text tells the model or its reader to act", "a tool or a command"}

// remedy reports whether the match is a call that legitimate errors ask for: to log in, to repeat
// the call, or to call another tool of the server first.
func remedy(t []byte, start, end int) bool {
	from, to := clause.Sentence(t, start, end)
	return logIn.Match(t[start:end]) || mended.Match(t[from:to]) && !riskyAct.Match(t[from:to])
}

// mended matches the wording of such an error.
var mended = lazyregexp.New(`\b(again|before\s+(using|calling|you\s+can)|missing|not\s+(yet\s+)?(initiali[sz]ed|authenticated|authori[sz]ed|connected|found))\b`)

// logIn matches the call of a tool that opens a session.
var logIn = lazyregexp.New(`[\s"'` + "`" + `](log_?in|sign_?in|auth(enticate)?|connect|init(iali[sz]e)?|` +
	`(open|start|create)_session)(_(user|session|server|client|account|database|db))?["'` + "`" + `]?(\s+(tool|function))?$`)
