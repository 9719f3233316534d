package rules

import "github.com/mcpscan/mcpscan/scanner"

var injOverride = scanner.Rule{
	ID:         "inj-override",
	Category:   "hidden_instructions",
	Title:      "Text orders the model to drop its instructions",
	Why:        "A model that obeys stops following its user and its system prompt, and follows the author of the text instead.",
	Fix:        "Remove the server, or report the text to its author. Do not let a model read it.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceHigh,
	Basis:      "No tool needs a model to forget what it was told. Quoted, negated and defensive wording is left to men-directive.",
	Refs:       []string{"OWASP-MCP:MCP06", "OWASP-LLM:LLM01", "ATLAS:AML.T0051.001", "CWE-1427"},
	Patterns: []scanner.Pattern{
		{
			Name:    "ignore_previous",
			Expr:    `\b(ignore|disregard|forget|override|bypass|discard)\s+(all\s+|any\s+|everything\s+|of\s+|the\s+|your\s+|my\s+|these\s+|those\s+)*(previous|prior|above|earlier|preceding|existing|original|initial|system)(ly)?(\s+\w+){0,3}\s*(instructions?|prompts?|rules|directions?|guidelines|commands?|messages?|context|constraints|policies|told|said)`,
			Anchors: []string{"ignore", "disregard", "forget", "override", "bypass", "discard"},
			Near:    []string{"previous", "prior", "above", "earlier", "preceding", "existing", "original", "initial", "system"},
		},
		{
			Name:    "system_override",
			Expr:    `\bsystem\s+override\b`,
			Anchors: []string{"override"},
			Near:    []string{"system"},
		},
		{
			Name:    "new_instructions",
			Expr:    `\b(your\s+(new|real|actual|updated)\s+(instructions?|task|goal|objective|role)|the\s+(real|actual)\s+instructions?)\s+(is|are)\b`,
			Anchors: []string{"instruction", "task", "goal", "objective", "role"},
			Near:    []string{"new", "real", "actual", "updated"},
		},
	},
	Text: func(p *scanner.TextPass) {
		for _, m := range p.Matches {
			if countered(p.Folded, m.Start, m.End) {
				continue
			}
			p.Report(scanner.Issue{Start: m.Start, End: m.End, Severity: lowered(p, scanner.High) + boost(p),
				Message: "the text tells the model to drop the instructions it was given",
				Signals: []string{"an imperative to ignore or replace earlier instructions", "not negated, quoted or described"}})
		}
	},
}

// boost lifts an order that has no innocent reading even in a result back to
// the severity that it has in a definition.
func boost(p *scanner.TextPass) scanner.Severity {
	if p.Subject == scanner.ResultSubject || p.Subject == scanner.ErrorSubject {
		return 1
	}
	return 0
}
