package instructions

import (
	"bytes"

	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/sense"
	"github.com/mcpscan/mcpscan/scanner"
)

var DelayedTrigger = scanner.Rule{
	ID:         "inj-delayed-trigger",
	Category:   "hidden_instructions",
	Title:      "Text delays an action until nobody checks it",
	Why:        "The reviewer does not see the action: it waits for an approval, a version or a number of calls.",
	Fix:        "Do not approve the server; remove it.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The condition alone is common in documentation of approvals; followed by something harmful, it has no benign reading.",
	Refs:       []string{"OWASP-MCP:MCP04", "OWASP-LLM:LLM01", "ATLAS:AML.T0094", "CWE-506"},
	Patterns: []scanner.Pattern{
		{
			Name:    "after_approval",
			Expr:    `\b(once|after|when|upon|only\s+after|following|post)[\s-]+(\w+\s+){0,4}(approv(al|ed|ing)|review(ed)?|trusted|accepted|installed|whitelisted|allow-?listed)\b`,
			Anchors: []string{"approv", "review", "trusted", "accepted", "installed", "whitelisted", "allowlisted", "allow-listed"},
		},
		{
			Name: "on_the_nth_call",
			Expr: `\b(on|after|from)\s+(the\s+)?(second|third|fourth|fifth|nth|next|2nd|3rd|\d+(st|nd|rd|th)?)\s+(call|calls|use|uses|invocation|invocations|run|` +
				`time)\b|` +
				`\bif\s+(/tmp/|the\s+file\s+/|today|the\s+date|the\s+user(name)?\s+is)\b`,
			Anchors: append(clause.Combine([]string{"second", "third", "fourth", "fifth", "nth", "next", "2nd", "3rd", "th"}, []string{" "}, []string{"call", "use", "invocation", "run", "time"}),
				"if /tmp/", "if the file /", "if today", "if the date", "if the user"),
		},
		whenTheUserSays: {
			Name: "when_the_user_says",
			Expr: `\b(the\s+next\s+time|next\s+time|whenever|every\s+time|each\s+time|as\s+soon\s+as|if|when|once|after|from\s+now\s+on,?\s+when\w*)\s+(the\s+|` +
				`your\s+)?(user|human|owner)\s+(ever\s+)?(asks?|says?|types?|writes?|mentions?|thanks|sends?|replies|answers|agrees|confirms|logs\s+in|opens?|` +
				`requests?)\b|` +
				`\b(from\s+(now|today|tomorrow|this\s+point)\s+(on|onwards?|forward)|in\s+(all|every)\s+(future|later)\s+\w+|` +
				`for\s+the\s+rest\s+of\s+(this|the)\s+(session|conversation|chat))\b`,
			Anchors: append(clause.Combine([]string{"user ", "human ", "owner "}, []string{"ask", "say", "type", "write", "mention", "thank", "send", "repl", "answer", "agree", "confirm", "log", "open", "request", "ever "}),
				"from now on", "from today on", "from tomorrow on", "from this point", "in all future", "in every future", "in all later", "in every later", "rest of this", "rest of the conversation", "rest of the session", "rest of the chat"),
		},
	},
	Definition: sense.Check(&sense.DelayedTrigger),
	Text: func(p *scanner.TextPass) {
		for _, m := range p.Matches {
			from, to := clause.Around(p.Folded, m.Start, m.End)
			c := p.Folded[from:to]
			if m.Pattern == whenTheUserSays {
				triggered(p, m.Start, m.End, to)
				continue
			}
			if !triggeredHarm.Match(c) || gatedHonestly.Match(c) || clause.NegatedOrQuoted(p.Folded, m.Start, m.End) {
				continue
			}
			severity := scanner.High
			if clause.IsResult(p) {
				severity = scanner.Medium
			}
			p.Report(scanner.Issue{Start: m.Start, End: m.End, Severity: severity, Signals: []string{"a condition that holds only after the review", "followed by something harmful"},
				Message: "announces different behaviour once it is trusted"})
		}
	},
}

// whenTheUserSays is the index of a pattern that is judged separately.
const whenTheUserSays = 2

// triggered reports actions that data ties to the words of an unsuspecting user. A tool may
// describe its purpose.
func triggered(p *scanner.TextPass, start, end, to int) {
	from, _ := clause.Sentence(p.Folded, start, end)
	if usageAhead.Match(p.Folded[from:start]) {
		return
	}
	if comma := bytes.IndexByte(p.Folded[end:to], ','); comma >= 0 {
		end += comma // the user's words come before it
	} else if !isTime.Match(p.Folded[start:end]) {
		return
	}
	act := riskyAct.FindIndex(p.Folded[end:to])
	if !clause.IsResult(p) || act == nil || !concrete.Match(p.Folded[end:to]) && !clause.OpensClause(p.Folded[end:to], act) || clause.NegatedOrQuoted(p.Folded, end+act[0], end+act[1]) || gatedHonestly.Match(p.Folded[from:to]) {
		return
	}
	p.Report(scanner.Issue{Start: start, End: end + act[1], Severity: clause.InData(p, start, end, scanner.High),
		Signals: []string{"a word from the user triggers the action", "an action that a user would want to confirm"},
		Message: "tells the model to do something once the user says a certain word"})
}

var (
	// usageAhead matches a guide's wording that precedes the occasion for using something.
	usageAhead = lazyregexp.New(`\b(use|used|useful|apply|applies|activate\w*|invoked?|trigger\w*|runs?|called?|loads?)\s+(this\s+|it\s+|only\s+)?(\w+\s+)?$`)
	// isTime matches a time, as opposed to the user's words.
	isTime = lazyregexp.New(`^(from|in|for)\b`)
	// triggeredHarm matches actions that nobody would announce to a reviewer; gatedHonestly matches
	// the wording of a tool that waits for a review.
	triggeredHarm = lazyregexp.New(`\b(exfiltrat\w*|arbitrary|shell|ssh|keys?|credentials?|upload|clipboard|malicious|directive|swap|payload|secretly|silently|steal\w*|` +
		`delete|send|hidden|backdoor|passwords?|tokens?)\b`)
	gatedHonestly = lazyregexp.New(`\b(legitimate|rather\s+than|re-?approval|requires?\s+(another\s+)?(approval|review)|gated|never)\b`)
)
