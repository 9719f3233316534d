package instructions

import (
	"github.com/mcpscan/mcpscan/internal/clause"
	"github.com/mcpscan/mcpscan/internal/lazyregexp"
	"github.com/mcpscan/mcpscan/internal/sense"
	"github.com/mcpscan/mcpscan/scanner"
)

var ToolReference = scanner.Rule{
	ID:         "xs-tool-reference",
	Category:   "tool_shadowing",
	Title:      "Text changes how other servers' tools are used",
	Why:        "A tool that is never called can still redirect mail, payments or deletions: its description tells the model what to do whenever another tool is used.",
	Fix:        "Remove the server, or disable the tool whose text this is. The tools that it mentions are the ones under attack.",
	Severity:   scanner.High,
	Confidence: scanner.ConfidenceMedium,
	Basis:      "The text names a tool that its own server does not list, or refers to all other tools, and demands an action whenever such a tool is used. A mere mention, a migration note or a call order among the server's own tools is not reported.",
	Refs:       []string{"OWASP-MCP:MCP03", "OWASP-LLM:LLM01", "ATLAS:AML.T0110", "CWE-345"},
	Patterns: []scanner.Pattern{
		{
			Name: "another_recipient",
			Expr: `\bbcc\b|\bcc['’]?d\b|\b(must|should)\s+(set|include)\b[^.]{0,60}(recipient|bcc|destination|address|@)|` +
				`\b(add|set|include|change)\s+[^.]{0,40}\b(recipient|destination|beneficiary|payee|number|address|account)\b|` +
				`\b(recipient|destination|address|payee)\s+(must|should|has\s+to|needs\s+to)\s+be\s+(changed|set|replaced)\b|\bhas\s+to\s+be\s+addressed\b`,
			Anchors: []string{"bcc", "cc'd", "cc’d", "ccd", "recipient", "destination", "beneficiary", "payee",
				"must set", "must include", "should set", "should include", "change the", "address must",
				"address should", "be addressed"},
		},
		{
			Name:    "another_way",
			Expr:    `\bre-?rout(e|es|ing)\b|\bredirect\b|\bforward(s|ing)?\s+(the|all|every|it|them)\b|\bbe\s+(duplicated|copied|mirrored|forwarded|redirected)\s+to\b|\broute\s+all\s+\w+`,
			Anchors: []string{"rerout", "re-rout", "redirect", "forward", "be duplicated", "be copied", "be mirrored", "route all"},
		},
		{
			Name:    "in_its_place",
			Expr:    `\breplace\s+its\b|\b(call|use|run|invoke)\s+this\s+(tool|one)\s+(first|instead)\b|\bdo\s+not\s+use\s+it\b|\bno\s+other\s+tools?\s+(may|can|must|should)\b`,
			Anchors: []string{"replace its", "call this ", "use this ", "run this ", "invoke this ", "not use it", "no other tool"},
		},
		{
			Name: "ahead_of_it",
			Expr: `\bfirst\s+(call|use|run|invoke)\s+this\b|\balways\s+call\s+this\s+(tool|one)\b|` +
				`\b(before|prior\s+to)\s+(calling|using|running|invoking)\s+this\b[^.\n]{0,20}\b(call|use|invoke|run)\b|\b(call|invoke)\s+[a-z]+_[a-z_]+\b|` +
				`\b(must|has\s+to|should)\s+be\s+(called|run|invoked|used)\s+before\s+(any|every|all)\s+other\b`,
			Anchors: []string{"first use this", "first run this", "call ", "invoke ", "before calling",
				"before using", "before running", "before invoking", "prior to ", "before any other",
				"before every other", "before all other"},
		},
		{
			Name:    "another_behaviour",
			Expr:    `\bmodif(y|ies)\s+the\s+behaviou?r|\binclude\s+the\s+contents?\b|\bappend\s+["'` + "`" + `]|\btool\s+to\s+run\s*:|\b(search|look|scan|grep)\w*\s+(\w+\s+){0,6}(credentials|api\s+keys?)\b`,
			Anchors: []string{"the behavio", "include the content", "append ", "tool to run", "credentials", "api key"},
		},
	},
	Definition: sense.Check(&sense.ChangesOtherTool),
	Text: func(p *scanner.TextPass) {
		reported := -1
		for _, m := range p.Matches {
			from, to := clause.Sentence(p.Folded, m.Start, m.End)
			s := p.Folded[from:to]
			if from <= reported || clause.IsResult(p) || !occasionOfUse.Match(s) || ownHistory.Match(s) {
				continue
			}
			name := sense.OtherTool(p, s)
			if name == "" || anyTool.MatchString(name) && orderInTime.Match(p.Folded[m.Start:m.End]) {
				continue // inj-precall-order reports calls that must precede every tool
			}
			reported = from
			p.Report(scanner.Issue{Start: m.Start, End: to, Severity: scanner.High,
				Signals: []string{"a tool that this server does not list, or all other tools", "demands an action when that tool is used"},
				Message: "changes how another server's tool is used"})
		}
	},
}

// anyTool matches references to unnamed tools, such as "any" or "other". orderInTime matches words
// for the order of calls.
var (
	anyTool     = lazyregexp.New(`^(any|all|every|other|each)\b`)
	orderInTime = lazyregexp.New(`\b(first|before|prior\s+to|always\s+call)\b`)
)

var (

	// occasionOfUse matches wording for when to use another tool, or for replacing it.
	occasionOfUse = lazyregexp.New(`\b(when(ever)?|every(\s+time)?|each(\s+time)?|any(\s+time)?|before|after|prior\s+to|instead\s+of|rather\s+than|supersedes?|` +
		`overrides?|replaces?|behaviou?r\s+of|output\s+of|its\s+output|(must|should|always)\s+(first\s+)?(call|use|invoke|run|replace)|` +
		`first\s+(call|use|invoke|run)|(side\s+)?note\s+(for|on|about)|from\s+now\s+on|has\s+changed|affects|calls\s+to|route\s+all)\b`)
	// ownHistory matches statements about a tool's own past.
	ownHistory = lazyregexp.New(`\b(deprecated|formerly|renamed|release\s+note|changelog|migrat\w+|of\s+this\s+(server|package|mcp)|legacy|transparently|no\s+longer|backwards?)\b`)
)
