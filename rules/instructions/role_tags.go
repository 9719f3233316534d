package instructions

import (
	"bytes"
	"strings"

	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/scanner"
)

var RoleTags = scanner.Rule{
	ID:         "inj-role-tags",
	Category:   "hidden_instructions",
	Title:      "Text contains forged chat markers",
	Why:        "Chat templates mark each turn as the system's, the user's or the model's. Text with such markers can pose as a turn of any of the three.",
	Fix:        "Remove the markers before a model reads the text, or reject it.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "Chat template tokens have no use inside ordinary text. Markers that are also ordinary words count only if an instruction follows. Documentation about prompts is a known source of false positives.",
	Refs:       []string{"OWASP-MCP:MCP06", "OWASP-LLM:LLM01", "ATLAS:AML.T0051.001", "CWE-1427"},
	Patterns: []scanner.Pattern{
		{
			Name:    "template_token",
			Expr:    templateToken,
			Anchors: templateTokens,
		},
		{
			Name: "forged_system",
			Expr: `(\[\s*(system|admin|assistant)(\s+\w+){0,2}\s*\]|<\s*(system|instruction|admin|assistant)\s*>|` +
				`(^|[\n.!?*#>:]\s*)(system|assistant)(\s+(message|prompt|note|instruction))?\s*:|#{2,}\s*(new\s+)?(system|instruction)\w*(\s+\w+)?|` +
				`\{\{\s*system\b|\[\s*(assistant|system|ai)\s+instructions?\b)[^\n]{0,60}?\b(requires?\s+you\s+to|` +
				`you\s+(must|are\s+(now|no\s+longer|required|allowed|authori[sz]ed|in)|should|will|can|now|have\s+(to|been)|may|need)|` +
				`your\s+(new|only|main|real|task|goal|instructions?|answer|response|job|role)|ignore|disregard|focus|print|output|respond|reply|execute|forget|` +
				`must|override|repeat|provide|never|do\s+not|don['’]t|if\s+(asked|questioned))\b`,
			Anchors: []string{"[system", "[ system", "[admin", "[assistant", "<system", "<instruction",
				"<admin", "<assistant", "system:", "system message", "system prompt:", "assistant:", "## system",
				"##system", "## new system", "{{ system", "{{system", "[ai instruction", "system note",
				"system instruction", "system :", "assistant :", "assistant note", "assistant message",
				"assistant prompt", "assistant instruction", "[ assistant", "## instruction", "## new instruction"},
		},
		{
			Name:    "forged_turn",
			Expr:    `\b(assistant|system)\s*:[^\n]{0,80}\n\s*user\s*:[^\n]{0,200}?\b(thanks|please|could\s+you|can\s+you|repeat|ignore|now|i\s+want\s+you)\b`,
			Anchors: []string{"user:", "user :"},
		},
		{
			Name: "boxed_order",
			Expr: `<\s*(important|hidden|secret|critical|information|system|admin)\s*>[^<]{0,200}?\b(you\s+(must|should|can)|whenever|every|before|first|ignore|` +
				`do\s+not|don['’]t|reads?|send|always|never|make\s+sure|please|steal|exfiltrate|include|call|pass|must|required)\b`,
			Anchors: []string{"<important", "<hidden", "<secret", "<critical", "<information", "<system", "<admin", "< important", "< hidden", "< secret", "< critical", "< system"},
		},
		{
			Name: "template_token_and_order",
			Expr: `(` + templateToken + `|</(tool_result|function_results|tool_response|tool_output|result|output|document|data)>\s*<\w+(\s[^<>]{0,80})?>|` +
				`-{2,}\s*(end|close)\s+of\s+(the\s+|this\s+)?(tool\s+)?(output|result|response|document|content|data|context|file|page|mail|message)s?\s*-{2,}|` +
				`#{2,}\s*(instruction|response|input)\s*:)\s?[^\n]{0,120}?\b(send|forward|e-?mail|delete|remove|transfer|grant|export|ignore|disregard|reveal|` +
				`print|dump|execute|call|invoke|post|upload|proceed|wipe|confirmed|approved|create|add|read|write|reply|respond|answer|` +
				`you\s+(must|are\s+now|will\s+now|should\s+now|now)|now)\b`,
			Anchors: append([]string{"--end of", "-- end of", "--close of", "-- close of", "</result>",
				"</output>", "</document>", "</data>", "</tool_", "## instruction", "##instruction", "## response:",
				"## input:"}, templateTokens...),
		},
	},
	Text: clause.JudgeOrders(
		clause.Order{Severity: scanner.High, Data: scanner.Medium, Message: "contains chat template tokens", Signals: []string{"chat template tokens"}, Doubt: namesToken},
		clause.Order{Severity: scanner.High, Data: scanner.High, Message: "poses as the system and gives an instruction", Signals: []string{"a system marker", "followed by an instruction"}, Unless: nil},
		clause.Order{Severity: scanner.High, Data: scanner.High, Message: "forges conversation turns", Signals: []string{"a forged model or system turn", "a forged user turn"}, Unless: nil},
		clause.Order{Severity: scanner.High, Data: scanner.High,
			Message: "contains an instruction in a made-up tag",
			Signals: []string{"a tag that emphasises the instruction", "an instruction"}, Unless: nil},
		clause.Order{Severity: scanner.High, Data: scanner.High,
			Message: "forges a conversation turn to give an instruction", Signals: []string{"chat template tokens",
				"followed by an instruction"}, Unless: inManual},
	),
}

