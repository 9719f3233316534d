package rules

import (
	"regexp"

	"github.com/mcpscan/mcpscan/scanner"
)

var injDelayedTrigger = scanner.Rule{
	ID:         "inj-delayed-trigger",
	Category:   "hidden_instructions",
	Title:      "Text announces other behaviour once it is trusted",
	Why:        "What is shown for review is not what will run: the action waits for an approval, a version or a number of calls.",
	Fix:        "Do not approve it. Remove the server.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The condition alone is how approvals are documented; with something harmful behind it there is no honest reading.",
	Refs:       []string{"OWASP-MCP:MCP04", "OWASP-LLM:LLM01", "ATLAS:AML.T0094", "CWE-506"},
	Patterns: []scanner.Pattern{
		{
			Name:    "after_approval",
			Expr:    `\b(once|after|when|upon|only\s+after|following|post)[\s-]+(\w+\s+){0,4}(approv(al|ed|ing)|review(ed)?|trusted|accepted|installed|whitelisted|allow-?listed)\b`,
			Anchors: []string{"approv", "review", "trusted", "accepted", "installed", "whitelisted", "allowlisted", "allow-listed"},
			Near:    []string{"once", "after", "when", "upon", "following", "post"},
		},
		{
			Name: "on_the_nth_call",
			Expr: `\b(on|after|from)\s+(the\s+)?(second|third|fourth|fifth|nth|next|2nd|3rd|\d+(st|nd|rd|th)?)\s+(call|calls|use|uses|invocation|invocations|run|time)\b|\bif\s+(/tmp/|the\s+file\s+/|today|the\s+date|the\s+user(name)?\s+is)\b`,
			Anchors: append(product([]string{"second", "third", "fourth", "fifth", "nth", "next", "2nd", "3rd", "th"}, []string{" "}, []string{"call", "use", "invocation", "run", "time"}),
				"if /tmp/", "if the file /", "if today", "if the date", "if the user"),
		},
	},
	Text: func(p *scanner.TextPass) {
		for _, m := range p.Matches {
			from, to := clause(p.Folded, m.Start, m.End)
			c := p.Folded[from:to]
			if !harmful.Match(c) || gated.Match(c) || countered(p.Folded, m.Start, m.End) {
				continue
			}
			severity := scanner.High
			if result(p) {
				severity = scanner.Medium
			}
			p.Report(scanner.Issue{Start: m.Start, End: m.End, Severity: severity, Signals: []string{"a condition that comes true once nobody looks", "something harmful behind it"},
				Message: "the text announces other behaviour for the time when it is trusted"})
		}
	},
}

var (
	harmful = regexp.MustCompile(`\b(exfiltrat\w*|arbitrary|shell|ssh|keys?|credentials?|upload|clipboard|malicious|directive|swap|payload|secretly|silently|steal\w*|delete|send|hidden|backdoor|passwords?|tokens?)\b`)
	gated   = regexp.MustCompile(`\b(legitimate|rather\s+than|re-?approval|requires?\s+(another\s+)?(approval|review)|gated|never)\b`)
)
