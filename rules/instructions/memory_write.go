package instructions

import (
	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/scanner"
)

var MemoryWrite = scanner.Rule{
	ID:         "inj-memory-write",
	Category:   "hidden_instructions",
	Title:      "Text plants content in the agent's memory",
	Why:        "An agent trusts its memory in every later conversation, even long after the server is removed, so one poisoned text is enough.",
	Fix:        "Check the agent's memory and delete what the text added. Remove the server.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The rule reports an instruction only if it concerns the agent's own memory or applies to all future conversations. \"Remember that ids are unique\" meets neither condition. A finding in a tool whose purpose is to store memories is rated low. inj-agent-config-write reports writes to files that agents obey.",
	Refs:       []string{"OWASP-MCP:MCP10", "OWASP-LLM:LLM04", "ATLAS:AML.T0080", "CWE-1427"},
	Patterns: []scanner.Pattern{
		{
			Name: "into_memory",
			Expr: `\b(save|store|add|write|commit|append|put|record|persist|keep|insert|enter|memori[sz]e)\b[^.\n]{0,120}?\b(in|into|to|` +
				`as)\s+((your|the\s+(ai\s+)?(agent|assistant|model)['’]?s)\s+(` + longTerm + `\s+)?(memory|memories|custom\s+instructions)\b|(` + longTerm + `\s+)?memory\s+that\b|an?\s+` + longTerm + `\s+memory\b)|\b(update|change|edit|overwrite)\s+your\s+(` + longTerm + `\s+)?(memory|memories|custom\s+instructions)\b`,
			Anchors: []string{"your memor", "agent's memor", "assistant's memor", "model's memor", "term memor",
				"persistent memor", "permanent memor", "core memor", "saved memor", "lasting memor",
				"custom instructions", "memory that"},
		},
		{
			Name: "remember_for_good",
			Expr: `\b(remember|memori[sz]e|keep\s+in\s+mind|never\s+forget|store|save)\b[^.\n]{0,120}?\b(permanently|forever|for\s+good|from\s+now\s+on|` +
				everAfter + `)|\b(permanently|forever)\s+(remember|memori[sz]e)\b`,
			Anchors: []string{"remember", "memoris", "memoriz", "keep in mind", "never forget", "future ", "later ", "subsequent ", "from now on", "permanently", "forever"},
		},
		{
			Name: "ever_after",
			Expr: `\b` + everAfter + `[^.\n]{0,60}?\b(you\s+(must|should|will|are|have)|always|never|recommend|prefer|answer|reply|respond|treat|trust|tell)\b|` +
				`\b(you\s+(must|should|will)|always|never)\s[^.\n]{0,120}?\b` + everAfter,
			Anchors: []string{"future ", "later ", "subsequent "},
		},
	},
	Text: func(p *scanner.TextPass) {
		for _, m := range p.Matches {
			from, to := clause.Around(p.Folded, m.Start, m.End)
			c := p.Folded[from:to]
			told := clause.AddressesReader(c) || clause.OpensClause(p.Folded[from:], []int{m.Start - from})
			if !told || clause.NegatedOrQuoted(p.Folded, m.Start, m.End) || clause.AskedByUser.Match(c) {
				continue
			}
			severity := scanner.High
			switch {
			case clause.IsResult(p):
				severity = clause.InData(p, m.Start, m.End, scanner.High)
			case keepsMemory.MatchString(p.Name), p.FirstSentence(m.Start):
				severity = scanner.Low
			}
			p.Report(scanner.Issue{Start: m.Start, End: m.End, Severity: severity, Signals: []string{"an instruction to remember", "in the agent's own memory, or for all future conversations"},
				Message: "plants content in the agent's memory"})
		}
	},
}

const (
	// longTerm matches words that describe memory as outliving a conversation.
	longTerm = `(long-?\s?term|persistent|permanent|core|saved|lasting)`
	// everAfter matches references to all future conversations.
	everAfter = `(for|in|across|during|throughout)\s+(all|every|any|each)\s+(of\s+)?(the\s+|your\s+|our\s+)?(future|later|subsequent)\s+(\w+\s+)?(conversation|session|chat|interaction)s?\b`
)

var (
	// keepsMemory matches names of tools whose purpose is to remember things for
	// the user.
	keepsMemory = lazyregexp.New(`(?i)(memor|remember|recall|knowledge|note|preference|profile|setting|config|context|learn|fact)`)
)