// namesToken reports whether the chat template token at start is only mentioned: it is inside a
// sentence and does not start a turn. A turn has more than two words before the next token.
func namesToken(t []byte, start, end int) bool {
	before := bytes.TrimRight(t[max(0, start-tokenReach):start], " \t`'\"([/")
	if len(before) == 0 || strings.IndexByte("\n\r.!?:;>|]", before[len(before)-1]) >= 0 && !bytes.HasSuffix(before, []byte("...")) && !endsInToken(before) {
		return false
	}
	after := t[end:min(len(t), end+tokenReach)]
	if i := bytes.IndexAny(after, "\n\r"); i >= 0 {
		after = after[:i]
	}
	closing := bytes.Contains(t[start:end], []byte("end")) || bytes.Contains(t[start:end], []byte("/"))
	if next := templateTokenExpr.FindIndex(after); next != nil {
		return closing || len(bytes.Fields(after[:next[0]])) <= 2
	}
	return closing && len(bytes.TrimSpace(after)) > 0
}

// endsInToken reports whether t ends in a chat template token.
func endsInToken(t []byte) bool {
	all := templateTokenExpr.FindAllIndex(t, -1)
	return len(all) > 0 && all[len(all)-1][1] == len(t)
}

// tokenReach is the number of bytes inspected on either side of a chat template token.
const tokenReach = 100

var templateTokenExpr = lazyregexp.New(templateToken)

// manualReach is the number of bytes inspected on either side of a match. It is limited because a
// text may have many matches.
const manualReach = 4 << 10

// inManual reports whether a match is in a document that explains templates, recognised by
// headings, links or code fences.
func inManual(t []byte, start, end int) bool {
	t = t[max(0, start-manualReach):min(len(t), end+manualReach)]
	return manualMarkup.Match(t) || bytes.Contains(t, []byte("```"))
}

const templateToken = `(<\|(im_start|im_end|system|user|assistant|start_header_id|end_header_id|eot_id|endoftext)\|>|<<sys>>|\[/?inst\]|<start_of_turn>|` +
	`</?system-reminder>|</tool_result>|</function_results>)`

// templateTokens lists literals. Every match of templateToken contains one of them.
var templateTokens = []string{"<|", "<<sys>>", "[inst]", "[/inst]", "<start_of_turn>", "system-reminder>", "</tool_result>", "</function_results>"}
