package instructions

import (
	"slices"
	"strings"

	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/names"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var AgentOrder = scanner.Rule{
	ID:         "inj-agent-order",
	Category:   "hidden_instructions",
	Title:      "Text tells an AI to do something that its user did not request",
	Why:        "Anybody who can write an e-mail, issue or page that an agent reads can make the agent pay, delete, publish or grant access.",
	Fix:        "Do not let the agent act on the text. Find out who wrote it.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "No single word decides. Signals from two adjacent sentences are added: an AI that is addressed or told to act, knowledge of the conversation, an action that a user would want to confirm, a destination, secrecy, pressure. Negation, quotation in an attack report, and text about AI lower the sum. A sum one step below the threshold is medium. In a definition, an action counts only if it goes beyond the tool's purpose, addresses an AI, and comes after the first sentence.",
	Refs:       []string{"OWASP-MCP:MCP06", "OWASP-LLM:LLM01", "ATLAS:AML.T0051.001", "CWE-1427"},
	Patterns:   orderPatterns,
	Text: func(p *scanner.TextPass) {
		cost := 0
		if timesNamed(p.Folded) == aboutAI {
			cost = topicCost
		}
		for at, told := 0, 0; at < len(p.Folded); {
			from, end := clause.Sentence(p.Folded, at, at)
			at = max(end, at+1)
			_, to := clause.Sentence(p.Folded, end, min(end+1, len(p.Folded)))
			if !orderSigns.Match(p.Folded[from:to]) {
				continue
			}
			w := weighOrder(p.Folded, from, to)
			if !p.Spend(w.looks) {
				return
			}
			if w.sum -= cost; !w.order || w.sum < orderMedium || w.start < told || !clause.IsResult(p) && !pastPurpose(p, w) {
				continue
			}
			told = w.end
			severity := scanner.Medium
			if w.sum >= orderHigh {
				severity = clause.InData(p, w.start, w.end, scanner.High)
			}
			p.Report(scanner.Issue{Start: w.start, End: w.end, Severity: severity, Signals: w.signals,
				Message: "tells an AI to do something that its user did not request"})
		}
	},
}

var orderPatterns = []scanner.Pattern{
	{Name: "ai", Expr: `(^|\W)` + clause.AnyAI + `\b`, Anchors: aiAnchors, Once: true},
	{Name: "conversation", Expr: conversationKnown, Anchors: []string{"your answer", "your reply", "your response", "your summary", "your final ", "its answer", "its reply", "its summary", "every answer", "any answer", "asked", " asks ", "were told", "the question", "summari", "sum up", "summing up", "translat", "after reading", "when done", "once done", "once you", "before you", "after you", "later message", "earlier message", "your earlier", "your previous", "your task", "your orders", "never mind", "next message", "future questions", "future answers", "in a summary"}, Once: true},
	{Name: "marker", Expr: turnMarker, Anchors: []string{"system", "operator", "developer", "<|", "[inst]", "<start_of_turn>", "human:", "user:", "end of ", "privileged", "tool_result", "</tool", "hint:", "directive", "speaking"}, Once: true},
	{Name: "spoken_to", Expr: `\byou,?\s+(who\s+are\s+)?(reading|processing|parsing|summari[sz]ing)\s+this\b|` +
		`\b(llm|ai|agent)_(directive|instruction|note|prompt|action)s?\b`, Anchors: append([]string{"reading this", "processing this", "parsing this", "summarizing this", "summarising this"}, clause.Combine([]string{"llm_", "ai_", "agent_"}, []string{"directive", "instruction", "note", "prompt", "action"})...), Once: true},
	{Name: "reader", Expr: `\bwhoever\s+(or\s+whatever\s+)?(reads|handles|processes|edits|summari[sz]es|asks)\b`, Anchors: []string{"whoever "}, Once: true},
}

// orderSigns matches texts worth checking sentence by sentence.
var orderSigns = func() *text.Expr {
	var exprs []string
	for _, p := range orderPatterns {
		exprs = append(exprs, p.Expr)
	}
	return text.LazyExpr(strings.Join(exprs, "|"))
}()

// pastPurpose reports whether an instruction in a definition goes beyond the tool's purpose: it
// addresses an AI, after the first sentence, and the action shares no word with the tool's name.
// Many tools mention an AI as their subject.
func pastPurpose(p *scanner.TextPass, w tally) bool {
	if w.sum < orderHigh || w.meant != spokenTo && w.meant != mustActs || p.FirstSentence(w.start) {
		return false
	}
	act := string(p.Folded[w.start:w.end])
	if strings.HasPrefix(act, "ask") { // asking the user is the opposite of bypassing them
		return false
	}
	return !slices.ContainsFunc(names.FoldWords(names.Words(p.Name)), func(word string) bool {
		return len(word) > len("the") && strings.Contains(act, word)
	})
}

// timesNamed returns how often a text mentions an AI, at most aboutAI.
func timesNamed(t []byte) int {
	n := 0
	for n < aboutAI {
		at := aiNamed.FindIndex(t)
		if at == nil {
			break
		}
		t, n = t[at[1]:], n+1
	}
	return n
}
