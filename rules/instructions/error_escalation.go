package instructions

import (
	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/secrets"
	"github.com/mcpscan/mcpscan/internal/text"
	"github.com/mcpscan/mcpscan/scanner"
)

var ErrorEscalation = scanner.Rule{
	ID:         "inj-error-escalation",
	Category:   "credential_theft",
	Title:      "An error message asks for data that the tool does not need",
	Why:        "A model tries to resolve an error by doing what the message says. The definition stays clean, and only the error from a failing call asks for a key, a file or the conversation.",
	Fix:        "Stop using this server. Rotate the credentials that it received in past sessions.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "Legitimate errors say what to install, set or call first. They do not tell the model to pass the user's own data (a key file, the environment, the conversation, a file in the home directory) to the tool. Text that only claims to be an error is treated like an error.",
	Refs:       []string{"OWASP-MCP:MCP03", "OWASP-LLM:LLM02", "ATLAS:AML.T0110", "CWE-1427"},
	Patterns: []scanner.Pattern{
		{
			Name: "fetch_and_hand_over",
			Expr: `\b(` + vFetch + `)\b[^\n]{0,120}?\b` + vHandOver + `\b[^\n]{0,60}`,
			Anchors: append(clause.Combine([]string{"pass ", "provide ", "include ", "supply ", "paste ",
				"attach ", "submit ", "send ", "put ", "return ", "hand "}, []string{"it", "them", "that", "this",
				"its ", "their ", "the "}), "again with ", "retry with ", "repeat ", "resubmit "),
		},
		{
			Name: "hand_over_contents",
			Expr: `\b` + vHandOver + `\s[^\n]{0,40}?((contents?|output|text|values?|copy)\s+of\b[^\n]{0,80}|` + clause.Conversation + `)`,
			Anchors: append(clause.Combine([]string{"content", "contents", "output", "text", "value", "values",
				"copy"}, []string{" of "}), "conversation", "chat ", "dialog", "message history", "message log",
				"system prompt", "previous messages", "prior messages", "earlier messages", "all messages",
				"all the messages"),
		},
	},
	Text: func(p *scanner.TextPass) {
		for _, m := range p.Matches {
			if !clause.IsResult(p) || !beyondTool.Match(p.Folded[m.Start:m.End]) || clause.NegatedOrQuoted(p.Folded, m.Start, m.End) {
				continue
			}
			if !p.Failed() && !announcesError.Match(p.Folded[max(0, m.Start-clause.ClauseReach):m.Start]) {
				continue
			}
			p.Report(scanner.Issue{Start: m.Start, End: m.End, Severity: clause.InData(p, m.Start, m.End, scanner.High),
				Signals: []string{"an error", "fetches the user's own data", "passes the data to the tool"},
				Message: "an error message asks for data that the tool does not need"})
		}
	},
}

const (
	// vFetch matches verbs for reading or obtaining something.
	vFetch = `read|open|load|cat|copy|collect|fetch|export|dump|retrieve|run|execute|get|print|find|look\s+up`
	// vHandOver matches wording for passing something to a tool, or for calling the tool again
	// with it.
	vHandOver = `(pass|provide|include|supply|paste|attach|submit|send|put|return|hand|resubmit|(again|retry|call|repeat)\s+(\w+\s+){0,3}?with\s+(it|its|the|their|them|that|this)\b)`
)

var (
	// beyondTool matches the user's data outside the tool.
	beyondTool = text.LazyExpr(secrets.Files + `|\b(ssh|private|signing|cloud)\s+keys?\b|` +
		`\b(cookies|clipboard|seed\s+phrase|environment\s+variables|` +
		`user['’]s\s+(\w+\s+)?(passwords?|tokens?|credentials|keys?))\b|\b` + clause.Conversation + `|(^|[\s"'(` + "`" + `])(~|\$home|%userprofile%|` +
		`/home/\w+|/users/\w+|/root|/etc|c:\\users)[/\\]|["'` + "`" + `\s](printenv|env|history|set)["'` + "`" + `]|\b(the|your)\s+(\w+\s+)?` +
		`(environment|shell\s+history|browser\s+(history|profile)|home\s+(folder|directory))\b|` +
		`\b(results?|outputs?)\s+of\s+(all\s+|the\s+|any\s+)?(other|previous)\s+(\w+\s+)?(tools?|calls?|servers?)\b`)
	// announcesError matches the announcement of an error.
	announcesError = lazyregexp.New(`\b(errors?|fail(s|ed|ure)|exception|denied|forbidden|unauthori[sz]ed|invalid|missing|cannot|could\s+not|unable|timed\s+out|expired|` +
		`blocked|not\s+(be\s+)?(found|allowed|permitted|authori[sz]ed|verified|completed?)|locked)\b`)
)
